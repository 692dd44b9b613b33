#include "checker/cli/progress_line.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace fencewise {

ProgressLine::ProgressLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

Progress ProgressLine::sink(const std::atomic<bool>& stop) {
  Progress progress;
  progress.stop = &stop;
  if (wanted_) progress.report = [this](const SearchStats& stats) { show(stats); };
  return progress;
}

void ProgressLine::show(const SearchStats& s) {
  fmt::print(stderr, "\r\033[Kgraphs={} states={} steps={} finish_orders={}", s.graphs, s.states, s.steps,
             s.finish_orders);
  std::fflush(stderr);
  shown_ = true;
}

JobsDone::JobsDone(bool wanted, std::string_view what, std::size_t all)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0), what_(what), all_(all) {}

void JobsDone::show(std::size_t done) {
  if (!wanted_) return;
  fmt::print(stderr, "\r\033[K{}={}/{}", what_, done, all_);
  std::fflush(stderr);
  shown_ = true;
}

void JobsDone::wipe() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace fencewise
