// The built-in protocols, one function each. catalogue.cpp lists them; each is defined in the file of its name (the
// classics together, in classics.cpp; the spin locks in spin_lock.cpp, the scans in scan.cpp).
#pragma once

#include "protocols/protocol.h"

namespace fencewise::protocols {

[[nodiscard]] Protocol splitk_serial();
[[nodiscard]] Protocol splitk_atomic();
[[nodiscard]] Protocol reverse();
[[nodiscard]] std::vector<Protocol> reductions();
[[nodiscard]] std::vector<Protocol> gemms();
[[nodiscard]] Protocol splitk_gemv();
[[nodiscard]] Protocol splitk_gemv_atomic();
[[nodiscard]] Protocol ticket_lock();
[[nodiscard]] Protocol cas_lock();
[[nodiscard]] Protocol exch_lock();
[[nodiscard]] Protocol lock_per_lane();
[[nodiscard]] Protocol grid_barrier_sense();
[[nodiscard]] Protocol grid_barrier_counter();
[[nodiscard]] Protocol message_passing();
[[nodiscard]] Protocol streamk_fixup();
[[nodiscard]] Protocol scan_single_pass();
[[nodiscard]] Protocol scan_lookback();
[[nodiscard]] Protocol zero_while_adding();
[[nodiscard]] Protocol named_halves();
[[nodiscard]] Protocol mp();
[[nodiscard]] Protocol sb();
[[nodiscard]] Protocol lb();
[[nodiscard]] Protocol iriw();
[[nodiscard]] Protocol corr();

}  // namespace fencewise::protocols
