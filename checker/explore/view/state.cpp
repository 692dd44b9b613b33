#include "checker/explore/view/state.h"

namespace fencewise::view {
namespace {

class Encoder {
 public:
  explicit Encoder(const State& s) : state_(s), words_((s.records + 63) / 64) {}

  Encoding run() {
    put(state_.records);
    for (const Thread& t : state_.threads) thread(t);
    for (CellId c = 0; c < state_.cells.size(); ++c)
      if (!state_.cells[c].messages.empty()) cell(c, state_.cells[c]);
    put(state_.arrivals.size());
    for (const Arrival& a : state_.arrivals) {
      put(a.thread);
      put(std::uint64_t{a.waits} | a.id << 1U | a.count << 20U);
      put(a.instance ? *a.instance + 1 : 0);
      put(a.predicate);
      put(a.known);
    }
    put(state_.fence_sc);
    return std::move(out_);
  }

 private:
  void put(std::uint64_t n) {  // seven bits a byte
    for (; n >= 128; n >>= 7U) out_.control.push_back(static_cast<char>(n | 128U));
    out_.control.push_back(static_cast<char>(n));
  }
  void put(Value v) {
    put(v.term());
    if (v.is_number()) put(v.bits());
  }
  void put_record(Record r) { put(r == no_record ? 0 : std::uint64_t{r} + 1); }
  void put(const View& v) {
    for (std::size_t i = 0; i < words_; ++i) {
      const std::uint64_t word = i < v.words().size() ? v.words()[i] : 0;
      out_.known.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
  }
  void put(const Structure& s) {
    put(s.views().size());
    for (const auto& [g, v] : s.views()) {
      put(g);
      put(v);
    }
  }
  void put(const std::map<CellId, Structure>& by_cell) {
    put(by_cell.size());
    for (const auto& [c, s] : by_cell) {
      put(c);
      put(s);
    }
  }
  void thread(const Thread& t) {
    put(static_cast<std::uint64_t>(t.status) | std::uint64_t{t.deposited} << 4U);
    if (t.status == Status::exited && t.state.registers.empty()) return;
    put(t.state.block.value);
    put(t.state.index);
    for (const Value v : t.state.registers) put(v);
    put_record(t.segment);
    put(t.known);
    put(t.fences);
    put(t.own);
    put(t.taken);
  }
  void cell(CellId number, const Cell& c) {
    put(number);
    put(c.messages.size());
    for (const Message& m : c.messages) {
      put(m.value);
      put_record(m.record);
      put(std::uint64_t{m.strong} | std::uint64_t{m.glued} << 1U | std::uint64_t{m.initial} << 2U | std::uint64_t{m.level} << 3U |
          std::uint64_t{m.place} << 6U);
      put(m.seen);
      put(m.released);
    }
    put(c.accesses.size());
    for (const PastAccess& a : c.accesses) {
      put_record(a.record);
      put(std::uint64_t{a.strong} | std::uint64_t{a.write} << 1U | std::uint64_t{a.level} << 2U | std::uint64_t{a.place} << 5U);
    }
  }

  const State& state_;
  std::size_t words_;
  Encoding out_;
};

}  // namespace

Encoding encode(const State& state) { return Encoder(state).run(); }

}  // namespace fencewise::view
