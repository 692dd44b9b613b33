#include "tests/support/lockstep.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "kernels/core/interpreter.h"

namespace fencewise::testing {
namespace {

using Mask = std::vector<bool>;  // [thread of the block]

struct Thread {
  std::array<std::uint32_t, variables> v{};
  float f = 1;
};

struct WordHistory {
  std::set<std::uint32_t> read, wrote, atomics;  // warps, since the last barrier
};

bool another(const std::set<std::uint32_t>& warps, std::uint32_t warp) {
  return std::any_of(warps.begin(), warps.end(), [&](std::uint32_t w) { return w != warp; });
}

// What cvt.rzi.u32.f32 gives.
std::uint32_t to_u32(float f) {
  if (std::isnan(f) || f <= 0) return 0;
  return f >= 4294967296.0F ? 0xffff'ffffU : static_cast<std::uint32_t>(f);
}

class LockstepBlock {
 public:
  LockstepBlock(const RandomKernel& random, std::uint32_t block, LockstepResult& result)
      : random_(random), block_(block), result_(result), threads_(random.threads), shared_(shared_length) {}

  void run() {
    Mask all(random_.threads, true);
    for (const Statement& s : random_.statements) execute(s, all);
    for (std::uint32_t v = 0; v <= variables; ++v) write_out(all, v);
  }

 private:
  // --- warps and lanes ---

  [[nodiscard]] std::uint32_t warps() const { return (random_.threads + 31) / 32; }
  // The active threads of a warp, ascending.
  [[nodiscard]] static std::vector<std::uint32_t> active(const Mask& mask, std::uint32_t warp) {
    std::vector<std::uint32_t> threads;
    for (std::uint32_t t = warp * 32; t < std::min<std::size_t>(mask.size(), warp * 32 + 32); ++t)
      if (mask[t]) threads.push_back(t);
    return threads;
  }
  // Calls f for each warp with an active lane.
  template <class F> void each_warp(const Mask& mask, const F& f) const {
    for (std::uint32_t w = 0; w < warps(); ++w) {
      const std::vector<std::uint32_t> threads = active(mask, w);
      if (!threads.empty()) f(w, threads);
    }
  }
  void count(std::uint64_t& counter, std::uint64_t units, std::size_t lanes) {
    counter += units;
    result_.counters.warp_instr += units;
    result_.counters.lane_instr += units * lanes;
  }

  // A load, store, atomic or barrier of these threads.
  void step(const std::vector<std::uint32_t>& threads) {
    for (const std::uint32_t t : threads) ++result_.memory_and_barriers[block_ * random_.threads + t];
  }

  [[nodiscard]] std::uint32_t value(const Linear& l, std::uint32_t t) const {
    std::uint32_t base = 1;
    if (l.base == Linear::Base::tid) base = t;
    if (l.base == Linear::Base::ctaid) base = block_;
    if (l.base == Linear::Base::variable) base = threads_[t].v[l.variable];
    return base * l.factor + l.plus;
  }
  [[nodiscard]] bool holds(const Condition& c, std::uint32_t t) const {
    const std::uint32_t a = value(c.value, t) & c.mask;
    switch (c.op) {
      case Compare::eq: return a == c.constant;
      case Compare::ne: return a != c.constant;
      case Compare::lt: return a < c.constant;
      case Compare::le: return a <= c.constant;
      case Compare::gt: return a > c.constant;
      case Compare::ge: return a >= c.constant;
    }
    return false;
  }
  [[nodiscard]] Mask restricted(const Mask& mask, const Condition& c, bool wanted) const {
    Mask out = mask;
    for (std::uint32_t t = 0; t < out.size(); ++t) out[t] = mask[t] && holds(c, t) == wanted;
    return out;
  }

  // --- statements ---

  void execute(const std::vector<Statement>& statements, const Mask& mask) {
    for (const Statement& s : statements) execute(s, mask);
  }

  void execute(const Statement& s, const Mask& outer) {
    const Mask mask = s.masked ? restricted(outer, s.condition, true) : outer;
    Counters& c = result_.counters;
    switch (s.kind) {
      case Statement::Kind::assign:
        return each_warp(mask, [&](std::uint32_t, const auto& threads) {
          for (const std::uint32_t t : threads) threads_[t].v[s.target] = value(s.value, t);
        });
      case Statement::Kind::fma:
        return each_warp(mask, [&](std::uint32_t, const auto& threads) {
          count(c.ffma_instr, 1, threads.size());
          c.fma += threads.size();
          for (const std::uint32_t t : threads) {
            Thread& x = threads_[t];
            x.f = std::fma(x.f, static_cast<float>(x.v[s.source] & 15U), x.f);
          }
        });
      case Statement::Kind::compute:
        return each_warp(
            mask, [&](std::uint32_t, const auto& threads) { count(c.alu_instr, s.amount, threads.size()); });
      case Statement::Kind::load:
      case Statement::Kind::store:
      case Statement::Kind::atomic:
        return each_warp(mask, [&](std::uint32_t w, const auto& threads) { access(s, w, threads); });
      case Statement::Kind::shuffle:
        return each_warp(mask, [&](std::uint32_t, const auto& threads) { shuffle(s, threads); });
      case Statement::Kind::ballot: return ballot(s, mask);
      case Statement::Kind::barrier: return barrier(mask);
      case Statement::Kind::branch: return branch(s, mask);
      case Statement::Kind::loop: return loop(s, mask);
    }
  }

  void branch(const Statement& s, const Mask& mask) {
    const Mask yes = restricted(mask, s.condition, true), no = restricted(mask, s.condition, false);
    each_warp(mask, [&](std::uint32_t w, const auto& threads) {
      count(result_.counters.branch_instr, 1, threads.size());
      const std::size_t entering = active(yes, w).size();
      result_.counters.divergent += entering > 0 && entering < threads.size();
    });
    execute(s.body, yes);
    execute(s.other, no);
  }

  void loop(const Statement& s, const Mask& mask) {
    std::vector<std::uint32_t> bound(mask.size());
    for (std::uint32_t t = 0; t < mask.size(); ++t) bound[t] = value(s.value, t) & 3U;
    for (std::uint32_t i = 0; i < 3; ++i) {
      Mask inside = mask;
      for (std::uint32_t t = 0; t < mask.size(); ++t) inside[t] = mask[t] && i < bound[t];
      execute(s.body, inside);
    }
  }

  void barrier(const Mask& mask) {
    each_warp(mask, [&](std::uint32_t, const auto& threads) {
      count(result_.counters.bar_instr, 1, threads.size());
      step(threads);
    });
    ++result_.counters.barriers;
    history_.clear();
  }

  void shuffle(const Statement& s, const std::vector<std::uint32_t>& threads) {
    count(result_.counters.shfl_instr, 1, threads.size());
    std::map<std::uint32_t, std::uint32_t> values;  // lane -> value; inactive lanes read 0
    for (const std::uint32_t t : threads) values[t % 32] = threads_[t].v[s.source];
    for (const std::uint32_t t : threads) {
      const auto lane = static_cast<int>(t % 32), distance = static_cast<int>(s.amount % 32);
      int from = lane;
      if (s.mode == ShuffleMode::up) from = lane - distance;
      if (s.mode == ShuffleMode::down) from = lane + distance;
      if (s.mode == ShuffleMode::bfly) from = lane ^ distance;
      if (s.mode == ShuffleMode::idx) from = distance;
      if (from < 0 || from > 31) from = lane;
      const auto it = values.find(static_cast<std::uint32_t>(from));
      threads_[t].v[s.target] = it == values.end() ? 0 : it->second;
    }
  }

  void ballot(const Statement& s, const Mask& mask) {
    each_warp(mask, [&](std::uint32_t, const auto& threads) {
      std::uint32_t votes = 0;
      for (const std::uint32_t t : threads)
        votes |= static_cast<std::uint32_t>(holds(s.condition, t)) << (t % 32);
      for (const std::uint32_t t : threads) threads_[t].v[s.target] = votes;
    });
  }

  // --- memory ---

  [[nodiscard]] std::uint32_t index_of(const Statement& s, std::uint32_t t) const {
    const std::uint32_t length = s.shared ? shared_length : global_length / 2;
    const std::uint32_t inside = (value(s.value, t) & (length / s.width - 1)) * s.width;
    return s.shared ? inside : inside + block_ * (global_length / 2);
  }

  void access(const Statement& s, std::uint32_t warp, const std::vector<std::uint32_t>& threads) {
    std::map<std::uint32_t, std::uint32_t> first;  // lane -> element
    for (const std::uint32_t t : threads) first[t % 32] = index_of(s, t);
    step(threads);
    account(s, threads.size(), first);
    if (s.shared) races(s, warp, first);
    std::vector<std::uint32_t>& memory = s.shared ? shared_ : result_.global;
    for (const std::uint32_t t : threads) {
      for (std::uint32_t e = 0; e < s.width; ++e) {
        std::uint32_t& element = memory[first[t % 32] + e];
        Thread& x = threads_[t];
        if (s.kind == Statement::Kind::load) x.v[(s.target + e) % variables] = element;
        if (s.kind == Statement::Kind::store) element = x.v[(s.source + e) % variables];
        if (s.kind == Statement::Kind::atomic) {
          const std::uint32_t old = element;
          element = old + x.v[s.source];
          x.v[s.target] = old;
        }
      }
    }
  }

  void account(const Statement& s, std::size_t lanes, const std::map<std::uint32_t, std::uint32_t>& first) {
    Counters& c = result_.counters;
    if (s.kind == Statement::Kind::atomic) return count(c.atom_instr, 1, lanes);
    const bool load = s.kind == Statement::Kind::load;
    if (s.shared) {
      count(load ? c.lds_instr : c.sts_instr, 1, lanes);
      wavefronts(s, first, load ? c.lds_wavefronts : c.sts_wavefronts,
                 load ? c.ideal_lds_wavefronts : c.ideal_sts_wavefronts);
      return;
    }
    count(load ? c.gld_instr : c.gst_instr, 1, lanes);
    std::set<std::uint32_t> lines, sectors;
    for (const auto& [lane, element] : first)
      for (std::uint32_t byte = element * 4; byte < (element + s.width) * 4; ++byte) {
        lines.insert(byte / 128);
        sectors.insert(byte / 32);
      }
    (load ? c.gld_lines : c.gst_lines) += lines.size();
    (load ? c.gld_sectors : c.gst_sectors) += sectors.size();
  }

  static void wavefronts(const Statement& s, const std::map<std::uint32_t, std::uint32_t>& first,
                         std::uint64_t& taken, std::uint64_t& ideal) {
    for (std::uint32_t phase = 0; phase < s.width; ++phase) {
      std::map<std::uint32_t, std::set<std::uint32_t>> banks;
      for (const auto& [lane, element] : first)
        if (lane / (32 / s.width) == phase)
          for (std::uint32_t word = element; word < element + s.width; ++word) banks[word % 32].insert(word);
      std::size_t most = 0;
      for (const auto& [bank, words] : banks) most = std::max(most, words.size());
      taken += most;
      ideal += !banks.empty();
    }
  }

  void races(const Statement& s, std::uint32_t warp, const std::map<std::uint32_t, std::uint32_t>& first) {
    for (const auto& [lane, element] : first)
      for (std::uint32_t word = element; word < element + s.width; ++word) {
        const WordHistory& h = history_[word];
        bool race = another(h.wrote, warp);
        if (s.kind == Statement::Kind::load) race |= another(h.atomics, warp);
        if (s.kind == Statement::Kind::store) race |= another(h.atomics, warp) || another(h.read, warp);
        if (s.kind == Statement::Kind::atomic) race |= another(h.read, warp);
        result_.counters.race_count += race;
      }
    for (const auto& [lane, element] : first)
      for (std::uint32_t word = element; word < element + s.width; ++word) {
        WordHistory& h = history_[word];
        if (s.kind == Statement::Kind::load) h.read.insert(warp);
        if (s.kind == Statement::Kind::store) h.wrote.insert(warp);
        if (s.kind == Statement::Kind::atomic) h.atomics.insert(warp);
      }
  }

  // The stores of the variables at the kernel's end.
  void write_out(const Mask& all, std::uint32_t v) {
    each_warp(all, [&](std::uint32_t, const auto& threads) {
      Counters& c = result_.counters;
      count(c.gst_instr, 1, threads.size());
      step(threads);
      std::set<std::uint32_t> lines, sectors;
      for (const std::uint32_t t : threads) {
        const std::uint32_t element = (block_ * random_.threads + t) * (variables + 1) + v;
        lines.insert(element * 4 / 128);
        sectors.insert(element * 4 / 32);
        result_.out[element] = v < variables ? threads_[t].v[v] : to_u32(threads_[t].f);
      }
      c.gst_lines += lines.size();
      c.gst_sectors += sectors.size();
    });
  }

  const RandomKernel& random_;
  std::uint32_t block_;
  LockstepResult& result_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> shared_;
  std::map<std::uint32_t, WordHistory> history_;
};

}  // namespace

LockstepResult run_lockstep(const RandomKernel& random) {
  LockstepResult result;
  result.global.resize(global_length);
  for (std::uint32_t i = 0; i < global_length; ++i) result.global[i] = i * 3;
  result.out.resize(std::size_t{random.blocks} * random.threads * (variables + 1));
  result.memory_and_barriers.resize(std::size_t{random.blocks} * random.threads);
  for (std::uint32_t b = 0; b < random.blocks; ++b) LockstepBlock(random, b, result).run();
  return result;
}

// --- the interpreter, in turn ---

namespace {

Problem problem_of(const RandomKernel& random) {
  Problem problem;
  problem.name = "random";
  problem.kernels = {build(random)};
  const auto buffer = [](const char* name, std::uint64_t length) {
    Buffer b;
    b.name = name;
    b.length = length;
    return b;
  };
  problem.buffers = {buffer("g", global_length),
                     buffer("out", std::uint64_t{random.blocks} * random.threads * (variables + 1))};
  Launch launch;
  launch.kernel = KernelId{0};
  launch.grid = {random.blocks, 1, 1};
  launch.block = {random.threads, 1, 1};
  problem.launches = {launch};
  return problem;
}

class RoundRobin {
 public:
  explicit RoundRobin(const RandomKernel& random)
      : problem_(problem_of(random)),
        image_(image_of(problem_, LaunchId{0})),
        interpreter_(terms_, image_.memory, nullptr) {
    for (std::uint32_t a = 0; a < image_.memory.size(); ++a) memory_.emplace_back(image_.memory[a].bytes / 4);
    for (std::uint32_t i = 0; i < global_length; ++i) memory_[0][i] = i * 3;
    for (const ThreadProgram& program : image_.threads) states_.push_back(initial_state(program, false));
    status_.resize(states_.size());
    counted_.resize(states_.size());
  }

  RoundRobinResult run() {
    while (round()) release_barriers();
    return {memory_[0], memory_[1], counted_};
  }

 private:
  enum class Status : std::uint8_t { ready, waiting, done };

  // One step of every thread that can take one. False when all are done.
  bool round() {
    bool going = false;
    for (std::uint32_t t = 0; t < states_.size(); ++t) {
      if (status_[t] == Status::ready) step(t);
      going |= status_[t] != Status::done;
    }
    return going;
  }

  void step(std::uint32_t t) {
    const ThreadProgram& program = image_.threads[t];
    const Action action = interpreter_.next(program, states_[t]);
    switch (action.kind) {
      case Action::Kind::load:
      case Action::Kind::atomic: {
        ++counted_[t];
        const Value old = Value::number(word(action));
        if (const auto* atomic = std::get_if<Atomic>(&action.instruction->operation))
          word(action) = static_cast<std::uint32_t>(
              *compute_atomic(atomic->op, Type::u32, old.bits(), action.operands[0].bits(), 0));
        return interpreter_.finish(program, states_[t], std::array{old});
      }
      case Action::Kind::store:
        ++counted_[t];
        word(action) = static_cast<std::uint32_t>(action.operands[0].bits());
        return interpreter_.finish(program, states_[t]);
      case Action::Kind::barrier:
        ++counted_[t];
        status_[t] = Status::waiting;
        return;
      case Action::Kind::loop_header: return;
      case Action::Kind::exit: status_[t] = Status::done; return;
      default: throw std::logic_error("an action that tidy random kernels don't have: " + action.text);
    }
  }

  std::uint32_t& word(const Action& action) {
    return memory_[action.place.location.storage][action.place.location.offset / 4];
  }

  // A block's barrier opens when no thread of the block is still on its way.
  void release_barriers() {
    for (std::uint32_t cta = 0; cta < image_.ctas; ++cta) {
      const auto each = [&](const auto& f) {
        for (std::uint32_t t = 0; t < states_.size(); ++t)
          if (image_.cta_of[t] == cta) f(t);
      };
      bool all = true;
      each([&](std::uint32_t t) { all &= status_[t] != Status::ready; });
      if (!all) continue;
      each([&](std::uint32_t t) {
        if (status_[t] != Status::waiting) return;
        interpreter_.finish(image_.threads[t], states_[t]);
        status_[t] = Status::ready;
      });
    }
  }

  Problem problem_;
  LaunchImage image_;
  Terms terms_;
  Interpreter interpreter_;
  std::vector<std::vector<std::uint32_t>> memory_;  // [storage]
  std::vector<ThreadState> states_;
  std::vector<Status> status_;
  std::vector<std::uint64_t> counted_;  // [thread]
};

}  // namespace

RoundRobinResult run_round_robin(const RandomKernel& random) { return RoundRobin(random).run(); }

}  // namespace fencewise::testing
