#include "tests/support/litmus_suite.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/support/process.h"

namespace fencewise::testing {
namespace {

LitmusSuite suite_in(const std::filesystem::path& folder) {
  LitmusSuite suite{folder.string(), {}, {}};
  if (!std::filesystem::exists(folder / "expected.tsv")) return suite;
  const std::string table = (folder / "expected.tsv").string();
  suite.expected = LitmusExpectations::parse(contents_of(table), table);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".litmus")
      suite.tests.push_back(entry.path().lexically_relative(folder).generic_string());
  std::sort(suite.tests.begin(), suite.tests.end());
  return suite;
}

}  // namespace

LitmusSuite open_suite(const std::string& source_folder) {
  const char* const given = std::getenv("FENCEWISE_LITMUS_DIR");  // NOLINT(concurrency-mt-unsafe)
  return suite_in(given != nullptr
                      ? std::filesystem::path(given)
                      : std::filesystem::path(source_folder).parent_path() / "shared" / "litmus" / "dat3m");
}

LitmusSuite own_suite(const std::string& source_folder) {
  return suite_in(std::filesystem::path(source_folder) / "tests" / "litmus");
}

}  // namespace fencewise::testing
