// Does many jobs on several threads, and hands over what they gave one after the other, in their order.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace fencewise {

// `work(i)` for each i < count on `workers` threads; `done(i, result)` on the calling thread, for i = 0, 1, ... as soon as
// it is known; `waiting()` on the calling thread about once a second while there is nothing to hand over. An exception of
// `work` is thrown again where its result would be handed over; then, or where `done` throws, no further job is begun.
template <class Result>
void in_order(std::size_t count, unsigned workers, const std::function<Result(std::size_t)>& work,
              const std::function<void(std::size_t, Result)>& done, const std::function<void()>& waiting) {
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
  };
  std::vector<Slot> slots(count);
  std::mutex mutex;  // guards slots
  std::condition_variable filled;
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      Slot slot;
      try {
        slot.result.emplace(work(i));
      } catch (...) {
        slot.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      slots[i] = std::move(slot);
      filled.notify_one();
    }
  };
  std::vector<std::jthread> threads;  // joined last in, first out, before what they use goes
  struct StopAtExit {
    std::atomic<std::size_t>& next;
    std::size_t count;
    ~StopAtExit() { next = count; }
  } const stop{next, count};
  for (unsigned n = 0; n < workers && n < count; ++n) threads.emplace_back(loop);
  for (std::size_t i = 0; i < count; ++i) {
    std::unique_lock lock(mutex);
    const auto ready = [&] { return slots[i].result.has_value() || slots[i].failure != nullptr; };
    while (!filled.wait_for(lock, std::chrono::seconds(1), ready)) {
      lock.unlock();
      waiting();
      lock.lock();
    }
    Slot slot = std::move(slots[i]);
    slots[i] = Slot{};
    lock.unlock();
    if (slot.failure != nullptr) std::rethrow_exception(slot.failure);
    done(i, std::move(*slot.result));
  }
}

}  // namespace fencewise
