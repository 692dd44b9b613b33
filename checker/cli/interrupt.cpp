#include "checker/cli/interrupt.h"

#include <csignal>

namespace fencewise {
namespace {

// The one global: a signal handler can reach nothing else.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_interrupt(int signal) {
  interrupted.store(true, std::memory_order_relaxed);  // a flag alone, it publishes nothing
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  return interrupted;
}

}  // namespace fencewise
