// A report as text for people: verdict, why, counterexample, repair, the command that replays it, what was explored.
#pragma once

#include <string>

#include "checker/report/report.h"

namespace fencewise {

// Options that only change what is shown.
struct TextOptions {
  bool colour = false;
  bool verbose = false;  // every event of every launch
  unsigned width = 110;  // characters a line; threads stand side by side where they fit
  std::string command;   // what replays a counterexample; empty: none
  std::string hint;      // the next step; empty: none
};

// The verdict, in one line without line end: "violated: race on ws[1] in replay 1 (splitk-serial ...)".
[[nodiscard]] std::string verdict_line(const Report& report, const TextOptions& options);
// All of it, verdict first. Ends with a line end.
[[nodiscard]] std::string to_text(const Report& report, const TextOptions& options);

}  // namespace fencewise
