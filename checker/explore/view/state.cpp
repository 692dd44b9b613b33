#include "checker/explore/view/state.h"

namespace fencewise::view {
namespace {

class Encoder {
 public:
  explicit Encoder(const State& s) : state_(s), words_((s.records + 63) / 64) {}

  Encoding run() {
    put(state_.records);
    for (const Thread& t : state_.threads) thread(t);
    std::uint64_t cells = 0;
    for (const Cell& c : state_.cells) cells += static_cast<std::uint64_t>(!c.messages.empty());
    put(cells);
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
    put(t.state.registers.size());
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

// Reads what Encoder wrote, in the same order.
class Decoder {
 public:
  Decoder(const std::string& control, const std::string& known) : control_(control.data()), known_(known.data()) {}

  State run(const State& like) {
    State s;
    s.records = static_cast<std::uint32_t>(get());
    words_ = (s.records + 63) / 64;
    s.threads.resize(like.threads.size());
    for (Thread& t : s.threads) thread(t);
    for (std::uint64_t n = get(); n > 0; --n) cell(s.cells);
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
      view(a.known);
    }
    structure(s.fence_sc);
    return s;
  }

 private:
  std::uint64_t get() {
    std::uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*control_++);
      n |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return n;
    }
  }
  Value value() {
    const auto term = static_cast<std::uint32_t>(get());
    return term == 0 ? Value::number(get()) : Value::of_term(term);
  }
  Record record() {
    const std::uint64_t n = get();
    return n == 0 ? no_record : static_cast<Record>(n - 1);
  }
  void view(View& v) {
    v.read(known_, words_);
    known_ += words_ * sizeof(std::uint64_t);
  }
  void structure(Structure& s) {
    for (std::uint64_t n = get(); n > 0; --n) {
      View& v = s[static_cast<Structure::Group>(get())];
      view(v);
    }
  }
  void by_cell(std::map<CellId, Structure>& structures) {
    for (std::uint64_t n = get(); n > 0; --n) {
      Structure& s = structures[static_cast<CellId>(get())];
      structure(s);
    }
  }
  void thread(Thread& t) {
    const std::uint64_t bits = get();
    t.status = static_cast<Status>(bits & 15U);
    t.deposited = (bits >> 4U & 1U) != 0;
    t.state.registers.resize(get());
    if (t.status == Status::exited && t.state.registers.empty()) return;
    t.state.block.value = static_cast<std::uint32_t>(get());
    t.state.index = static_cast<std::uint32_t>(get());
    for (Value& v : t.state.registers) v = value();
    t.segment = record();
    view(t.known);
    structure(t.fences);
    by_cell(t.own);
    by_cell(t.taken);
  }
  void cell(std::vector<Cell>& cells) {
    const std::uint64_t number = get();
    if (cells.size() <= number) cells.resize(number + 1);
    Cell& c = cells[number];
    c.messages.resize(get());
    for (Message& m : c.messages) {
      m.value = value();
      m.record = record();
      const std::uint64_t bits = get();
      m.strong = (bits & 1U) != 0;
      m.glued = (bits & 2U) != 0;
      m.initial = (bits & 4U) != 0;
      m.level = static_cast<Level>(bits >> 3U & 7U);
      m.place = static_cast<Place>(bits >> 6U);
      view(m.seen);
      structure(m.released);
    }
    c.accesses.resize(get());
    for (PastAccess& a : c.accesses) {
      a.record = record();
      const std::uint64_t bits = get();
      a.strong = (bits & 1U) != 0;
      a.write = (bits & 2U) != 0;
      a.level = static_cast<Level>(bits >> 2U & 7U);
      a.place = static_cast<Place>(bits >> 5U);
    }
  }

  const char* control_;
  const char* known_;
  std::size_t words_ = 0;
};

}  // namespace

State decode(const std::string& control, const std::string& known, const State& like) {
  return Decoder(control, known).run(like);
}

Encoding encode(const State& state) { return Encoder(state).run(); }

}  // namespace fencewise::view
