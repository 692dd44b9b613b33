#include "checker/explore/view/state.h"

#include <algorithm>

namespace fencewise::view {

void Cell::remember(const AccessKind& kind, Record record, Origin origin) {
  auto at = std::lower_bound(accesses.begin(), accesses.end(), kind, [](const PastAccesses& a, const AccessKind& k) { return a.kind < k; });
  if (at == accesses.end() || at->kind != kind) at = accesses.insert(at, {kind, {}, {}});
  if (at->records.knows(record)) return;
  at->records.add(record);
  if (origin == no_origin) return;
  at->origins.resize(std::max<std::size_t>(at->origins.size(), record + 1), no_origin);
  at->origins[record] = origin;
}

void Cell::unite_accesses() {
  std::stable_sort(accesses.begin(), accesses.end(), [](const PastAccesses& a, const PastAccesses& b) { return a.kind < b.kind; });
  for (std::size_t n = 1; n < accesses.size();) {
    PastAccesses &one = accesses[n - 1], &other = accesses[n];
    if (one.kind != other.kind) {
      ++n;
      continue;
    }
    one.records.merge(other.records);
    one.origins.resize(std::max(one.origins.size(), other.origins.size()), no_origin);
    for (std::size_t r = 0; r < other.origins.size(); ++r)
      if (one.origins[r] == no_origin) one.origins[r] = other.origins[r];
    accesses.erase(accesses.begin() + static_cast<std::ptrdiff_t>(n));
  }
}

namespace {

class Encoder {
 public:
  explicit Encoder(const State& s) : state_(s) {}

  Control run() {
    std::uint64_t cells = 0;
    for (const Cell& c : state_.cells) cells += static_cast<std::uint64_t>(!c.messages.empty());
    put(cells);
    end_piece();
    for (const Thread& t : state_.threads) {
      thread(t);
      end_piece();
    }
    for (CellId c = 0; c < state_.cells.size(); ++c)
      if (!state_.cells[c].messages.empty()) {
        cell(c, state_.cells[c]);
        end_piece();
      }
    put(state_.arrivals.size());
    for (const Arrival& a : state_.arrivals) {
      put(a.thread);
      put(std::uint64_t{a.waits} | a.id << 1U | a.count << 20U);
      put(a.instance ? *a.instance + 1 : 0);
      put(a.predicate);
      put(a.where.block.value);
      put(a.where.index);
    }
    end_piece();
    return std::move(control_);
  }

 private:
  void put(std::uint64_t n) {  // seven bits a byte
    for (; n >= 128; n >>= 7U) control_.bytes.push_back(static_cast<char>(n | 128U));
    control_.bytes.push_back(static_cast<char>(n));
  }
  void end_piece() { control_.ends.push_back(static_cast<std::uint32_t>(control_.bytes.size())); }
  void put(Value v) {
    put(v.term());
    if (v.is_number()) put(v.bits());
  }
  void thread(const Thread& t) {
    put(static_cast<std::uint64_t>(t.status) | std::uint64_t{t.deposited} << 4U | std::uint64_t{t.stepped} << 5U | std::uint64_t{t.looked} << 6U |
        std::uint64_t{t.past_barriers} << 7U);
    put(t.state.registers.size());
    if (t.status == Status::exited && t.state.registers.empty()) return;
    put(t.state.block.value);
    put(t.state.index);
    for (const Value v : t.state.registers) put(v);
    put(t.swept.size());
    for (const auto& [sum, l] : t.swept) {
      put(sum);
      put(l.storage);
      put(l.offset);
      put(l.size);
    }
  }
  void cell(CellId number, const Cell& c) {
    put(number);
    put(c.messages.size());
    for (const Message& m : c.messages) {
      put(m.value);
      put(std::uint64_t{m.strong} | std::uint64_t{m.glued} << 1U | std::uint64_t{m.initial} << 2U | std::uint64_t{m.level} << 3U |
          std::uint64_t{m.place} << 6U);
    }
  }

  const State& state_;
  Control control_;
};

// Reads what Encoder wrote, in the same order.
class Decoder {
 public:
  explicit Decoder(const std::string& bytes) : next_(bytes.data()) {}

  State run(const State& like) {
    State s;
    s.threads.resize(like.threads.size());
    std::uint64_t cells = get();
    for (std::size_t t = 0; t < s.threads.size(); ++t) thread(s.threads[t]);
    for (; cells > 0; --cells) cell(s.cells);
    s.arrivals.resize(get());
    for (Arrival& a : s.arrivals) {
      a.thread = static_cast<ThreadId>(get());
      const std::uint64_t bits = get();
      a.waits = (bits & 1U) != 0;
      a.id = bits >> 1U & 0x7'ffffU;
      a.count = bits >> 20U;
      const std::uint64_t instance = get();
      if (instance != 0) a.instance = static_cast<std::uint32_t>(instance - 1);
      a.predicate = value();
      a.where.block.value = static_cast<std::uint32_t>(get());
      a.where.index = static_cast<std::uint32_t>(get());
    }
    return s;
  }

 private:
  std::uint64_t get() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*next_++);
      n |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return n;
    }
  }
  Value value() {
    const auto term = static_cast<std::uint32_t>(get());
    return term == 0 ? Value::number(get()) : Value::of_term(term);
  }
  void thread(Thread& t) {
    const std::uint64_t bits = get();
    t.status = static_cast<Status>(bits & 15U);
    t.deposited = (bits >> 4U & 1U) != 0;
    t.stepped = (bits >> 5U & 1U) != 0;
    t.looked = (bits >> 6U & 1U) != 0;
    t.past_barriers = (bits >> 7U & 1U) != 0;
    t.state.registers.resize(get());
    if (t.status == Status::exited && t.state.registers.empty()) return;
    t.state.block.value = static_cast<std::uint32_t>(get());
    t.state.index = static_cast<std::uint32_t>(get());
    for (Value& v : t.state.registers) v = value();
    t.swept.resize(get());
    for (auto& [sum, l] : t.swept) {
      sum = static_cast<std::uint32_t>(get());
      l.storage = static_cast<std::uint32_t>(get());
      l.offset = static_cast<std::uint32_t>(get());
      l.size = static_cast<std::uint32_t>(get());
    }
  }
  void cell(SharedVector<Cell>& cells) {
    const std::uint64_t number = get();
    if (cells.size() <= number) cells.resize(number + 1);
    Cell& c = cells[number];
    c.messages.resize(get());
    for (Message& m : c.messages) {
      m.value = value();
      const std::uint64_t bits = get();
      m.strong = (bits & 1U) != 0;
      m.glued = (bits & 2U) != 0;
      m.initial = (bits & 4U) != 0;
      m.level = static_cast<Level>(bits >> 3U & 7U);
      m.place = static_cast<Place>(bits >> 6U);
    }
  }

  const char* next_;
};

}  // namespace

State decode_control(const std::string& bytes, const State& like) { return Decoder(bytes).run(like); }

Control encode_control(const State& state) { return Encoder(state).run(); }

}  // namespace fencewise::view
