// One line on stderr that tells how a search goes, rewritten about once a second; only where stderr is a terminal.
#pragma once

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

}  // namespace fencewise
