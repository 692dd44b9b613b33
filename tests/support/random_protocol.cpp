#include "tests/support/random_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/builder.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/random.h"

namespace fencewise::testing {
namespace {

using litmus::Random;

constexpr std::uint32_t elements = 6;  // of each array

// Where a thread's statements go, and what they speak of.
struct Body {
  KernelBuilder& k;
  Array data, flags, counters, noise, shared;
  std::optional<Val> seen;  // of a grid: what was read so far, as one number

  void note(const Val& value) {
    if (seen) k.set(*seen, *seen * Val(5) + value + Val(1));
  }
};
using Step = std::function<void(Body&)>;

struct Spot {
  std::uint32_t cta = 0, device = 0;
};

// Random choices are made one a statement: the order of evaluation within a call differs between compilers.
class Plan {
 public:
  Plan(std::uint64_t seed, std::vector<Spot> spots, std::uint32_t replays)
      : random_(seed), spots_(std::move(spots)), replays_(replays), steps_(spots_.size()) {
    wrong_ = random_.chance(40) ? 6 : 0;  // in percent, of each choice
  }

  void fill(std::uint32_t patterns) {
    for (std::uint32_t n = 0; n < patterns; ++n) {
      const std::uint32_t kind = random_.below(replays_ > 1 ? 5 : 10);
      switch (kind) {
        case 0: count(); break;
        case 1: chain(); break;
        case 2: try_lock(); break;
        case 3: barrier(); break;
        case 4: chain(); break;
        case 5: message(); break;
        case 6: message(); break;
        case 7: relay(); break;
        case 8: store_buffering(); break;
        default: hand_on(); break;
      }
    }
    if (random_.chance(40)) strong_noise();
  }
  [[nodiscard]] const std::vector<Step>& steps(std::size_t thread) const { return steps_[thread]; }

 private:
  [[nodiscard]] std::uint32_t threads() const { return static_cast<std::uint32_t>(spots_.size()); }
  bool wrong() { return random_.chance(wrong_); }
  void add(std::uint32_t thread, Step step) { steps_[thread].push_back(std::move(step)); }

  std::uint32_t other_than(std::uint32_t thread) {
    const std::uint32_t step = random_.between(1, threads() - 1);
    return (thread + step) % threads();
  }
  std::uint32_t fresh_data() { return next_data_++ % elements; }
  std::uint32_t fresh_flag() { return next_flag_++ % elements; }

  // A scope at which these threads reach each other, seldom a narrower one.
  Scope scope(const std::vector<std::uint32_t>& members) {
    constexpr Scope any[] = {Scope::cta, Scope::gpu, Scope::sys};
    if (wrong()) return random_.pick(any);
    bool one_cta = true, one_device = true;
    for (const std::uint32_t m : members) {
      one_cta &= spots_[m].cta == spots_[members.front()].cta;
      one_device &= spots_[m].device == spots_[members.front()].device;
    }
    const std::uint32_t narrowest = one_cta ? 0 : one_device ? 1 : 2;
    const bool wider = random_.chance(25);
    return any[std::min(2U, narrowest + static_cast<std::uint32_t>(wider))];
  }
  Fence release_fence(Scope s) {
    constexpr Order orders[] = {Order::acq_rel, Order::sc, Order::sc, Order::release};
    return {random_.pick(orders), s};
  }
  Fence acquire_fence(Scope s) {
    constexpr Order orders[] = {Order::acq_rel, Order::sc, Order::sc, Order::acquire};
    return {random_.pick(orders), s};
  }
  static void emit(Body& b, const std::optional<Fence>& f) {
    if (f) b.k.fence(f->order, f->scope);
  }

  // Writes `value` to a flag that holds 0, so that what was done before is seen by who sees it.
  Step release(std::uint32_t flag, std::uint32_t value, Scope s) {
    const std::uint32_t kind = random_.below(6);
    const bool broken = wrong();
    const Fence fence = release_fence(s);
    const Order order = random_.chance(70) ? Order::release : Order::acq_rel;
    return [=](Body& b) {
      const Place place = b.flags[flag];
      const int v = static_cast<int>(value);
      if (broken) return b.k.st(place, v, kind == 0 ? weak : relaxed(s));
      switch (kind) {
        case 0: return b.k.st(place, v, fencewise::release(s));
        case 1:
          b.k.fence(fence.order, fence.scope);
          return b.k.st(place, v, relaxed(s));
        case 2: return (void)b.k.atom(AtomicOp::exch, place, v, {.order = order, .scope = s});
        case 3:
          b.k.fence(fence.order, fence.scope);
          return b.k.red(AtomicOp::add, place, v, relaxed(s));
        case 4: return b.k.red(AtomicOp::add, place, v, {.order = order, .scope = s});
        default:
          b.k.fence(fence.order, fence.scope);
          return (void)b.k.atom(AtomicOp::add, place, v, relaxed(s));
      }
    };
  }

  struct Acquire {
    std::function<Val(Body&)> read;
    Step after;  // once the value is known to be the one that was waited for
  };
  Acquire acquire(std::uint32_t flag, Scope s, bool loads_only) {
    std::uint32_t kind = random_.below(loads_only ? 2 : 5);
    const bool broken = wrong();
    const Fence fence = acquire_fence(s);
    const Order order = random_.chance(70) ? Order::acquire : Order::acq_rel;
    const auto nothing = [](Body&) {};
    const auto fenced = [fence](Body& b) { b.k.fence(fence.order, fence.scope); };
    if (broken) return {[=](Body& b) { return b.k.ld(b.flags[flag], kind == 0 ? weak : relaxed(s)); }, nothing};
    switch (kind) {
      case 0: return {[=](Body& b) { return b.k.ld(b.flags[flag], fencewise::acquire(s)); }, nothing};
      case 1: return {[=](Body& b) { return b.k.ld(b.flags[flag], relaxed(s)); }, fenced};
      case 2: return {[=](Body& b) { return b.k.atom(AtomicOp::add, b.flags[flag], 0, {.order = order, .scope = s}); }, nothing};
      case 3: return {[=](Body& b) { return b.k.cas(b.flags[flag], 7, 7, {.order = order, .scope = s}); }, nothing};
      default: return {[=](Body& b) { return b.k.atom(AtomicOp::bit_or, b.flags[flag], 0, relaxed(s)); }, fenced};
    }
  }

  Step put(std::uint32_t slot, std::uint32_t value) {
    return [=](Body& b) { b.k.st(b.data[slot], static_cast<int>(value)); };
  }
  Step get(std::uint32_t slot) {
    return [=](Body& b) { b.note(b.k.ld(b.data[slot])); };
  }
  // Waits for `value` of the flag, or looks once.
  Step on(const Acquire& a, std::uint32_t value, bool waits, Step then) {
    const int v = static_cast<int>(value);
    return [=](Body& b) {
      if (waits) {
        b.note(b.k.await([&] { return a.read(b); }, [&](Val x) { return x == v; }));
        a.after(b);
        then(b);
        return;
      }
      const Val x = a.read(b);
      b.note(x);
      b.k.if_(x == v, [&] {
        a.after(b);
        then(b);
      });
    };
  }

  void message() {
    const std::uint32_t writer = random_.below(threads());
    const std::uint32_t slot = fresh_data(), flag = fresh_flag(), value = random_.between(1, 2);
    std::vector<std::uint32_t> all{writer}, readers;
    for (std::uint32_t n = random_.chance(30) && threads() > 2 ? 2 : 1; n > 0; --n) {
      const std::uint32_t reader = other_than(writer);
      if (std::find(readers.begin(), readers.end(), reader) != readers.end()) continue;
      readers.push_back(reader);
      all.push_back(reader);
    }
    const Scope s = scope(all);
    add(writer, put(slot, value));
    add(writer, release(flag, value, s));
    if (random_.chance(15) && readers.size() == 1) {  // hands the slot back
      const std::uint32_t back = fresh_flag();
      const Step answer = release(back, 1, s);
      const bool waits = random_.chance(30);
      add(readers[0], on(acquire(flag, s, waits), value, waits, [then = get(slot), answer](Body& b) {
            then(b);
            answer(b);
          }));
      add(writer, on(acquire(back, s, false), 1, false, put(slot, 9)));
      return;
    }
    for (const std::uint32_t reader : readers) {
      const bool waits = random_.chance(30);
      add(reader, on(acquire(flag, s, waits), value, waits, get(slot)));
    }
  }

  void relay() {
    const std::uint32_t a = random_.below(threads()), b = other_than(a), c = other_than(b);
    const std::uint32_t slot = fresh_data(), first = fresh_flag(), second = fresh_flag();
    const Scope s1 = scope({a, b}), s2 = scope({a, b, c});
    add(a, put(slot, 1));
    add(a, release(first, 1, s1));
    const bool waits = random_.chance(30);
    add(b, on(acquire(first, s1, waits), 1, waits, release(second, 1, s2)));
    add(c, on(acquire(second, s2, false), 1, false, get(slot)));
  }

  // A flag that others add to before it is seen: who sees the last of the chain has what the first released.
  void hand_on() {
    const std::uint32_t a = random_.below(threads()), b = other_than(a), c = other_than(b);
    const std::uint32_t slot = fresh_data(), flag = fresh_flag();
    const Scope s = scope({a, b, c});
    add(a, put(slot, 1));
    add(a, release(flag, 1, s));
    const bool red = random_.chance(50);
    const Scope s_middle = scope({a, b, c});
    add(b, [=](Body& body) {
      if (red) return body.k.red(AtomicOp::add, body.flags[flag], 2, relaxed(s_middle));
      body.note(body.k.atom(AtomicOp::add, body.flags[flag], 2, relaxed(s_middle)));
    });
    const Acquire acquired = acquire(flag, s, false);
    const Step then = get(slot);
    add(c, [=](Body& body) {
      const Val x = acquired.read(body);
      body.note(x);
      body.k.if_((x & Val(1)) == 1, [&] {
        acquired.after(body);
        then(body);
      });
    });
  }

  void count() {
    std::vector<std::uint32_t> members;
    for (std::uint32_t t = 0; t < threads(); ++t)
      if (threads() < 3 || random_.chance(75)) members.push_back(t);
    if (members.size() < 2) members = {0, 1};
    const Scope s = scope(members);
    const std::uint32_t counter = next_counter_++ % elements;
    const std::uint32_t first = next_data_;
    next_data_ += static_cast<std::uint32_t>(members.size());
    const std::uint32_t style = random_.below(3), reset = random_.below(4);
    const bool data = random_.chance(80);
    const int last = static_cast<int>(members.size()) - 1;
    const Fence before = release_fence(s), after = acquire_fence(s);
    const bool broken = wrong();
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      const std::uint32_t slot = (first + m) % elements;
      if (data) add(members[m], put(slot, m + 1));
      add(members[m], [=, size = static_cast<std::uint32_t>(members.size())](Body& b) {
        if (style != 0 && !broken) b.k.fence(before.order, before.scope);
        const Val ticket = b.k.atom(AtomicOp::add, b.counters[counter], 1, style == 0 ? acq_rel(s) : relaxed(s));
        b.note(ticket);
        b.k.if_(ticket == last, [&] {
          if (style != 0) b.k.fence(after.order, after.scope);
          for (std::uint32_t other = 0; data && other < size; ++other)
            if (other != m) b.note(b.k.ld(b.data[(first + other) % elements]));
          if (reset == 0) b.k.st(b.counters[counter], 0);
          if (reset == 1) b.k.st(b.counters[counter], 0, relaxed(s));
          if (reset == 2) b.note(b.k.atom(AtomicOp::exch, b.counters[counter], 0, relaxed(s)));
        });
      });
    }
  }

  void try_lock() {
    const std::uint32_t a = random_.below(threads()), b = other_than(a);
    std::vector<std::uint32_t> members{a, b};
    const std::uint32_t c = other_than(b);
    if (c != a && random_.chance(30)) members.push_back(c);
    const Scope s = scope(members);
    const std::uint32_t lock = next_counter_++ % elements, slot = fresh_data();
    const bool by_exch = random_.chance(30);
    for (const std::uint32_t m : members) {
      const bool fenced_in = random_.chance(50), fenced_out = random_.chance(50), forgets = wrong();
      const Fence in = acquire_fence(s), out = release_fence(s);
      const Order order = random_.chance(50) ? Order::acquire : Order::acq_rel;
      add(m, [=](Body& body) {
        const How how = fenced_in ? relaxed(s) : How{.order = order, .scope = s};
        const Val found = by_exch ? body.k.atom(AtomicOp::exch, body.counters[lock], 1, how)
                                  : body.k.cas(body.counters[lock], 0, 1, how);
        body.note(found);
        body.k.if_(found == 0, [&] {
          if (fenced_in && !forgets) body.k.fence(in.order, in.scope);
          const Val x = body.k.ld(body.data[slot]);
          body.note(x);
          body.k.st(body.data[slot], x + Val(1));
          if (fenced_out) body.k.fence(out.order, out.scope);
          body.k.st(body.counters[lock], 0, fenced_out ? relaxed(s) : fencewise::release(s));
        });
      });
    }
  }

  void barrier() {
    std::vector<std::uint32_t> mates;
    const std::uint32_t one = random_.below(threads());
    for (std::uint32_t t = 0; t < threads(); ++t)
      if (spots_[t].cta == spots_[one].cta) mates.push_back(t);
    const std::uint32_t first = next_data_;
    next_data_ += static_cast<std::uint32_t>(mates.size());
    const bool in_shared = random_.chance(50), counted = random_.chance(30), twice = random_.chance(30);
    const bool arrives = counted && mates.size() > 1 && random_.chance(40);
    const std::uint32_t skips = wrong() ? random_.below(threads()) : threads();
    const int all = static_cast<int>(mates.size()), id = counted ? 1 : 0;
    for (std::uint32_t m = 0; m < mates.size(); ++m) {
      const std::uint32_t mine = (first + m) % elements;
      const std::uint32_t next = (first + (m + 1) % static_cast<std::uint32_t>(mates.size())) % elements;
      const bool only_gives = arrives && m == 0;
      const bool skip = mates[m] == skips;
      add(mates[m], [=](Body& b) {
        const Array& array = in_shared ? b.shared : b.data;
        const auto meet = [&] {
          if (skip) return;
          if (!counted) return b.k.bar_sync();
          if (only_gives) return b.k.bar_arrive(id, all);
          b.k.bar_sync(id, all);
        };
        b.k.st(array[mine], static_cast<int>(m) + 3);
        meet();
        if (only_gives) return;
        b.note(b.k.ld(array[next]));
        if (!twice || arrives) return;
        meet();
        b.k.st(array[next], 8);
      });
    }
  }

  void chain() {
    const std::uint32_t place = next_noise_++ % elements;
    std::vector<std::uint32_t> everybody;
    for (std::uint32_t t = 0; t < threads(); ++t) everybody.push_back(t);
    const std::uint32_t operations = random_.between(2, 3);
    for (std::uint32_t n = 0; n < operations; ++n) {
      const std::uint32_t t = random_.below(threads());
      const Scope s = scope(everybody);
      constexpr Order orders[] = {Order::relaxed, Order::relaxed, Order::acquire, Order::release, Order::acq_rel};
      const How how{.order = random_.pick(orders), .scope = s};
      const std::uint32_t kind = random_.below(6);
      add(t, [=](Body& b) {
        const Place p = b.noise[place];
        switch (kind) {
          case 0: return b.note(b.k.atom(AtomicOp::add, p, 1, how));
          case 1: return b.note(b.k.atom(AtomicOp::exch, p, static_cast<int>(n) + 4, how));
          case 2: return b.note(b.k.cas(p, 0, 2, how));
          case 3: return b.k.red(AtomicOp::add, p, 1, how);
          case 4: return b.k.red(AtomicOp::max, p, static_cast<int>(n) + 3, how);
          default: return b.k.red(AtomicOp::add, p, 1, relaxed(s));
        }
      });
    }
  }

  void store_buffering() {
    const std::uint32_t a = random_.below(threads()), b = other_than(a);
    const std::uint32_t fa = fresh_flag(), fb = fresh_flag();
    const Scope s = scope({a, b});
    const bool sc = random_.chance(70);
    const Fence one = sc ? Fence{Order::sc, scope({a, b})} : release_fence(s);
    const Fence two = sc ? Fence{Order::sc, scope({a, b})} : release_fence(s);
    const std::uint32_t slot = fresh_data();
    const bool guards = sc && random_.chance(50);  // who sees nobody may write
    const auto side = [&](std::uint32_t t, std::uint32_t mine, std::uint32_t other, Fence f) {
      add(t, [=](Body& body) {
        body.k.st(body.flags[mine], 1, relaxed(s));
        body.k.fence(f.order, f.scope);
        const Val x = body.k.ld(body.flags[other], relaxed(s));
        body.note(x);
        if (guards) body.k.if_(x == 0, [&] { body.k.st(body.data[slot], static_cast<int>(t) + 1); });
      });
    };
    side(a, fa, fb, one);
    side(b, fb, fa, two);
  }

  void strong_noise() {
    const std::uint32_t place = next_noise_++ % elements;
    std::vector<std::uint32_t> everybody;
    for (std::uint32_t t = 0; t < threads(); ++t) everybody.push_back(t);
    for (std::uint32_t n = random_.between(2, 3); n > 0; --n) {
      const std::uint32_t t = random_.below(threads());
      const Scope s = scope(everybody);
      const bool load = random_.chance(50), ordered = random_.chance(40);
      Step step = [=](Body& b) {
        if (load) return b.note(b.k.ld(b.noise[place], ordered ? fencewise::acquire(s) : relaxed(s)));
        b.k.st(b.noise[place], static_cast<int>(n) + 4, ordered ? fencewise::release(s) : relaxed(s));
      };
      auto& steps = steps_[t];
      const auto at = static_cast<std::ptrdiff_t>(random_.below(static_cast<std::uint32_t>(steps.size() + 1)));
      steps.insert(steps.begin() + at, std::move(step));
    }
  }

  Random random_;
  std::vector<Spot> spots_;
  std::uint32_t replays_;
  std::vector<std::vector<Step>> steps_;  // [thread]
  std::uint32_t wrong_ = 0;
  std::uint32_t next_data_ = 0, next_flag_ = 0, next_counter_ = 0, next_noise_ = 0;
};

Body body_of(KernelBuilder& k) {
  return {k,
          k.global("d", Type::u32),
          k.global("f", Type::u32),
          k.global("c", Type::u32),
          k.global("n", Type::u32),
          k.shared("s", Type::u32, elements),
          std::nullopt};
}

void add_buffers(Problem& problem) {
  for (const char* name : {"d", "f", "c", "n"})
    problem.buffers.push_back({name, Type::u32, elements, Role::workspace, {}, std::nullopt, false});
}

}  // namespace

Problem random_placed(std::uint64_t seed) {
  Random random(seed * 2 + 1);
  std::vector<Spot> spots;
  const std::uint32_t threads = random.chance(25) ? 4 : random.between(2, 3);
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (t > 0 && random.chance(40)) {
      spots.push_back(spots[random.below(t)]);
      continue;
    }
    const std::uint32_t device = random.chance(10) ? 1 : 0;
    spots.push_back({t, device});
  }
  Plan plan(random.next(), spots, 1);
  plan.fill(threads == 4 ? random.between(1, 2) : random.between(1, 3));
  Problem problem;
  problem.name = fmt::format("placed-{}", seed);
  add_buffers(problem);
  problem.launches.emplace_back();
  for (std::uint32_t t = 0; t < threads; ++t) {
    KernelBuilder k(fmt::format("P{}", t));
    Body body = body_of(k);
    for (const Step& step : plan.steps(t)) step(body);
    problem.kernels.push_back(k.build());
    problem.launches[0].placed.push_back(
        {KernelId{t}, {CtaId{spots[t].cta}, ClusterId{spots[t].cta}, DeviceId{spots[t].device}}});
  }
  return problem;
}

Problem random_grid(std::uint64_t seed) {
  Random random(seed * 2);
  const std::uint32_t ctas = random.between(1, 3);
  const std::uint32_t per_cta = ctas == 1 ? random.between(2, 3) : ctas == 3 ? 1 : random.between(1, 2);
  const std::uint32_t replays = random.chance(30) ? 2 : 1;
  std::vector<Spot> spots;
  for (std::uint32_t t = 0; t < ctas * per_cta; ++t) spots.push_back({t / per_cta, 0});
  Plan plan(random.next(), spots, replays);
  plan.fill(spots.size() == 4 ? random.between(1, 2) : random.between(1, 3));
  Problem problem;
  problem.name = fmt::format("grid-{}", seed);
  problem.replays = replays;
  add_buffers(problem);
  problem.buffers.push_back({"out", Type::u32, spots.size(), Role::output, {}, std::nullopt, false});
  KernelBuilder k("k");
  Body body = body_of(k);
  const Array out = k.global("out", Type::u32);
  const Val id = k.ctaid() * Val(per_cta) + k.tid();
  body.seen = k.var("seen", Type::u32, 0);
  for (std::uint32_t t = 0; t < spots.size(); ++t)
    k.if_(id == static_cast<int>(t), [&] {
      for (const Step& step : plan.steps(t)) step(body);
    });
  k.st(out[id], *body.seen);
  problem.kernels.push_back(k.build());
  Launch launch;
  launch.name = "k";
  launch.grid = {ctas, 1, 1};
  launch.block = {per_cta, 1, 1};
  problem.launches.push_back(launch);
  return problem;
}

// --- All CTAs alike ---

Problem random_symmetric(std::uint64_t seed) {
  Random random(seed ^ 0x73796d6dU);
  const std::uint32_t threads = random.chance(35) ? 2 : 1;
  const std::uint32_t ctas = threads == 2 ? 2 : random.between(2, 3);
  const int S = static_cast<int>(ctas), T = static_cast<int>(threads);
  constexpr Order orders[] = {Order::acq_rel, Order::sc, Order::sc};
  const std::optional<Fence> none;
  const auto maybe = [&](std::uint32_t percent) {
    const Fence f{random.pick(orders), random.chance(5) ? Scope::cta : Scope::gpu};
    return random.chance(percent) ? std::optional(f) : none;
  };
  const auto emit = [](KernelBuilder& k, const std::optional<Fence>& f) {
    if (f) k.fence(f->order, f->scope);
  };
  const bool count_orders = random.chance(30);
  const How count = count_orders ? acq_rel(Scope::gpu) : random.chance(4) ? relaxed(Scope::cta) : relaxed(Scope::gpu);
  const std::optional<Fence> writer = maybe(count_orders ? 20 : 93), leader = maybe(threads == 2 ? 40 : 10),
                             reader = maybe(count_orders ? 20 : 95);
  const bool barrier_first = !random.chance(5), barrier_after = !random.chance(5);
  const bool red_before = random.chance(30), store_before = random.chance(15), grid_barrier = random.chance(15);
  const std::uint32_t reset = random.below(5);  // 0: forgotten
  const bool noise_after = random.chance(25), keep_ticket = random.chance(25), by_name = random.chance(60);

  KernelBuilder k("k");
  const Array in = k.global("in", Type::u32), ws = k.global("ws", Type::u32), c = k.global("c", Type::u32),
              n = k.global("n", Type::u32), own = k.global("own", Type::u32), out = k.global("out", Type::u32);
  const Array flag = k.shared("flag", Type::u32, 1);
  const Val mine = k.ctaid() * Val(T) + k.tid();
  k.st(ws[mine], k.ld(in[mine]));
  if (red_before) k.red(AtomicOp::add, n[0], 1);
  if (store_before) k.st(n[1], 1, relaxed(Scope::gpu));
  emit(k, writer);
  if (threads > 1 && barrier_first) k.bar_sync();
  const auto finish = [&] {
    emit(k, reader);
    const Val sum = k.var("sum", Type::u32, 0);
    k.for_(0, S * T, [&](const Val& i) { k.set(sum, sum + k.ld(ws[i])); });
    k.st(out[0], sum);
    if (reset == 1 || reset == 2) k.st(c[0], 0);
    if (reset == 3) k.st(c[0], 0, relaxed(Scope::gpu));
    if (reset == 4) (void)k.atom(AtomicOp::exch, c[0], 0);
  };
  const auto leader_part = [&](const std::function<void(const Val&)>& then) {
    emit(k, leader);
    const Val ticket = k.atom(AtomicOp::add, c[0], 1, count);
    if (noise_after) k.red(AtomicOp::add, n[2], 2);
    if (keep_ticket) k.st(own[mine], k.cast(ticket < 1, Type::u32));
    if (grid_barrier) (void)k.await([&] { return k.ld(c[0], acquire(Scope::gpu)); }, [&](Val x) { return x == S; });
    then(ticket == S - 1);
  };
  if (threads == 1) {
    leader_part([&](const Val& last) { k.if_(last, finish); });
  } else {
    k.if_(k.tid() == 0, [&] { leader_part([&](const Val& last) { k.st(flag[0], k.cast(last, Type::u32)); }); });
    if (barrier_after) k.bar_sync();
    k.if_(k.ld(flag[0]) == 1, [&] { k.if_(k.tid() == 0, finish); });
  }
  Problem problem;
  problem.name = fmt::format("symmetric-{}", seed);
  problem.kernels = {k.build()};
  const auto buffer = [&](const char* name, std::uint64_t length, Role role, InitialContents::Kind kind) {
    problem.buffers.push_back({name, Type::u32, length, role, InitialContents::of(kind), std::nullopt, false});
  };
  const std::uint64_t slots = std::uint64_t{ctas} * threads;
  using enum InitialContents::Kind;
  buffer("in", slots, Role::input, by_name ? symbols : zero);
  buffer("ws", slots, Role::workspace, random.chance(50) ? any : zero);
  buffer("c", 1, Role::workspace, zero);
  buffer("n", 3, Role::workspace, zero);
  buffer("own", slots, Role::workspace, zero);
  buffer("out", 1, Role::output, unwritten);
  Launch launch;
  launch.name = "k";
  launch.grid = {ctas, 1, 1};
  launch.block = {threads, 1, 1};
  problem.launches.push_back(launch);
  problem.replays = random.chance(50) ? 2 : 1;
  const BufferTerm result(BufferId{5}), inputs(BufferId{0});
  problem.contract.assertions = {{.text = "out[0] is the sum of in",
                                  .formula = result[0] == sum("i", 0, S * T, [&](Term i) { return inputs[i]; })}};
  if (random.chance(50)) problem.contract.restored = {BufferId{2}};
  return problem;
}

// --- Litmus tests ---

Problem random_litmus(std::uint64_t seed) {
  Random random(seed ^ 0x6c69746dU);
  GeneratorOptions options;
  options.max_operations = random.between(4, 7);
  options.max_threads = random.between(2, 4);
  options.max_locations = random.between(1, 3);
  options.one_sided_fences = true;
  options.volatiles = true;
  Problem problem = generate_litmus(seed, options);
  problem.contract = {};
  const bool strong = random.chance(75);
  if (!strong) return problem;
  const std::uint32_t wide = random.chance(60) ? 100 : 85;
  for (Kernel& kernel : problem.kernels)
    for (Block& block : kernel.blocks)
      for (Instruction& i : block.instructions) {
        Access* access = nullptr;
        if (auto* load = std::get_if<Load>(&i.operation)) access = &load->access;
        if (auto* store = std::get_if<Store>(&i.operation)) access = &store->access;
        if (auto* atomic = std::get_if<Atomic>(&i.operation)) access = &atomic->access;
        if (access == nullptr) continue;
        if (access->order == Order::weak) access->order = Order::relaxed;
        if (random.chance(wide)) access->scope = Scope::sys;
      }
  return problem;
}

Problem random_stress(std::uint64_t seed) {
  Random random(seed ^ 0x73747265U);
  GeneratorOptions options;
  options.max_operations = random.between(5, 8);
  options.min_threads = random.between(2, 3);
  options.max_threads = 4;
  options.max_locations = random.between(1, 3);
  options.one_sided_fences = true;
  options.barriers = false;
  Problem problem = generate_litmus(seed + 77'000'000, options);
  problem.contract = {};
  for (Kernel& kernel : problem.kernels)
    for (Block& block : kernel.blocks)
      for (Instruction& i : block.instructions) {
        const auto widen = [](Access& access) {
          if (access.order == Order::weak) access.order = Order::relaxed;
          access.scope = Scope::sys;
        };
        if (auto* load = std::get_if<Load>(&i.operation)) widen(load->access);
        if (auto* store = std::get_if<Store>(&i.operation)) widen(store->access);
        if (auto* atomic = std::get_if<Atomic>(&i.operation)) widen(atomic->access);
      }
  return problem;
}

}  // namespace fencewise::testing
