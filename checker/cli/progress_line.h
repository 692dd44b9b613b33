// One line on stderr that tells how a search goes, rewritten about once a second; only where stderr is a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "checker/check.h"

namespace fencewise {

class StatusLine {
 public:
  explicit StatusLine(bool wanted);
  ~StatusLine() { wipe(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  void show(std::string_view text);
  void wipe();
  [[nodiscard]] bool wanted() const { return wanted_; }

 private:
  bool wanted_, shown_ = false;
};

// "graphs=12 states=3 ...", of one search.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : line_(wanted) {}
  // For check(); lives no longer than this.
  [[nodiscard]] Progress sink(const std::atomic<bool>& stop);

 private:
  StatusLine line_;
};

// "tests=12/450", of many jobs.
class JobsDone {
 public:
  JobsDone(bool wanted, std::string_view what, std::size_t all) : line_(wanted), what_(what), all_(all) {}
  void show(std::size_t done);
  void wipe() { line_.wipe(); }

 private:
  StatusLine line_;
  std::string what_;
  std::size_t all_;
};

}  // namespace fencewise
