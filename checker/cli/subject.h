// What a command works on: a built-in protocol with parameters and variant, a litmus test, a PTX or CUDA file with its
// launch, or the subject of a saved report.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "checker/cli/cuda_source.h"
#include "checker/cli/options.h"
#include "checker/cli/plan_options.h"
#include "checker/report/report.h"
#include "kernels/core/problem.h"
#include "protocols/protocol.h"

namespace fencewise {

struct Subject {
  std::string name;                    // as reports show it: never an absolute path
  const Protocol* protocol = nullptr;  // null: a file
  Parameters params;                   // all of the protocol's
  Parameters given;                    // those that the user gave
  std::string variant;
  std::string file;  // litmus test, PTX or CUDA: the path
  std::optional<CudaSource> cuda;
  PlanOptions plan;
};

// Throws InputError for an unknown protocol (naming the nearest), parameters or variants it does not have, and files that
// are no subject.
[[nodiscard]] Subject find_subject(const Options& options);
[[nodiscard]] Subject subject_of(const Report& report);
// Throws InputError where parameters are out of range or don't meet the variant's needs.
[[nodiscard]] Problem problem_of(const Subject& subject);

// The value of a parameter as --param takes it.
[[nodiscard]] std::string text_of(const Parameter& parameter, std::int64_t value);
[[nodiscard]] std::map<std::string, std::string> texts_of(const Protocol& protocol, const Parameters& params);
// "fencewise check splitk-serial --param splits=3 --variant no-reset", with what the user gave.
[[nodiscard]] std::string command_line(const std::string& command, const Subject& subject);


}  // namespace fencewise
