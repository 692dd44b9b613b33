// Faults on purpose: each leaves out one condition of a rule or of a reduction. Tests switch them on and see whether they notice.
#pragma once

#include <cstdint>

namespace fencewise::view {

enum class Mutation : std::uint8_t {
  none,
  // rules
  release_keeps_segment,       // accesses after a release are taken for released by it
  acquire_takes_what_it_read,  // not what earlier reads of the location saw
  red_acquires,                // the read of a red may begin an acquire pattern
  atomics_share_a_write,       // two atomics may read one write
  chain_is_cut,                // an atomic does not pass on what the write it read released
  stores_come_last,            // a store goes behind all others in coherence order
  loads_are_fresh,             // a load sees what is newest
  fence_sc_takes_nothing,      // fence.sc only deposits
  barrier_gives_nothing,       // who waits at a barrier learns nothing
  scopes_are_wide,             // any two strong accesses are morally strong
  // reductions
  message_dropped_early,       // one position below what everybody knows
  glued_are_unread,            // messages that an atomic has read are dropped where loads may still read them
  strong_accesses_forgotten,   // strong past accesses are taken to race with nothing
  records_merged_unseen,       // merged records compare no columns
  less_known_is_dropped,       // a state that knows less than a stored one is dropped
  one_cta_for_all,             // all CTAs count as interchangeable when one is to be chosen
  early_loads_unchecked,       // whether anybody writes where a load was taken early is not looked at
  deposit_at_once,             // one-sided fences deposit where they stand
  livelock_from_any_cycle,     // also one that its threads may leave
  livelock_never,              // cycles are not looked at
};
inline constexpr std::uint8_t mutations = static_cast<std::uint8_t>(Mutation::livelock_never) + 1;

}  // namespace fencewise::view
