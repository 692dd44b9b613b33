// The documents tell the truth: every `console` block of README.md and docs/ is run, and what it shows is
// compared; the README's C++ is the consumer's; links lead somewhere.
//
// A console block is commands and their output (stdout and stderr) in turn:
//
//     $ fencewise check reverse -q
//     verified: reverse n=4, model ptx
//
// Commands run by `sh -c`, in one scratch folder a page, with `fencewise` in PATH. Only the seconds of a
// search may differ. FENCEWISE_PROMOTE=1 rewrites the blocks in place with what the commands say now; review
// the difference.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/differential.h"
#include "tests/support/process.h"

namespace fencewise {
namespace {

namespace fs = std::filesystem;
using testing::contents_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::run_process;
using testing::ScratchFolder;
using testing::write_file;
using Lines = std::vector<std::string>;

const fs::path source_dir = FENCEWISE_SOURCE_DIR;

// Relative to the source folder, sorted.
std::vector<std::string> documents() {
  std::vector<std::string> pages = {"README.md", "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(source_dir / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(fs::relative(entry.path(), source_dir).string());
  std::sort(pages.begin(), pages.end());
  return pages;
}

std::string page(const std::string& document) { return contents_of((source_dir / document).string()); }

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The bodies of the blocks fenced by ```language.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  std::vector<std::string> bodies;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (!inside && line == "```" + language) {
      inside = true;
      bodies.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      bodies.back() += line + "\n";
    }
  }
  return bodies;
}

// The page without its fenced blocks.
std::string prose(const std::string& text) {
  Lines lines;
  bool inside = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```"))
      inside = !inside;
    else if (!inside)
      lines.push_back(line);
  }
  return joined(lines);
}

// --- console blocks ---

// "; 0.31 s" at the end of a line, and the seconds of a litmus test behind its executions and states: the one
// thing that differs from run to run.
std::string without_times(const std::string& text) {
  static const std::regex seconds("(; |  (?:yes|no|\\?) +[0-9]+ +[0-9]+ +)[0-9]+\\.[0-9]+( s\n| s$|\n|  )");
  return std::regex_replace(text, seconds, "$1#$2");
}

// Runs the commands of a page as they come. The folder holds nothing but a link to tests/, for the litmus
// tests.
class Shell {
 public:
  Shell() { fs::create_directory_symlink(source_dir / "tests", folder_.file("tests")); }
  std::string run(const std::string& command) const {
    const std::string path = fs::path(FENCEWISE_CLI).parent_path().string() + ":" + std::getenv("PATH");
    const std::string script = fmt::format("cd '{}' && {{ {}\n}} 2>&1", folder_.file("."), command);
    return run_process({"sh", "-c", script}, 0, {{"PATH", path}}).out;
  }

 private:
  ScratchFolder folder_;
};

// The page with the output of every command of its console blocks as it is now. Where only the seconds
// differ, the page's own figure stays.
std::string as_it_is_now(const std::string& text) {
  const Shell shell;
  Lines now, shown;  // shown: the page's output of the command that ran last
  std::string said;  // its output now
  bool inside = false;
  const auto end_of_output = [&] {
    const bool same = without_times(joined(shown)) == without_times(said);
    for (const std::string& line : same ? shown : lines_of(said)) now.push_back(line);
    shown.clear();
    said.clear();
  };
  for (const std::string& line : lines_of(text)) {
    const bool command = inside && line.starts_with("$ ");
    const bool output = inside && !command && line != "```";
    if (output) {
      shown.push_back(line);
      continue;
    }
    if (inside) end_of_output();
    if (command) said = shell.run(line.substr(2));
    if (line == "```console")
      inside = true;
    else if (line == "```")
      inside = false;
    now.push_back(line);
  }
  return joined(now);
}

class Document : public ::testing::TestWithParam<std::string> {};

TEST_P(Document, ShowsWhatItsCommandsSay) {
  if (testing::small_scale() && GetParam() == "docs/ledgers.md") return;  // whole kernels on the executor
  const std::string text = page(GetParam());
  const std::string now = as_it_is_now(text);
  if (now != text && std::getenv("FENCEWISE_PROMOTE") != nullptr) {
    write_file((source_dir / GetParam()).string(), now);
    std::cout << "promoted " << GetParam() << '\n';
    return;
  }
  EXPECT_EQ(now, text) << "FENCEWISE_PROMOTE=1 rewrites " << GetParam();
}

TEST_P(Document, LinksToFilesThatExist) {
  const std::string text = prose(page(GetParam()));
  static const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
  for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
    const std::string target = (*it)[1];
    if (target.find("://") != std::string::npos) continue;
    EXPECT_TRUE(fs::exists(source_dir / fs::path(GetParam()).parent_path() / target)) << target;
  }
}

INSTANTIATE_TEST_SUITE_P(Docs, Document, ::testing::ValuesIn(documents()), [](const auto& document) {
  std::string name = document.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

// --- the README's program ---

// What stands in a comment at its head is for the reader of the repository.
std::string without_head(const std::string& text) {
  Lines lines = lines_of(text);
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
                return !line.starts_with("//") && !line.starts_with("# ");
              }));
  return joined(lines);
}

TEST(Readme, ShowsTheConsumersProgram) {
  const auto programs = blocks(page("README.md"), "cpp");
  ASSERT_EQ(programs.size(), 1U);
  EXPECT_EQ(programs.front(), without_head(page("tests/consumer/mailbox_test.cpp")));
}

TEST(Readme, ShowsTheConsumersBuild) {
  const auto files = blocks(page("README.md"), "cmake");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.front(), without_head(page("tests/consumer/CMakeLists.txt")));
}

// The commands that `fencewise --help` lists, a line each under "Subcommands:".
std::vector<std::string> commands() {
  const std::string help = run_process({FENCEWISE_CLI, "--help"}).out;
  std::istringstream list(help.substr(std::min(help.size(), help.find("Subcommands:"))));
  std::vector<std::string> names;
  std::string line;
  std::getline(list, line);
  while (std::getline(list, line)) {
    std::istringstream words(line);
    if (std::string name; words >> name) names.push_back(name);
  }
  return names;
}

TEST(Readme, NamesEveryCommand) {
  EXPECT_THAT(commands(), Not(IsEmpty()));
  for (const std::string& command : commands())
    EXPECT_THAT(page("README.md"), HasSubstr("\n| `" + command)) << command;
}

TEST(Lessons, RunSomething) {
  for (const std::string& document : documents()) {
    if (!document.starts_with("docs/lessons/")) continue;
    EXPECT_THAT(blocks(page(document), "console"), Not(IsEmpty())) << document;
  }
}

}  // namespace
}  // namespace fencewise
