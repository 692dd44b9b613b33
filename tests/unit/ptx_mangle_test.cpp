// Whatever is done to a PTX module or a launch file, the readers answer with a problem or with one of their two errors.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/launchfile/build_problem.h"
#include "kernels/frontend/ptx/describe.h"

namespace fencewise {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_with(const std::string& suffix) {
  std::vector<fs::path> paths;
  const fs::path folder = fs::path(FENCEWISE_SOURCE_DIR) / "tests" / "ptx";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(suffix)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const fs::path& path : paths) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Erases, repeats, swaps in a part of another file, or changes a byte.
void mangle(std::string& text, const std::vector<std::string>& all, std::mt19937& random) {
  const auto below = [&](std::size_t n) {
    return n == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::size_t at = below(text.size()), length = std::min<std::size_t>(1 + below(40), text.size() - at);
  const std::string& other = all[below(all.size())];
  switch (below(5)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(below(text.size()), text.substr(at, length)); break;
    case 2: text.insert(at, other.substr(below(other.size()), length)); break;
    case 3: text.resize(at); break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(below(256));
  }
}

template <class F> void expect_an_answer(const F& f) {
  try {
    f();
  } catch (const InputError&) {
  } catch (const NotModelled&) {
  }
}

TEST(MangledFiles, OfPtxAreReadOrRefused) {
  const std::vector<std::string> all = files_with(".ptx");
  std::mt19937 random(1);
  for (int round = 0; round < 600; ++round) {
    std::string text = all[static_cast<std::size_t>(round) % all.size()];
    for (int n = 0; n < 1 + round % 4; ++n) mangle(text, all, random);
    SCOPED_TRACE(round);
    expect_an_answer([&] {
      const ptx::Program program = ptx::parse_program(text, "m.ptx");
      (void)ptx::describe(program);
      for (const ptx::Function* entry : program.entries())
        validate(ptx::lower(program.module, *entry, nullptr, ptx::Lines::cuda, program.diagnostics).kernel);
    });
  }
}

TEST(MangledFiles, OfLaunchesAreReadOrRefused) {
  const std::vector<std::string> all = files_with(".toml");
  std::vector<ptx::Program> programs;
  for (const std::string& module : files_with(".sm_90.ptx")) programs.push_back(ptx::parse_program(module, "m.ptx"));
  const Diagnostics diagnostics("m.toml");
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text = all[static_cast<std::size_t>(round) % all.size()];
    for (int n = 0; n < round % 3; ++n) mangle(text, all, random);
    const ptx::Program& program = programs[static_cast<std::size_t>(round) % programs.size()];
    SCOPED_TRACE(round);
    expect_an_answer([&] {
      (void)launchfile::build_problem(launchfile::parse_launch_file(text, {}, diagnostics), program,
                                      ptx::Lines::ptx, diagnostics);
    });
  }
}

}  // namespace
}  // namespace fencewise
