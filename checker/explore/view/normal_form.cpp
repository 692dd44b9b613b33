#include "checker/explore/view/normal_form.h"

#include <algorithm>
#include <optional>
#include <span>

namespace fencewise::view {
namespace {

// A message that an atomic has read and left as it was, and the atomic's own, are one: nothing is written between them, both have
// one value and pass on the same, and who reads the first may go on to the second but need not know it. A lock that is taken in
// vain, again and again, has no more messages for it. `wide`: the level at which all that may still read are included, if so.
void join_messages(Cell& c, std::optional<Level> wide) {
  const auto told = [&](const Message& m) {
    return m.record != no_record &&
           std::any_of(c.accesses.begin(), c.accesses.end(), [&](const PastAccesses& a) { return a.records.knows(m.record); });
  };
  for (std::size_t n = 0; n + 1 < c.messages.size();) {
    Message& first = c.messages[n];
    const Message& second = c.messages[n + 1];
    const bool alike = first.glued && first.strong && second.strong && first.value == second.value && first.level == second.level &&
                       (first.place == second.place || first.level == wide) && first.released == second.released && !told(second);
    if (!alike) {
      ++n;
      continue;
    }
    first.glued = second.glued;
    first.origin = second.origin;
    c.messages.erase(c.messages.begin() + static_cast<std::ptrdiff_t>(n) + 1);
  }
}

// A message that an atomic has read, where only atomics and stores are still to come: none of them may read it or come right behind
// it. Who knows of it has to go past the atomic's own too, and who knows of that one knows of both.
void drop_unreadable(Cell& c) {
  for (std::size_t n = 0; n + 1 < c.messages.size();) {
    const Message& first = c.messages[n];
    Message& second = c.messages[n + 1];
    if (!first.glued || first.record == no_record || !second.seen.knows(first.record)) {
      ++n;
      continue;
    }
    second.record = first.record;
    c.messages.erase(c.messages.begin() + static_cast<std::ptrdiff_t>(n));
  }
}

// Whether it tells nothing but a value.
bool bare(const Message& m) {
  return m.record == no_record && !m.strong && !m.glued && m.place == 0 && m.level == 0 && m.seen.empty() && m.released.empty();
}

bool live(const Thread& t) { return t.status != Status::exited && t.status != Status::faulted; }

}  // namespace

NormalForm::NormalForm(Machine& machine, const Symmetry* symmetry, std::uint32_t replays, const Reductions& reductions)
    : machine_(machine), reductions_(reductions) {
  if (symmetry != nullptr) interchange_.emplace(machine, *symmetry, replays);
}

void NormalForm::apply(State& s) {
  forget(s, nullptr);
  if (interchange_) interchange_->order(s);
  renumber(s, knowledge_of(s, reductions_));
}

Stored NormalForm::stored(State& s, const State& before) {
  forget(s, &before);
  std::vector<std::uint32_t> names;
  if (interchange_) names = interchange_->order(s);
  Stored result = stored(s);
  result.names = std::move(names);
  return result;
}

Stored NormalForm::stored(const State& s) const { return {encode_control(s), table_of(s, knowledge_of(s, reductions_)), {}}; }

std::vector<std::vector<std::uint32_t>> NormalForm::classes(const State& s, const TableView& table) {
  if (interchange_) {
    auto some = interchange_->classes(s, table);
    if (mutation() == Mutation::one_cta_for_all && some.size() > 1) some.resize(1);
    return some;
  }
  std::vector<std::vector<std::uint32_t>> each;
  for (std::uint32_t cta = 0; cta < machine_.hierarchy().ctas(); ++cta) each.push_back({cta});
  return each;
}

// --- What nobody can use any more ---

void NormalForm::forget(State& s, const State* before) {
  std::sort(s.arrivals.begin(), s.arrivals.end(), [](const Arrival& a, const Arrival& b) {
    return std::pair(a.thread, a.id) < std::pair(b.thread, b.id);
  });
  forget_in_threads(s, before);
  if (reductions_.forget) forget_in_cells(s);
}

// What a thread can use depends on nothing but itself.
void NormalForm::forget_in_threads(State& s, const State* before) {
  bool fences_sc = false;
  for (ThreadId id = 0; id < s.threads.size(); ++id) {
    if (before == nullptr || !s.threads.shares(id, before->threads)) forget_in_thread(s, id);
    const Thread& t = s.threads.read(id);
    const InstructionRef at{t.state.block, t.state.index};
    fences_sc |= reductions_.forget ? live(t) && machine_.future(id).fence_sc(at) : live(t) || !t.state.registers.empty();
  }
  if (!fences_sc) s.fence_sc.clear();
  if (reductions_.forget) forget_who_looked(s);
}

// That, and who went past the barriers, matters while others of the CTA may still meet.
void NormalForm::forget_who_looked(State& s) {
  for (std::uint32_t cta = 0; cta < machine_.hierarchy().ctas(); ++cta) {
    const auto& threads = machine_.threads_of(cta);
    const auto may_meet = [&](ThreadId t) {
      const Thread& thread = s.threads.read(t);
      return live(thread) && machine_.future(t).meets({thread.state.block, thread.state.index});
    };
    if (std::ranges::any_of(threads, may_meet)) continue;
    for (const ThreadId t : threads)
      if (s.threads.read(t).looked || s.threads.read(t).past_barriers) s.threads[t].looked = s.threads[t].past_barriers = false;
  }
}

void NormalForm::forget_in_thread(State& s, ThreadId id) {
  Thread& t = s.threads[id];
  const InstructionRef at{t.state.block, t.state.index};
  machine_.clear_dead_registers(t, id);
  machine_.clear_constants(t);
  t.segment = no_record;  // what comes next has a record of its own, until both are known to the same
  const bool told = live(t) || !t.state.registers.empty();  // else no more of it is stored than that it has ended
  if (!told) {
    t.state.block = BlockId{};
    t.state.index = 0;
  }
  if (!reductions_.forget && told) return;
  if (!live(t)) {
    t.known.clear();
    t.fences.clear();
    t.own.clear();
    t.taken.clear();
    return;
  }
  const Future& future = machine_.future(id);
  t.looked = t.looked && future.leaves(at);
  if (!future.passes_fences(at)) t.fences.clear();
  std::erase_if(t.own, [&](const auto& entry) {
    return (machine_.doing(s, id, machine_.locations()[entry.first]) & Doing::passes_on) == 0;
  });
  if (!future.acquire_fence(at))
    std::erase_if(t.taken, [&](const auto& entry) {
      return (machine_.doing(s, id, machine_.locations()[entry.first]) & Doing::acquire) == 0;
    });
  // An acquire adds to what the thread knows.
  for (auto& [cell, structure] : t.taken)
    for (auto& [group, view] : structure.views()) view.remove(t.known);
}

namespace {

// Who may still access a storage: Doing bits of each live thread on it, on what is its CTA's own and on the slots of others.
class Accessors {
 public:
  Accessors(const Machine& machine, const State& s, std::uint32_t storage) : cta_of_(machine.context().image.cta_of) {
    for (std::uint32_t cta = 0; cta < machine.hierarchy().ctas(); ++cta) {
      first_.push_back(own_.size());
      for (const ThreadId t : machine.threads_of(cta)) {
        note(t, machine.doing(s, t, storage, false), own_);
        note(t, machine.doing(s, t, storage, true), others_);
      }
    }
    first_.push_back(own_.size());
  }

  // Calls f(thread, bits) for each that may access a location of the storage; `owner`: the CTA whose slot it is, if any. Until f
  // returns false.
  template <class F> void each(std::optional<std::uint32_t> owner, F&& f) const {
    const auto call = [&](const Accessor& a) { return f(a.thread, a.bits); };
    if (!owner) {
      (void)std::ranges::all_of(own_, call);
      return;
    }
    const auto owners = std::span(own_).subspan(first_[*owner], first_[*owner + 1] - first_[*owner]);
    (void)(std::ranges::all_of(owners, call) &&
           std::ranges::all_of(others_, [&](const Accessor& a) { return cta_of_[a.thread] == *owner || call(a); }));
  }

 private:
  struct Accessor {
    ThreadId thread;
    DoingBits bits;
  };
  static void note(ThreadId t, DoingBits bits, std::vector<Accessor>& list) {
    if ((bits & (Doing::any_read | Doing::any_write)) != 0) list.push_back({t, bits});
  }

  const std::vector<std::uint32_t>& cta_of_;
  std::vector<Accessor> own_, others_;
  std::vector<std::size_t> first_;  // [cta] of own_
};

}  // namespace

void NormalForm::forget_in_cells(State& s) {
  const Hierarchy& h = machine_.hierarchy();
  std::vector<Place> place(h.ctas());
  std::vector<bool> gone(h.ctas());
  for (std::uint32_t cta = 0; cta < h.ctas(); ++cta) {
    const auto& threads = machine_.threads_of(cta);
    gone[cta] = std::none_of(threads.begin(), threads.end(), [&](ThreadId t) { return live(s.threads.read(t)); });
    place[cta] = gone[cta] ? h.gone(cta) : cta;
  }
  const auto of_gone = [&](const auto& entry) {
    const auto own = h.cta_group(entry.first);
    return own && gone[own->cta];
  };
  std::erase_if(s.fence_sc.views(), of_gone);

  std::vector<std::optional<Accessors>> by_storage(machine_.context().image.memory.size());
  const auto& cta_of = machine_.context().image.cta_of;
  View known;
  for (CellId number = 0; number < s.cells.size(); ++number) {
    if (s.cells.read(number).messages.empty()) continue;
    // Most cells stay as they are: they are read first.
    const auto now = [&]() -> const Cell& { return s.cells.read(number); };
    const auto edit = [&]() -> Cell& { return s.cells[number]; };
    const Location& location = machine_.locations()[number];
    const auto owner = machine_.owner(location);
    auto& accessors = by_storage[location.storage];
    if (!accessors) accessors.emplace(machine_, s, location.storage);
    const Accessors& who = *accessors;
    DoingBits any = 0;
    bool acquires = false;  // some read strongly, and may acquire by it
    who.each(owner, [&](ThreadId t, DoingBits bits) {
      any |= bits;
      const Thread& thread = s.threads.read(t);
      acquires |= (bits & Doing::acquire) != 0 ||
                  ((bits & Doing::strong_read) != 0 && machine_.future(t).acquire_fence({thread.state.block, thread.state.index}));
      return true;
    });
    // Whether all who may come are morally strong with what was done at that level, wherever it was done.
    const auto anywhere = [&](Level level) { return h.everybody(level) && (any & Doing::narrow) == 0; };
    if (any == 0) {
      const Message& newest = now().messages.back();
      if (!machine_.context().image.memory[location.storage].buffer || newest.initial) {
        edit() = Cell();
      } else if (now().messages.size() > 1 || !now().accesses.empty() || !bare(newest)) {
        Message last;
        last.value = newest.value;
        last.origin = newest.origin;
        Cell& c = edit();
        c.messages.clear();
        c.messages.push_back(std::move(last));
        c.accesses.clear();
      }
      continue;
    }
    // Messages below what everybody knows.
    if (now().messages.size() > 1) {
      const auto& messages = now().messages;
      std::size_t lowest = messages.size() - 1;
      who.each(owner, [&](ThreadId t, DoingBits) {
        std::size_t low = messages.size() - 1;
        while (low > 0 && !s.threads.read(t).known.knows(messages[low].record)) --low;
        lowest = std::min(lowest, low);
        return lowest > 0;
      });
      if (mutation() == Mutation::message_dropped_early && lowest + 1 < messages.size()) ++lowest;
      // Atomics and stores go past messages that an atomic has read, and a weak load races or knows the last one.
      if ((any & Doing::any_message) == 0)
        while (messages[lowest].glued) ++lowest;
      if (lowest > 0) {
        Cell& c = edit();
        c.messages.erase(c.messages.begin(), c.messages.begin() + static_cast<std::ptrdiff_t>(lowest));
      }
    }
    if (now().messages.front().record != no_record) edit().messages.front().record = no_record;
    const auto place_of = [&](Place p, Level level) { return p >= h.ctas() ? p : anywhere(level) ? h.gone(0) : place[p]; };
    for (std::size_t n = 0; n < now().messages.size(); ++n) {
      const Message& m = now().messages[n];
      const bool no_seen = (any & Doing::strong_read) == 0;
      const auto& released = m.released.views();
      if (!(m.strong && place_of(m.place, m.level) != m.place) && !(no_seen && !m.seen.empty()) &&
          !(acquires ? std::any_of(released.begin(), released.end(), of_gone) : !released.empty()))
        continue;
      Message& changed = edit().messages[n];
      if (changed.strong) changed.place = place_of(changed.place, changed.level);
      if (no_seen) changed.seen.clear();
      if (!acquires) changed.released.clear();
      std::erase_if(changed.released.views(), of_gone);
    }
    // Past accesses that nothing can race with.
    if (mutation() == Mutation::strong_accesses_forgotten)
      std::erase_if(edit().accesses, [](const PastAccesses& a) { return a.kind.strong; });
    const auto moved = [&](const AccessKind& k) { return k.strong ? place_of(k.place, k.level) : k.place; };
    if (std::ranges::any_of(now().accesses, [&](const PastAccesses& a) { return moved(a.kind) != a.kind.place; }))
      edit().rename_accesses([&](AccessKind& k) { k.place = moved(k); });
    for (std::size_t n = 0; n < now().accesses.size(); ++n) {
      const PastAccesses& a = now().accesses[n];
      known = a.records;  // to all that may race with it
      who.each(owner, [&](ThreadId t, DoingBits bits) {
        const DoingBits conflicting = a.kind.write ? bits : static_cast<DoingBits>(bits & ~Doing::any_read);
        if ((conflicting & (Doing::any_read | Doing::any_write)) == 0) return true;
        const bool may_race = !a.kind.strong || (conflicting & Doing::any_weak) != 0 || (bits & Doing::narrow) != 0 ||
                              !h.reaches(cta_of[t], h.top(), a.kind.place) || !h.reaches(a.kind.place, a.kind.level, cta_of[t]);
        if (may_race) known.intersect(s.threads.read(t).known);
        return !known.empty();
      });
      if (!known.empty()) edit().accesses[n].records.remove(known);
    }
    if (std::ranges::any_of(now().accesses, [](const PastAccesses& a) { return a.records.empty(); }))
      std::erase_if(edit().accesses, [](const PastAccesses& a) { return a.records.empty(); });
    if (((any & Doing::any_message) == 0 || mutation() == Mutation::glued_are_unread) && std::ranges::any_of(now().messages, &Message::glued))
      drop_unreadable(edit());
    if (now().messages.size() > 1) join_messages(edit(), (any & Doing::narrow) == 0 ? std::optional(h.top()) : std::nullopt);
    if (now().messages.size() == 1 && now().messages.front().initial && now().accesses.empty()) edit() = Cell();
  }
}

}  // namespace fencewise::view
