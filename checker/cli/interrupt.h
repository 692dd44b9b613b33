// Ctrl-C ends the search, not the program: what was explored is reported. A second Ctrl-C kills.
#pragma once

#include <atomic>

namespace fencewise {

// Installs the handler; the flag becomes true at the first SIGINT.
[[nodiscard]] const std::atomic<bool>& stop_on_interrupt();

}  // namespace fencewise
