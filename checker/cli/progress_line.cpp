#include "checker/cli/progress_line.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace fencewise {

StatusLine::StatusLine(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) != 0) {}

void StatusLine::show(std::string_view text) {
  if (!wanted_) return;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::wipe() {
  if (shown_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

Progress ProgressLine::sink(const std::atomic<bool>& stop) {
  Progress progress;
  progress.stop = &stop;
  if (line_.wanted())
    progress.report = [this](const SearchStats& s) {
      line_.show(fmt::format("graphs={} states={} steps={} finish_orders={}", s.graphs, s.states, s.steps, s.finish_orders));
    };
  return progress;
}

void JobsDone::show(std::size_t done) { line_.show(fmt::format("{}={}/{}", what_, done, all_)); }

}  // namespace fencewise
