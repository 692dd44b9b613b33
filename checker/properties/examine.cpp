#include "checker/properties/examine.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "checker/properties/barrier_use.h"
#include "checker/properties/contract_check.h"
#include "checker/properties/determinism.h"
#include "checker/properties/final_memory.h"
#include "checker/properties/formula.h"
#include "checker/properties/missing_order.h"
#include "checker/properties/race.h"
#include "checker/properties/waiting.h"
#include "kernels/core/access.h"
#include "kernels/core/error.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

constexpr std::uint64_t most_final_choices = 4096;

int rank(FindingKind kind) {
  switch (kind) {
    case FindingKind::race: return 0;
    case FindingKind::mixed_size: return 1;
    case FindingKind::out_of_bounds: return 2;
    case FindingKind::misaligned: return 3;
    case FindingKind::trap: return 4;
    case FindingKind::barrier_divergence: return 5;
    case FindingKind::stuck: return 6;
    case FindingKind::livelock: return 7;
    case FindingKind::assertion: return 8;
    case FindingKind::order_dependent: return 9;
    case FindingKind::unwritten_read: return 10;
    case FindingKind::contract: return 11;
  }
  return 12;
}

class Examiner {
 public:
  Examiner(PartialExecution& x, Relations& r, const PlanPoint& point, const ExamineOptions& options)
      : x_(x), r_(r), c_(x.context()), point_(point), options_(options) {}

  Examination run() {
    if (!notice_threads()) {
      result_.counts = false;
      return std::move(result_);
    }
    if (result_.complete) result_.after = memory_after(x_, r_);
    find_races();
    find_barrier_misuse();
    find_unwritten_reads();
    find_incoherent_loads();
    if (result_.complete) {
      check_contract();
      check_assertions();
      compare_outputs();
    }
    sort_findings(result_.findings);
    return std::move(result_);
  }

 private:
  // `lack`: between the two of a race; else of the first read that saw an old value.
  Finding& add(FindingKind kind, std::string message, std::string location, const std::vector<EventId>& events,
               std::optional<OrderLack> lack = std::nullopt) {
    Finding f;
    f.kind = kind;
    f.message = std::move(message);
    f.location = std::move(location);
    f.launch = point_.number.replay;
    for (const EventId e : events) {
      const std::string who = thread_name(c_, x_.graph.events[e].thread);
      if (std::find(f.threads.begin(), f.threads.end(), who) == f.threads.end()) f.threads.push_back(who);
      add_line(f, source_of(x_, e));
    }
    f.witness.launches.push_back(witness_of(x_, r_, point_.number, events));
    const bool of_values = kind == FindingKind::assertion || kind == FindingKind::contract || kind == FindingKind::unwritten_read;
    if (!lack && of_values) lack = of_first_stale_read(f.witness.launches.back());
    if (lack) {
      for (const SourceRef& at : lines_of(x_, *lack)) add_line(f, at);
      f.missing_acquire = missing_acquire(x_, *lack);
    }
    result_.findings.push_back(std::move(f));
    return result_.findings.back();
  }

  // Of those that some way should have ordered behind the write that they miss.
  std::optional<OrderLack> of_first_stale_read(const WitnessLaunch& launch) const {
    const auto event_at = [&](std::size_t n) {
      const auto same = [&](const Event& a) {
        const Event& b = launch.graph.events[n];
        return a.thread == b.thread && a.po == b.po && a.kind == b.kind && a.location == b.location;
      };
      return static_cast<EventId>(std::find_if(x_.graph.events.begin(), x_.graph.events.end(), same) - x_.graph.events.begin());
    };
    for (std::size_t n = 0; n < launch.events.size(); ++n) {
      if (!launch.events[n].missed) continue;
      OrderLack lack = missing_order(x_, event_at(*launch.events[n].missed), event_at(n));
      if (!lack.gaps.empty()) return lack;
    }
    return std::nullopt;
  }

  static void add_line(Finding& f, const SourceRef& at) {
    if (at.line != 0 && std::find(f.lines.begin(), f.lines.end(), at) == f.lines.end()) f.lines.push_back(at);
  }

  Finding& add_at(FindingKind kind, std::string message, std::string location, ThreadId t) {
    Finding& f = add(kind, std::move(message), std::move(location), {});
    f.threads = {thread_name(c_, t)};
    const Kernel& kernel = *c_.image.threads[t].kernel;
    const SourceLine where = kernel.at(x_.threads[t].at).where;
    if (where.line != 0 && where.file < kernel.files.size())
      f.lines = {{kernel.files[where.file], where.line}};
    return f;
  }

  // --- Threads that did not end ---

  // Returns false for a detour.
  bool notice_threads() {
    result_.complete = true;
    std::vector<Waiting> stuck;
    std::vector<ThreadId> spinning;
    for (ThreadId t = 0; t < x_.threads.size(); ++t) {
      const auto& thread = x_.threads[t];
      if (thread.status == ThreadStatus::exited) continue;
      result_.complete = false;
      if (thread.status == ThreadStatus::spinning) spinning.push_back(t);
      if (thread.status == ThreadStatus::at_barrier) stuck.push_back({t, thread.at, x_.gathered(t)});
      if (thread.status == ThreadStatus::loop_bound)
        result_.unexplored = fmt::format("a loop of {} would go round more than {} times (--loop-bound)",
                                         thread_name(c_, t), c_.loop_bound);
      if (thread.status == ThreadStatus::unmodelled)
        result_.unexplored = fmt::format("{} is not modelled", thread.note);
      if (thread.status == ThreadStatus::faulted) fault(t);
    }
    const bool cut = result_.unexplored.has_value() || !result_.findings.empty();
    if (!std::all_of(spinning.begin(), spinning.end(), [&](ThreadId t) { return spins_for_ever(t); })) {
      find_races();  // the detour is real as far as it goes
      result_.complete = false;
      return false;
    }
    if (cut) return true;
    for (const ThreadId t : spinning)
      add_at(FindingKind::livelock,
             fmt::format("{} spins for ever: nothing it reads will change", thread_name(c_, t)),
             spin_location(t), t);
    if (spinning.empty() && !stuck.empty()) {
      const ThreadId first = stuck.front().thread;
      add_at(FindingKind::stuck, waits_for_ever(c_, stuck, exited_beside(first)), "", first);
    }
    return true;
  }

  // Threads of its CTA that have exited.
  std::size_t exited_beside(ThreadId t) const {
    std::size_t exited = 0;
    for (ThreadId u = 0; u < x_.threads.size(); ++u)
      exited += static_cast<std::size_t>(c_.image.cta_of[u] == c_.image.cta_of[t] && x_.finished(u));
    return exited;
  }

  void fault(ThreadId t) {
    const auto& thread = x_.threads[t];
    const std::string message = fmt::format("{}: {}", thread_name(c_, t), thread.note);
    if (thread.fault_kind == Action::Kind::trap) {
      add_at(FindingKind::trap, message, "", t);
      return;
    }
    switch (thread.fault) {
      case Action::Fault::out_of_bounds: add_at(FindingKind::out_of_bounds, message, "", t); break;
      case Action::Fault::misaligned: add_at(FindingKind::misaligned, message, "", t); break;
      case Action::Fault::poison: add_at(FindingKind::unwritten_read, message, "", t); break;
      case Action::Fault::not_in_mask: add_at(FindingKind::barrier_divergence, message, "", t); break;
      case Action::Fault::none: break;
    }
  }

  // Every read of the repeated iteration sees a write that none is coherence-after, but for polls that write back what they
  // read: it may do so for ever. What a clock decided it will decide otherwise in the end.
  bool spins_for_ever(ThreadId t) const {
    const auto& thread = x_.threads[t];
    if (thread.chosen.lower_bound(thread.spin_from) != thread.chosen.end()) return false;
    for (std::uint32_t s = thread.spin_from; s < thread.sequence; ++s)
      for (const EventId e : thread.events[s]) {
        if (e == no_event || !x_.graph.events[e].is_read()) continue;
        bool newest = true;
        r_.co.each(x_.graph.rf[e], [&](EventId w) { newest &= polls(w); });
        if (!newest) return false;
      }
    return true;
  }

  // Whether a write is of a round that its thread repeats.
  bool polls(EventId w) const {
    const Event& e = x_.graph.events[w];
    const auto& thread = x_.threads[e.thread];
    return x_.writes_back(w) && thread.status == ThreadStatus::spinning && e.po >= 2 * thread.spin_from;
  }

  std::string spin_location(ThreadId t) const {
    const auto& thread = x_.threads[t];
    for (std::uint32_t s = thread.spin_from; s < thread.sequence; ++s)
      for (const EventId e : thread.events[s])
        if (e != no_event && x_.graph.events[e].is_read())
          return c_.image.memory.name(x_.graph.events[e].location);
    return "";
  }

  // --- Reads ---

  void find_races() {
    if (options_.races == Races::off || looked_for_races_) return;
    looked_for_races_ = true;
    const std::vector<Edge> order = x_.graph.fence_sc;  // a race is shown under an order of its own
    add_races();
    if (x_.graph.fence_sc == order) return;
    x_.graph.fence_sc = order;
    r_.derive(x_.graph);
  }

  void find_barrier_misuse() {
    if (const auto misuse = fencewise::find_barrier_misuse(x_, r_))
      add(FindingKind::barrier_divergence, misuse->message, misuse->barrier, {misuse->first, misuse->second});
  }

  void add_races() {
    std::set<std::string> seen = options_.seen_races;
    for (;;) {
      const auto pair =
          find_race(x_, r_, [&](const Location& l) { return !seen.contains(c_.image.memory.name(l)); });
      if (!pair) return;
      const std::string place = c_.image.memory.name(x_.graph.events[pair->first].location);
      seen.insert(place);
      const OrderLack lack = missing_order_between(x_, pair->first, pair->second);
      Finding& f = add(pair->mixed_size ? FindingKind::mixed_size : FindingKind::race, race_message(*pair, place, lack), place,
                       {pair->first, pair->second}, lack);
      f.violates = options_.races == Races::fail;
      if (f.violates) return;
    }
  }

  std::string race_message(const RacePair& pair, const std::string& place, const OrderLack& lack) const {
    const auto describe = [&](EventId e) {
      const Event& event = x_.graph.events[e];
      const SourceRef source = source_of(x_, e);
      const std::string line = source.line != 0 ? fmt::format(" at {}:{}", source.file, source.line) : "";
      const char* what = event.atomic ? "atomic" : event.is_write() ? "write" : "read";
      return fmt::format("{} by {}{}", what, thread_name(c_, event.thread), line);
    };
    const auto strong = [&](EventId e) { return is_strong(x_.graph.events[e].order); };
    const std::string why = strong(pair.first) && strong(pair.second) ? "both are strong, but a scope does not include the other thread"
                                                                      : in_words(x_, lack);
    return fmt::format("data race on {}: {} and {}: {}", place, describe(pair.first), describe(pair.second), why);
  }

  void find_unwritten_reads() {
    for (EventId e = 0; e < x_.graph.events.size(); ++e) {
      const Event& read = x_.graph.events[e];
      if (!read.is_read() || x_.graph.rf[e] == no_event ||
          x_.graph.events[x_.graph.rf[e]].kind != EventKind::init)
        continue;
      if (!c_.terms.is_poison(x_.info[e].value)) continue;
      const std::string place = c_.image.memory.name(read.location);
      add(FindingKind::unwritten_read,
          fmt::format("{} reads {}: {}", thread_name(c_, read.thread), place,
                      c_.terms.origin_of_poison(x_.info[e].value)),
          place, {e});
      return;
    }
  }

  // ld.global.nc is outside of the model: it reads what the launch found, and bytes that the launch writes at its own time.
  void find_incoherent_loads() {
    if (result_.unexplored) return;
    for (EventId e = 0; e < x_.graph.events.size(); ++e) {
      const Event& read = x_.graph.events[e];
      if (!read.is_read() || read.atomic) continue;
      const Instruction& i = c_.image.threads[read.thread].kernel->at(x_.info[e].where);
      if (access_of(i)->cache != CacheOperator::nc) continue;
      const bool written = std::any_of(x_.graph.events.begin(), x_.graph.events.end(), [&](const Event& w) {
        return w.kind == EventKind::write && w.location.known() && overlap(w.location, read.location);
      });
      if (!written) continue;
      const SourceRef at = source_of(x_, e);
      result_.unexplored = fmt::format("{}ld.global.nc of {}, which the launch writes, is not modelled",
                                       at.line != 0 ? fmt::format("{}:{}: ", at.file, at.line) : "", c_.image.memory.name(read.location));
      return;
    }
  }

  // --- Contract and assertions ---

  void check_contract() {
    if (!point_.ends_replay) return;
    for (const BufferId b : c_.problem.contract.restored)
      for (std::uint64_t i = 0; i < result_.after->length(b); ++i) {
        const auto found = point_.replay_entry->all(b, i), left = result_.after->all(b, i);
        if (found == left) continue;
        const Buffer& buffer = c_.problem.buffers[b.value];
        const std::string place = buffer.length == 1 ? buffer.name : fmt::format("{}[{}]", buffer.name, i);
        add(FindingKind::contract,
            fmt::format("the launch found {} = {} and must leave it so, but leaves {}", place,
                        c_.terms.to_string(found.front(), buffer.element),
                        c_.terms.to_string(left.back(), buffer.element)),
            place, last_writes(b, i));
        return;
      }
  }

  std::vector<EventId> last_writes(BufferId b, std::uint64_t i) const {
    std::vector<EventId> events;
    const std::uint32_t size = size_of(c_.problem.buffers[b.value].element);
    for (EventId w = 0; w < x_.graph.events.size(); ++w) {
      const Event& e = x_.graph.events[w];
      if (e.kind != EventKind::write || e.location != Location{c_.image.memory[b.value].storage,
                                                               static_cast<std::uint32_t>(i * size), size})
        continue;
      bool last = true;
      r_.co.each(w, [&](EventId) { last = false; });
      if (last) events.push_back(w);
    }
    return events;
  }

  using Cell = std::pair<std::uint32_t, std::uint64_t>;

  // Calls f for every choice of a value where several last writes are left.
  template <class F> void each_final_memory(F&& f) {
    std::vector<Cell> cells;
    std::uint64_t choices = 1;
    for (std::uint32_t b = 0; b < result_.after->buffers(); ++b)
      for (std::uint64_t i = 0; i < result_.after->length(BufferId{b}); ++i)
        if (result_.after->ambiguous(BufferId{b}, i)) {
          cells.emplace_back(b, i);
          choices *= result_.after->all(BufferId{b}, i).size();
          if (choices > most_final_choices) throw NotModelled("racing writes leave too many final memories");
        }
    MemoryImage memory = *result_.after;
    for (std::uint64_t choice = 0; choice < choices; ++choice) {
      std::uint64_t rest = choice;
      for (const auto& [b, i] : cells) {
        const auto values = result_.after->all(BufferId{b}, i);
        memory.set(BufferId{b}, i, values[rest % values.size()]);
        rest /= values.size();
      }
      if (!f(memory)) return;
    }
  }

  // Aliases are read through the storage they name.
  BufferId root(BufferId b) const { return BufferId{c_.image.memory[b.value].storage}; }

  FinalState state_of(const MemoryImage& memory, When when) const {
    const MemoryImage& entry = when == When::each_launch ? c_.memory : *point_.replay_entry;
    return {[this, &memory](BufferId b, std::uint64_t i) { return memory.at(root(b), i); },
            [this, &entry](BufferId b, std::uint64_t i) { return entry.at(root(b), i); },
            [this](std::uint32_t thread, RegisterId reg) {
              const ThreadId t = c_.thread_of_contract(thread);
              return t < x_.threads.size() && reg.value < x_.threads[t].registers.size()
                         ? x_.threads[t].registers[reg.value]
                         : Value();
            }};
  }

  bool applies(When when) const {
    switch (when) {
      case When::each_launch: return true;
      case When::each_replay: return point_.ends_replay;
      case When::plan_end: return point_.ends_plan;
    }
    return false;
  }

  void check_assertions() {
    each_final_memory([&](const MemoryImage& memory) {
      const Contract& contract = c_.problem.contract;
      if (!passes_filter(c_.problem, state_of(memory, When::plan_end), c_.terms)) return true;
      if (options_.final_states && point_.ends_plan) result_.final_states.push_back(text_of(memory));
      for (const Assertion& assertion : contract.assertions)
        if (applies(assertion.when)) check_assertion(assertion, memory);
      return options_.final_states || result_.findings.empty();
    });
  }

  void check_assertion(const Assertion& assertion, const MemoryImage& memory) {
    const FinalState state = state_of(memory, assertion.when);
    const Truth truth = holds(*assertion.formula, state, c_.terms, c_.problem);
    if (c_.problem.contract.quantifier != Quantifier::always) {
      result_.condition_met |= truth == Truth::yes;
      if (c_.problem.contract.quantifier == Quantifier::never && truth == Truth::yes && !asserted_)
        add(FindingKind::assertion, fmt::format("the excluded outcome is reachable: {}", assertion.text), "",
            {});
      asserted_ |= truth == Truth::yes;
      return;
    }
    if (truth == Truth::yes || asserted_) return;
    asserted_ = true;
    const std::string why = explain(*assertion.formula, state, c_.terms, c_.problem);
    add(FindingKind::assertion, fmt::format("{} fails: {}", assertion.text, why),
        why.substr(0, why.find(' ')), {});
  }

  // --- Determinism ---

  void compare_outputs() {
    if (point_.other == nullptr) return;
    const auto difference = difference_of_outputs(c_.problem, *point_.other, *result_.after);
    if (!difference) return;
    const auto& [b, i] = *difference;
    const Buffer& buffer = c_.problem.buffers[b.value];
    const std::string place = buffer.length == 1 ? buffer.name : fmt::format("{}[{}]", buffer.name, i);
    const auto text = [&](const MemoryImage& memory) { return c_.terms.to_string(memory.at(b, i), buffer.element); };
    add(FindingKind::order_dependent,
        fmt::format("{} = {} in one order of execution, {} in another", place, text(*result_.after), text(*point_.other)), place,
        last_writes(b, i));
  }

  std::string text_of(const MemoryImage& memory) const {
    std::vector<std::vector<Value>> registers;
    for (const auto& t : x_.threads) registers.push_back(t.registers);
    return text_of_state(c_, registers, memory);
  }

  PartialExecution& x_;
  Relations& r_;
  const LaunchContext& c_;
  const PlanPoint& point_;
  const ExamineOptions& options_;
  Examination result_;
  bool looked_for_races_ = false;
  bool asserted_ = false;
};

}  // namespace

std::string text_of_state(const LaunchContext& c, const std::vector<std::vector<Value>>& registers,
                          const MemoryImage& memory) {
  std::string text;
  for (ThreadId t = 0; t < registers.size(); ++t) {
    const Kernel& kernel = *c.image.threads[t].kernel;
    for (std::uint32_t n = 0; n < kernel.registers.size(); ++n)
      text += fmt::format("{}:{}={}; ", t, kernel.registers[n].name,
                          c.terms.to_string(registers[t][n], kernel.registers[n].type));
  }
  for (std::uint32_t b = 0; b < memory.buffers(); ++b) {
    const Buffer& buffer = c.problem.buffers[b];
    for (std::uint64_t i = 0; i < buffer.length; ++i)
      text += fmt::format("{}{}={}; ", buffer.name, buffer.length == 1 ? "" : fmt::format("[{}]", i),
                          c.terms.to_string(memory.at(BufferId{c.image.memory[b].storage}, i), buffer.element));
  }
  if (!text.empty()) text.pop_back();
  return text;
}

Examination examine(PartialExecution& execution, Relations& relations, const PlanPoint& point,
                    const ExamineOptions& options) {
  return Examiner(execution, relations, point, options).run();
}

void sort_findings(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::pair(!a.violates, rank(a.kind)) < std::pair(!b.violates, rank(b.kind));
  });
}

bool ends_path(const Finding& finding) { return finding.violates && finding.kind != FindingKind::contract; }

}  // namespace fencewise
