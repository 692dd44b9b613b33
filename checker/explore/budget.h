// What a search may use: time, memory, states, graphs, and a stop flag. Reaching a limit is a reason, never a quiet return.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "checker/check.h"

namespace fencewise {

class Budget {
 public:
  Budget(const Limits& limits, const Progress& progress);
  // A part of a search, of so many steps at most, within the time and memory of the whole, which must outlive it.
  Budget(Budget& whole, std::uint64_t steps);

  // To be called once a step; cheap. Returns false once something is used up; `reason` says what.
  [[nodiscard]] bool spend(const SearchStats& stats);
  // The same within a long step, before it takes so many bytes: looks at the clock, at memory and at whether to stop.
  [[nodiscard]] bool goes_on(std::size_t bytes = 0) {
    if (!exhausted()) look(bytes);
    return !exhausted();
  }
  [[nodiscard]] bool exhausted() const { return !reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }
  [[nodiscard]] double seconds() const;

 private:
  void look(std::size_t bytes = 0);  // the dear checks: clock, memory and what it is about to take, stop flag
  void report(const SearchStats& stats);

  Budget* whole_ = nullptr;
  std::uint64_t steps_ = 0;
  Limits limits_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_;
  double last_report_ = 0;
  double last_look_ = 0;
  std::uint32_t between_looks_ = 1, countdown_ = 1;  // in steps
  std::string reason_;
};

}  // namespace fencewise
