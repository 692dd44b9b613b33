// One line on stderr that tells how a search goes, rewritten about once a second; only where stderr is a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "checker/check.h"

namespace fencewise {

class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();  // wipes the line
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For check(); lives no longer than this.
  [[nodiscard]] Progress sink(const std::atomic<bool>& stop);

 private:
  void show(const SearchStats& stats);
  bool wanted_;
  bool shown_ = false;
};

// "tests=12/450", rewritten while a job takes its time; only where stderr is a terminal.
class JobsDone {
 public:
  JobsDone(bool wanted, std::string_view what, std::size_t all);
  void show(std::size_t done);
  void wipe();

 private:
  bool wanted_, shown_ = false;
  std::string what_;
  std::size_t all_;
};

}  // namespace fencewise
