// The litmus suites that tests run: the public one, where it is at hand, and our own.
#pragma once

#include <string>
#include <vector>

#include "checker/litmus_expectations.h"
#include "memmodel/model.h"

namespace fencewise::testing {

struct LitmusSuite {
  std::string folder;
  LitmusExpectations expected;     // of folder/expected.tsv
  std::vector<std::string> tests;  // paths in the folder, sorted
};

// The open suite of Dat3M: FENCEWISE_LITMUS_DIR, or shared/litmus/dat3m beside the sources. Without tests where there is none.
[[nodiscard]] LitmusSuite open_suite(const std::string& source_folder);
// tests/litmus.
[[nodiscard]] LitmusSuite own_suite(const std::string& source_folder);

inline constexpr Model all_models[] = {Model::ptx, Model::ptx_v6_0, Model::ptx_v7_5, Model::sc};

}  // namespace fencewise::testing
