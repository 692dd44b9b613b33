// What litmus tests are expected to answer: a table as the public suites have it, in tab-separated values.
//
// Columns are told by the names in the first line: `path model property expected` are needed, `caution` is kept, others are
// ignored. `property` is `assertion` (1: the final statement holds) or `liveness` (1: every execution ends).
//
// A table of progress has a column for each progress model instead, `path fair hsa obe hsa_obe lobe` (1: every execution ends
// under it), for every memory model. Its rows with the caution `mistranslated` expect nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "checker/progress_model.h"
#include "memmodel/model.h"

namespace fencewise {

// Of one test under one model.
struct LitmusExpectation {
  std::optional<bool> assertion, liveness;
  std::string caution;  // why an expectation may not carry over; empty: none
};

class LitmusExpectations {
 public:
  // Throws InputError with file, line and what was expected: a missing column, a short line, an unknown property, a value
  // other than 0 and 1, two lines that contradict each other. `progress`: the column of a table of progress that is taken.
  [[nodiscard]] static LitmusExpectations parse(std::string_view text, std::string_view file_name,
                                                const ProgressModels& progress = {});

  // `path` as the table has it. Null: no expectation.
  [[nodiscard]] const LitmusExpectation* find(Model model, const std::string& path) const;
  // [path] of the rows of one model, which the table calls ptx, v6.0, v7.5 or sc.
  [[nodiscard]] const std::map<std::string, LitmusExpectation>& of(Model model) const;

 private:
  std::map<Model, std::map<std::string, LitmusExpectation>> rows_;
};

}  // namespace fencewise
