// Events and the execution graph: what happened in one execution, and which write each read saw.
//
// A graph holds only what is chosen (events, reads-from, the order of morally strong writes, the order of
// fence.sc); everything that follows from it is computed in relations.h. It knows neither values nor programs.
//
// An atomic or red is one operation with a read half and a write half, two events linked by `rmw`; an atomic
// that writes nothing (a failing cas under the ISA) is a lone read half with `atomic` set.
// A barrier operation is an `arrive` event, a `wait` event, or one after the other (bar.sync).
// Graphs may be partial: a read without a source, a memory event whose location is not known yet. Every relation
// only grows when a graph is completed, so a partial graph that violates an axiom has no consistent completion.
//
// Source: PTX ISA 9.1, Memory Consistency Model, "Memory Operations" and "Orders" (8.2, 8.9).
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "memmodel/operation.h"
#include "memmodel/scope.h"

namespace fencewise {

// Index into ExecutionGraph::events.
using EventId = std::uint32_t;
inline constexpr EventId no_event = std::numeric_limits<EventId>::max();

// Index into ExecutionGraph::threads. Initial writes and the host have no thread.
using ThreadId = std::uint32_t;
inline constexpr ThreadId no_thread = std::numeric_limits<ThreadId>::max();

// A range of bytes: `size` bytes at byte `offset` of a storage (one allocation). size 0: not known yet.
struct Location {
  std::uint32_t storage = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;

  [[nodiscard]] constexpr bool known() const { return size != 0; }
  friend auto operator<=>(const Location&, const Location&) = default;
};

[[nodiscard]] constexpr bool overlap(const Location& a, const Location& b) {
  return a.storage == b.storage && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

enum class EventKind : std::uint8_t {
  init,  // initial write: before every thread; no thread
  read,
  write,
  fence,
  proxy_fence,
  arrive,  // sends to the waits of its barrier phase
  wait,    // receives from the arrivals of its barrier phase
};

struct Event {
  EventKind kind = EventKind::init;
  Order order = Order::weak;
  Scope scope = Scope::sys;
  Proxy proxy = Proxy::generic;
  ProxyFence proxy_fence = ProxyFence::generic;
  bool atomic = false;  // a half of an atom or red
  bool red = false;     // a half of a red
  ThreadId thread = no_thread;
  // Place in program order within the thread. Equal numbers are unordered (elements of a vector access).
  std::uint32_t po = 0;
  Location location;        // memory events
  std::uint32_t alias = 0;  // which virtual name of the storage; 0 is the storage's own
  EventId rmw = no_event;   // the other half of an atomic that has both

  [[nodiscard]] bool is_memory() const {
    return kind == EventKind::init || kind == EventKind::read || kind == EventKind::write;
  }
  [[nodiscard]] bool is_write() const { return kind == EventKind::init || kind == EventKind::write; }
  [[nodiscard]] bool is_read() const { return kind == EventKind::read; }
};

struct Edge {
  EventId from = no_event;
  EventId to = no_event;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};

struct ExecutionGraph {
  std::vector<Placement> threads;  // [thread]
  std::vector<Event> events;       // [event]
  std::vector<EventId> rf;         // [event]: for a read, the write it reads from; else no_event
  std::vector<Edge> co;        // chosen order of writes to one location; what follows from it may be left out
  std::vector<Edge> fence_sc;  // chosen order of fence.sc
  std::vector<Edge> sync;      // arrive -> wait of one barrier phase
  std::vector<Edge> dep;       // read -> event that depends on its value (address, data or control)

  // Appends an event with no source; returns its id.
  EventId add(const Event& event);
  void clear();
};

}  // namespace fencewise
