#include "memmodel/relations.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace fencewise {

const char* name(Axiom axiom) {
  switch (axiom) {
    case Axiom::coherence: return "Coherence";
    case Axiom::fence_sc: return "Fence-SC";
    case Axiom::atomicity: return "Atomicity";
    case Axiom::no_thin_air: return "No-Thin-Air";
    case Axiom::sc_per_location: return "SC-per-Location";
    case Axiom::causality: return "Causality";
    case Axiom::whole_vectors: return "Whole-Vectors";
    case Axiom::sequential_consistency: return "Sequential-Consistency";
  }
  return "?";
}

namespace {

bool is_strong_event(const Event& e) {
  return e.kind == EventKind::fence || (e.is_memory() && is_strong(e.order));
}

bool is_fence_sc(const Event& e) { return e.kind == EventKind::fence && e.order == Order::sc; }

bool fence_releases(const Event& e, const Reading& reading) {
  return e.kind == EventKind::fence &&
         (releases(e.order) || (e.order == Order::sc && reading.fence_sc_is_acq_rel));
}

bool fence_acquires(const Event& e, const Reading& reading) {
  return e.kind == EventKind::fence &&
         (acquires(e.order) || (e.order == Order::sc && reading.fence_sc_is_acq_rel));
}

}  // namespace

// --- From events alone ---

// 8.7: (a) program order, or both strong with scopes that include each other's thread; (b) same proxy; (c) complete overlap.
// Two virtual aliases count as two proxies.
bool Relations::morally_strong(const ExecutionGraph& g, EventId a, EventId b) const {
  const Event& x = g.events[a];
  const Event& y = g.events[b];
  if (x.thread == no_thread || y.thread == no_thread) return false;
  if (x.is_memory() && y.is_memory() && x.location != y.location) return false;
  if (reading_.interleaving()) return true;
  if (x.thread != y.thread) {
    if (!is_strong_event(x) || !is_strong_event(y)) return false;
    const Placement& p = g.threads[x.thread];
    const Placement& q = g.threads[y.thread];
    if (!includes(x.scope, p, q) || !includes(y.scope, q, p)) return false;
  }
  if (!reading_.proxies) return true;
  return x.proxy == y.proxy && (!x.is_memory() || !y.is_memory() || x.alias == y.alias);
}

void Relations::prepare(const ExecutionGraph& g, const Reading& reading) {
  reading_ = reading;
  const std::size_t n = g.events.size();
  for (Relation* r : {&po, &overlaps, &ms, &release, &acquire, &obs, &sw, &step, &base, &cause, &co, &fr,
                      &scratch_, &causal_step_}) {
    const std::size_t words = n * ((n + 63) / 64);
    if (words > words_between_pauses / 8 && words > r->size() * r->stride() && pause) pause(words * sizeof(Relation::Word));
    r->reset(n);
    worked(words);
  }
  memory_.clear();
  writes_.clear();
  proxy_fences_.clear();
  fence_pairs.clear();
  write_pairs.clear();
  has_proxies_ = false;
  for (EventId a = 0; a < n; ++a) {
    const Event& x = g.events[a];
    if (x.kind == EventKind::proxy_fence) proxy_fences_.push_back(a);
    if (x.is_memory() && x.location.known()) {
      memory_.push_back(a);
      if (x.is_write()) writes_.push_back(a);
      overlaps.add(a, a);
      has_proxies_ |= x.proxy != Proxy::generic || x.alias != 0;
    }
    worked(std::size_t{a} * 8);
    for (EventId b = 0; b < a; ++b) {
      const Event& y = g.events[b];
      if (x.thread == y.thread && x.thread != no_thread) {
        if (y.po < x.po) po.add(b, a);
        if (x.po < y.po) po.add(a, b);
      }
      const bool both_memory = x.is_memory() && y.is_memory();
      if (both_memory && (!x.location.known() || !y.location.known())) continue;
      const bool meet = both_memory && overlap(x.location, y.location);
      if (meet) {
        overlaps.add(a, b);
        overlaps.add(b, a);
      }
      if ((both_memory && !meet) || !morally_strong(g, a, b)) continue;
      ms.add(a, b);
      ms.add(b, a);
      if (is_fence_sc(x) && is_fence_sc(y) && x.thread != y.thread && !reading.interleaving())
        fence_pairs.push_back({b, a});
      if (both_memory && x.is_write() && y.is_write() && x.thread != y.thread) write_pairs.push_back({b, a});
    }
  }
  has_proxies_ &= reading.proxies;
  prepare_patterns(g);
}

// 8.8. A release pattern on M ends in a strong write of M and begins with that write if it releases, with an earlier
// releasing write of M, or with an earlier release-capable fence. Acquire patterns mirror it; a red is no read of one
// unless the reading says so.
void Relations::prepare_patterns(const ExecutionGraph& g) {
  for (const EventId w : memory_) {
    const Event& e = g.events[w];
    if (e.thread == no_thread || !is_strong(e.order)) continue;
    worked(g.events.size());
    if (e.is_write()) {
      if (releases(e.order)) release.add(w, w);
      for (EventId x = 0; x < g.events.size(); ++x) {
        const Event& f = g.events[x];
        if (!po(x, w)) continue;
        const bool earlier_release =
            f.is_write() && releases(f.order) && f.location == e.location && f.alias == e.alias;
        if (earlier_release || fence_releases(f, reading_)) release.add(w, x);
      }
    } else if (!e.red || reading_.red_acquires) {
      if (acquires(e.order)) acquire.add(w, w);
      for (EventId y = 0; y < g.events.size(); ++y) {
        const Event& f = g.events[y];
        if (!po(w, y)) continue;
        const bool later_acquire = f.is_read() && acquires(f.order) && f.location == e.location &&
                                   f.alias == e.alias && (!f.red || reading_.red_acquires);
        if (later_acquire || fence_acquires(f, reading_)) acquire.add(w, y);
      }
    }
  }
}

// --- Derived ---

void Relations::derive(const ExecutionGraph& g) {
  const std::size_t n = g.events.size();
  for (Relation* r : {&obs, &sw, &co, &fr}) r->reset(n);
  if (reading_.interleaving()) return derive_interleaving(g);
  derive_observation(g);
  derive_base(g);
  derive_causality(g);
  derive_coherence(g);
}

// 8.9.2 and 8.9.4 (4). From each read back through the write it reads and, while that write is half of an atomic,
// through what the atomic read: all morally strong steps. Each write W met is observed by R, and the starts of W's
// release patterns synchronize with the ends of R's acquire patterns where the two ends are morally strong.
void Relations::derive_observation(const ExecutionGraph& g) {
  for (const EventId r : memory_) {
    if (!g.events[r].is_read()) continue;
    EventId reader = r;
    for (std::size_t steps = 0; steps <= memory_.size(); ++steps) {
      const EventId w = g.rf[reader];
      if (w == no_event || !ms(w, reader)) break;
      obs.add(w, r);
      worked(po.stride());
      release.each(w, [&](EventId x) {
        acquire.each(r, [&](EventId y) {
          if (ms(x, y)) sw.add(x, y);
        });
      });
      reader = g.events[w].rmw;
      if (reader == no_event || !g.events[reader].is_read() || reader == r) break;
    }
  }
}

// 8.9.5, first half: the transitive closure of po and synchronizes; in the v6.0 form only chains with a synchronizing edge.
void Relations::derive_base(const ExecutionGraph& g) {
  step = sw;
  for (const Edge& e : g.sync) step.add(e.from, e.to);
  for (const Edge& e : g.fence_sc) step.add(e.from, e.to);
  if (reading_.causality == CausalityForm::v6_0) scratch_ = step;
  step |= po;
  base = step;
  close(base);
  if (reading_.causality != CausalityForm::v6_0) return;
  // po? ; (sync ; po?)+ is C? ; sync ; C? with C the closure of both.
  const std::size_t n = g.events.size();
  causal_step_.reset(n);  // sync ; C?
  for (EventId a = 0; a < n; ++a)
    scratch_.each(a, [&](EventId b) {
      causal_step_.add(a, b);
      causal_step_.join_row(a, base, b);
      worked(base.stride());
    });
  scratch_ = causal_step_;
  for (EventId a = 0; a < n; ++a)
    base.each(a, [&](EventId b) {
      scratch_.join_row(a, causal_step_, b);
      worked(base.stride());
    });
  base = scratch_;
}

// 8.9.5, second half, in the v7.5 form: base causality between accesses of one place survives if both go through one
// virtual address generically, or one proxy in one CTA, or with the proxy fences (and an alias fence) on the way.
bool Relations::proxy_preserved(const ExecutionGraph& g, EventId a, EventId b) const {
  const Event& x = g.events[a];
  const Event& y = g.events[b];
  const bool same_address = x.alias == y.alias;
  const auto cta = [&](const Event& e) { return g.threads[e.thread].cta; };
  if (x.thread == no_thread || y.thread == no_thread) return true;
  if (same_address && x.proxy == Proxy::generic && y.proxy == Proxy::generic) return true;
  if (same_address && x.proxy == y.proxy && cta(x) == cta(y)) return true;
  // Fences after the source: of its proxy, in its CTA. `a` itself where the source is generic.
  const auto serves = [&](EventId f, const Event& end) {
    return f != no_event && static_cast<int>(g.events[f].proxy_fence) == static_cast<int>(end.proxy) &&
           g.events[f].proxy_fence != ProxyFence::alias && cta(g.events[f]) == cta(end);
  };
  const auto before = [&](EventId p, EventId q) { return p == q || base(p, q); };
  const auto alias_between = [&](EventId p, EventId q) {
    return std::any_of(proxy_fences_.begin(), proxy_fences_.end(), [&](EventId f) {
      return g.events[f].proxy_fence == ProxyFence::alias && base(p, f) && base(f, q);
    });
  };
  const auto ends_well = [&](EventId after_source) {
    const auto joins = [&](EventId before_target) {
      return same_address ? before(after_source, before_target) : alias_between(after_source, before_target);
    };
    if (y.proxy == Proxy::generic) return joins(b);
    return std::any_of(proxy_fences_.begin(), proxy_fences_.end(),
                       [&](EventId f) { return serves(f, y) && base(f, b) && joins(f); });
  };
  if (x.proxy == Proxy::generic) return ends_well(a);
  return std::any_of(proxy_fences_.begin(), proxy_fences_.end(),
                     [&](EventId f) { return serves(f, x) && base(a, f) && ends_well(f); });
}

// 8.9.6: what is in (proxy-preserved) base causality, or observed and then in it.
void Relations::derive_causality(const ExecutionGraph& g) {
  const std::size_t n = g.events.size();
  const bool all_events = reading_.causality == CausalityForm::v6_0;
  cause = base;
  worked(n * base.stride());
  if (!all_events) {
    cause &= overlaps;
    if (has_proxies_)
      for (const EventId a : memory_)
        base.each(a, [&](EventId b) {
          if (overlaps(a, b) && !proxy_preserved(g, a, b)) cause.remove(a, b);
        });
  }
  causal_step_ = cause;
  if (all_events)
    for (EventId a = 0; a < n; ++a)
      po.each(a, [&](EventId b) {
        if (overlaps(a, b)) causal_step_.add(a, b);
      });
  const bool one_step = reading_.causality == CausalityForm::v7_5;
  for (const EventId r : memory_) {
    if (!g.events[r].is_read()) continue;
    if (one_step) {
      if (const EventId w = g.rf[r]; w != no_event && ms(w, r)) cause.join_row(w, causal_step_, r);
      if (const EventId half = g.events[r].rmw; half != no_event) cause.join_row(r, causal_step_, half);
    }
  }
  if (one_step) return;
  for (const EventId w : writes_) obs.each(w, [&](EventId r) { cause.join_row(w, causal_step_, r); });
}

// Warshall, where only these events are related.
void Relations::close_over(Relation& relation, const std::vector<EventId>& events) {
  for (const EventId k : events) {
    std::size_t joined = 0;
    for (const EventId i : events)
      if (relation(i, k)) {
        relation.join_row(i, relation, k);
        ++joined;
      }
    worked(events.size() + joined * relation.stride());
  }
}

// 8.9.6 and axiom 8.10.1: initial writes come first, causality between writes is coherence, coherence is transitive.
// What neither moral strength nor causality orders stays unordered.
void Relations::derive_coherence(const ExecutionGraph& g) {
  for (const Edge& e : g.co) co.add(e.from, e.to);
  for (const EventId a : writes_) {
    const bool initial = g.events[a].kind == EventKind::init;
    overlaps.each(a, [&](EventId b) {
      if (!g.events[b].is_write() || a == b) return;
      // In the v6.0 form causality lacks plain program order, but SC-per-Location puts a thread's own writes in it.
      const bool own_order = reading_.sc_per_location && po(a, b) && ms(a, b);
      if (initial ? g.events[b].kind != EventKind::init : cause(a, b) || own_order) co.add(a, b);
    });
  }
  close_over(co, writes_);
  for (const EventId r : memory_)
    if (g.events[r].is_read() && g.rf[r] != no_event) fr.join_row(r, co, g.rf[r]);
}

// Model sc: everything is in one order. Coherence and from-read follow from it and feed it, to a fixed point.
void Relations::derive_interleaving(const ExecutionGraph& g) {
  derive_observation(g);
  cause.reset(g.events.size());
  for (;;) {
    fr.reset(g.events.size());
    derive_coherence(g);
    step = po;
    for (const Edge& e : g.sync) {
      step.add(e.from, e.to);
      if (const EventId half = g.events[e.from].rmw; half != no_event)
        step.add(half, e.to);  // the last event of an ended thread
    }
    for (const EventId r : memory_)
      if (g.events[r].is_read() && g.rf[r] != no_event) step.add(g.rf[r], r);
    step |= co;
    step |= fr;
    // An atomic is one step: what comes before its write comes before its read, and so on.
    for (const EventId r : memory_) {
      const Event& e = g.events[r];
      if (!e.is_read() || e.rmw == no_event) continue;
      step.remove(r, r);
      fr.each(r, [&](EventId w) {
        if (w != e.rmw) step.add(e.rmw, w);
      });
    }
    base = step;
    close(base);
    Relation grown = base;
    grown &= overlaps;
    if (grown == cause) break;
    cause = grown;
    if (base.reflexive_somewhere()) break;
  }
}

// --- Axioms ---

bool Relations::thin_air(const ExecutionGraph& g) {
  // Kahn's algorithm over rf and dep.
  const std::size_t n = g.events.size();
  scratch_.reset(n);
  for (const EventId r : memory_)
    if (g.events[r].is_read() && g.rf[r] != no_event) scratch_.add(g.rf[r], r);
  for (const Edge& e : g.dep) scratch_.add(e.from, e.to);
  counts_.assign(n, 0);
  for (EventId a = 0; a < n; ++a) scratch_.each(a, [&](EventId b) { ++counts_[b]; });
  queue_.clear();
  for (EventId a = 0; a < n; ++a)
    if (counts_[a] == 0) queue_.push_back(a);
  for (std::size_t k = 0; k < queue_.size(); ++k)
    scratch_.each(queue_[k], [&](EventId b) {
      if (--counts_[b] == 0) queue_.push_back(b);
    });
  return queue_.size() != n;
}

// 8.10.3: nothing morally strong with both comes between what an atomic reads and what it writes.
bool Relations::breaks_atomicity(const ExecutionGraph& g) const {
  for (const EventId r : memory_) {
    const EventId own = g.events[r].rmw;
    if (!g.events[r].is_read() || own == no_event || g.rf[r] == no_event) continue;
    bool between = false;
    fr.each(r, [&](EventId w) { between |= w != own && ms(r, w) && ms(w, own) && co(w, own); });
    if (between) return true;
  }
  return false;
}

// 8.10.5: program order and morally strong communication of one location have no cycle.
bool Relations::breaks_sc_per_location(const ExecutionGraph& g) {
  scratch_ = co;
  scratch_ |= fr;
  for (const EventId r : memory_)
    if (g.events[r].is_read() && g.rf[r] != no_event) scratch_.add(g.rf[r], r);
  scratch_ &= ms;
  for (const EventId a : memory_)
    po.each(a, [&](EventId b) {
      if (overlaps(a, b) && (!has_proxies_ || ms(a, b))) scratch_.add(a, b);
    });
  close_over(scratch_, memory_);
  return std::any_of(memory_.begin(), memory_.end(), [&](EventId a) { return scratch_(a, a); });
}

// 8.10.6: no read from a write it precedes in causality, none past a newer write that precedes it.
bool Relations::breaks_causality(const ExecutionGraph& g) const {
  for (const EventId r : memory_) {
    if (!g.events[r].is_read() || g.rf[r] == no_event) continue;
    if (cause(r, g.rf[r])) return true;
    bool stale = false;
    fr.each(r, [&](EventId w) { stale |= cause(w, r); });
    if (stale) return true;
  }
  return false;
}

std::vector<EventId> vectors_of(const ExecutionGraph& g) {
  constexpr std::uint32_t widest = 16;  // bytes
  std::map<std::tuple<ThreadId, std::uint32_t, EventKind>, std::vector<EventId>> vectors;
  for (EventId e = 0; e < g.events.size(); ++e) {
    const Event& event = g.events[e];
    if (event.is_memory() && event.location.known() && event.thread != no_thread)
      vectors[{event.thread, event.po, event.kind}].push_back(e);
  }
  std::vector<EventId> first(g.events.size());
  std::iota(first.begin(), first.end(), 0);
  for (const auto& [place, elements] : vectors)
    if (elements.size() * g.events[elements.front()].location.size <= widest)
      for (const EventId e : elements) first[e] = elements.front();
  return first;
}

// Vector accesses taken as one operation each: morally strong communication between them has no cycle, so that none sees a part
// of another.
bool Relations::tears_vectors(const ExecutionGraph& g) {
  const std::vector<EventId> first = vectors_of(g);
  bool some = false;
  for (EventId e = 0; e < first.size(); ++e) some |= first[e] != e;
  if (!some) return false;
  scratch_.reset(g.events.size());
  const auto meet = [&](EventId a, EventId b) {
    if (ms(a, b) && first[a] != first[b]) scratch_.add(first[a], first[b]);
  };
  for (const EventId a : memory_) {
    co.each(a, [&](EventId b) { meet(a, b); });
    fr.each(a, [&](EventId b) { meet(a, b); });
    if (g.events[a].is_read() && g.rf[a] != no_event) meet(g.rf[a], a);
  }
  close(scratch_);
  return scratch_.reflexive_somewhere();
}

// 8.10.2, read as: base causality with the fence-SC edges has no cycle; or, in the v6.0 form, no fence-SC edge against
// causality. The order itself has none in any model.
bool Relations::breaks_fence_sc(const ExecutionGraph& g) {
  if (reading_.base_acyclic && base.reflexive_somewhere()) return true;
  if (reading_.fence_sc_after_causality &&
      std::any_of(g.fence_sc.begin(), g.fence_sc.end(), [&](const Edge& e) { return base(e.to, e.from); }))
    return true;
  if (reading_.base_acyclic || g.fence_sc.empty()) return false;
  scratch_.reset(g.events.size());
  for (const Edge& e : g.fence_sc) scratch_.add(e.from, e.to);
  close(scratch_);
  return scratch_.reflexive_somewhere();
}

std::optional<Axiom> Relations::violated_axiom(const ExecutionGraph& g) {
  if (reading_.interleaving()) {
    if (base.reflexive_somewhere()) return Axiom::sequential_consistency;
    if (breaks_atomicity(g)) return Axiom::atomicity;
    if (reading_.whole_vectors && tears_vectors(g)) return Axiom::whole_vectors;
    return std::nullopt;
  }
  if (co.reflexive_somewhere()) return Axiom::coherence;
  if (breaks_fence_sc(g)) return Axiom::fence_sc;
  if (breaks_causality(g)) return Axiom::causality;
  if (breaks_atomicity(g)) return Axiom::atomicity;
  if (reading_.whole_vectors && tears_vectors(g)) return Axiom::whole_vectors;
  if (reading_.sc_per_location && breaks_sc_per_location(g)) return Axiom::sc_per_location;
  if (thin_air(g)) return Axiom::no_thin_air;
  return std::nullopt;
}

// --- Races ---

// An atomic is one operation: related by causality as soon as one of its halves is.
bool Relations::ordered(const ExecutionGraph& g, EventId a, EventId b) const {
  const EventId halves_a[] = {a, g.events[a].rmw};
  const EventId halves_b[] = {b, g.events[b].rmw};
  for (const EventId x : halves_a)
    for (const EventId y : halves_b)
      if (x != no_event && y != no_event && (cause(x, y) || cause(y, x))) return true;
  return false;
}

bool Relations::may_race(const ExecutionGraph& g, EventId a, EventId b) const {
  const Event& x = g.events[a];
  const Event& y = g.events[b];
  if (x.thread == no_thread || y.thread == no_thread || !overlaps(a, b)) return false;
  if (x.rmw == b) return false;
  return (x.is_write() || y.is_write()) && !ms(a, b);
}

std::vector<RacePair> Relations::races(const ExecutionGraph& g) const {
  std::vector<RacePair> found;
  if (!reading_.has_races) return found;
  for (const EventId a : memory_) {
    // The read half of an atomic that writes is judged with its write half.
    if (g.events[a].is_read() && g.events[a].rmw != no_event) continue;
    overlaps.each(a, [&](EventId b) {
      if (b <= a || (g.events[b].is_read() && g.events[b].rmw != no_event)) return;
      if (!may_race(g, a, b) || ordered(g, a, b)) return;
      found.push_back({a, b, g.events[a].location != g.events[b].location});
    });
  }
  return found;
}

}  // namespace fencewise
