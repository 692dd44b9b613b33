#include "checker/explore/budget.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <unistd.h>

namespace fencewise {
namespace {

// Steps take from a microsecond to a tenth of a second.
constexpr std::uint32_t most_between_looks = 64;
constexpr double seconds_between_looks = 0.005;

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Budget::Budget(const Limits& limits, const Progress& progress)
    : limits_(limits), progress_(progress), start_(std::chrono::steady_clock::now()) {
  if (!limits_.since) limits_.since = start_;
}

Budget::Budget(Budget& whole, std::uint64_t steps) : whole_(&whole), steps_(steps), start_(whole.start_), reason_(whole.reason_) {}

double Budget::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

bool Budget::spend(const SearchStats& stats) {
  if (exhausted()) return false;
  if (whole_ != nullptr && stats.steps >= steps_) reason_ = fmt::format("a part of the search took {} steps", steps_);
  if (limits_.graphs != 0 && stats.graphs >= limits_.graphs)
    reason_ = fmt::format("the limit of {} graphs was reached (--max-graphs)", limits_.graphs);
  if (limits_.states != 0 && stats.states >= limits_.states)
    reason_ = fmt::format("the limit of {} states was reached (--max-states)", limits_.states);
  if (exhausted()) return false;
  if (--countdown_ != 0) return true;
  const double now = seconds();
  between_looks_ = now - last_look_ > seconds_between_looks ? std::max(between_looks_ / 2, 1U) : std::min(between_looks_ * 2, most_between_looks);
  last_look_ = now;
  countdown_ = between_looks_;
  look();
  if (whole_ == nullptr) report(stats);
  return !exhausted();
}

void Budget::look(std::size_t bytes) {
  if (whole_ != nullptr) {
    whole_->look(bytes);
    reason_ = whole_->reason_;
    return;
  }
  if (progress_.stop != nullptr && progress_.stop->load(std::memory_order_relaxed)) reason_ = "interrupted";
  if (limits_.seconds_left() < 0)
    reason_ = fmt::format("the limit of {} seconds was reached (--max-seconds)", limits_.seconds);
  if (limits_.memory_bytes != 0 && resident_bytes() + bytes > limits_.memory_bytes)
    reason_ =
        fmt::format("the limit of {} MiB of memory was reached (--max-memory)", limits_.memory_bytes >> 20U);
}

void Budget::report(const SearchStats& stats) {
  const double now = seconds();
  if (!progress_.report || now - last_report_ < 1) return;
  last_report_ = now;
  progress_.report(stats);
}

}  // namespace fencewise
