#include "checker/explore/view/eligibility.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <fmt/format.h>

#include "kernels/core/access.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/printer.h"
#include "kernels/core/thread_constants.h"

namespace fencewise::view {
namespace {

// An array, or one element of it, as threads of several kernels may share it.
struct Target {
  std::uint64_t array = 0;             // buffer; or kernel and array, for shared memory
  std::optional<std::uint64_t> byte;   // no value: any element

  [[nodiscard]] bool meets(const Target& other) const {
    return array == other.array && (!byte || !other.byte || *byte == *other.byte);
  }
  friend auto operator<=>(const Target&, const Target&) = default;
};

// Where a visit of a thread comes in or goes out. `launch`: its beginning after other launches, or its end before others.
struct Site {
  enum class Kind : std::uint8_t { memory, fence, barrier, launch };
  Kind kind = Kind::memory;
  InstructionRef ref;
  Target place;
  std::uint64_t turns = 0;  // of a barrier, see KernelLook::turns
};

bool same_barrier(const Barrier& a, const Barrier& b) {
  return a.id == b.id || a.id.kind != Operand::Kind::immediate || b.id.kind != Operand::Kind::immediate;
}

class KernelLook {
 public:
  KernelLook(const Kernel& kernel, const Hierarchy& hierarchy) : kernel_(kernel), hierarchy_(hierarchy) {
    std::vector<std::uint32_t> definitions(kernel.registers.size(), 0);
    each([&](InstructionRef, const Instruction& i) {
      for (const RegisterId r : registers_written(i)) ++definitions[r.value];
    });
    for (const std::uint32_t n : definitions) single_.push_back(n == 1);
    each([&](InstructionRef ref, const Instruction& i) {
      if (const auto* barrier = std::get_if<Barrier>(&i.operation)) turns_[{ref.block.value, ref.index}] = turns_of(*barrier, ref);
    });
  }

  template <class F> void each(F&& f) const { each_instruction(kernel_, f); }

  [[nodiscard]] bool path(InstructionRef from, InstructionRef to,
                          const std::function<bool(const Instruction&)>& stops = nullptr) const {
    return may_reach(kernel_, from, to, stops);
  }

  // A thread's n-th barrier of a number meets the n-th of the others, where none of that number counts threads, and none arrives
  // without waiting. Bit n: this one may be the n-th, from 0; the last bit stands for all from there on. Else all bits.
  [[nodiscard]] std::uint64_t turns(InstructionRef barrier) const { return turns_.at({barrier.block.value, barrier.index}); }

  [[nodiscard]] bool wide(Scope scope) const { return hierarchy_.level(scope) == hierarchy_.top(); }

  // A release pattern that starts after `in` ends in `out`, on every path.
  [[nodiscard]] bool releases_between(const Site& in, const Site& out) const {
    if (in.kind == Site::Kind::launch || out.kind == Site::Kind::launch) return false;
    const Instruction& o = kernel_.at(out.ref);
    if (const Access* a = access_of(o)) {
      if (!wide(a->scope)) return false;
      if (releases(a->order)) return true;
    }
    if (const auto* fence = std::get_if<Fence>(&kernel_.at(in.ref).operation); fence && wide(fence->scope)) return true;
    return in.ref != out.ref && !path(in.ref, out.ref, [&](const Instruction& i) {
      const auto* fence = std::get_if<Fence>(&i.operation);
      return fence && !i.guard && wide(fence->scope) && (fence->order == Order::sc || releases(fence->order));
    });
  }
  // An acquire pattern that starts at `in` ends before `out` (at it, if a fence), on every path.
  [[nodiscard]] bool acquires_between(const Site& in, const Site& out) const {
    if (in.kind == Site::Kind::launch || out.kind == Site::Kind::launch) return false;
    const Instruction& i = kernel_.at(in.ref);
    const Access* a = access_of(i);
    if (a == nullptr || !wide(a->scope)) return false;
    const auto* atomic = std::get_if<Atomic>(&i.operation);
    if (atomic && atomic->red) return false;
    if (in.ref == out.ref) return false;
    if (acquires(a->order)) return true;
    if (const auto* fence = std::get_if<Fence>(&kernel_.at(out.ref).operation); fence && wide(fence->scope)) return true;
    return !path(in.ref, out.ref, [&](const Instruction& j) {
      const auto* fence = std::get_if<Fence>(&j.operation);
      return fence && !j.guard && wide(fence->scope) && (fence->order == Order::sc || acquires(fence->order));
    });
  }

  // Whether `out` depends on what `in` read: by its operands, or by a branch on every path.
  [[nodiscard]] bool depends(const Site& in, const Site& out) const {
    if (in.kind == Site::Kind::launch || out.kind == Site::Kind::launch) return true;  // it begins when others have ended
    const Instruction& i = kernel_.at(in.ref);
    if (in.ref == out.ref) {
      const auto* atomic = std::get_if<Atomic>(&i.operation);
      return atomic && atomic->op != AtomicOp::exch && atomic->op != AtomicOp::cas;
    }
    std::vector<bool> from(kernel_.registers.size(), false);
    for (const RegisterId r : registers_written(i))
      if (single_[r.value]) from[r.value] = true;
    for (bool again = true; again;) {
      again = false;
      each([&](InstructionRef, const Instruction& j) {
        const auto* a = std::get_if<Arithmetic>(&j.operation);
        if (!a || j.guard || from[a->dst.value] || !single_[a->dst.value]) return;
        for (const Operand& o : {a->a, a->b, a->c})
          if (o.is_register() && from[o.index]) from[a->dst.value] = again = true;
      });
    }
    const Instruction& o = kernel_.at(out.ref);
    for (const RegisterId r : registers_read(o))
      if (from[r.value] && !(o.guard && o.guard->predicate == r)) return true;
    const auto decided = branches_that_depend(from);
    return !path(in.ref, out.ref, [&](const Instruction& j) { return decided.contains(&j); });
  }

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }

 private:
  // Branches on a register in `from`, or on one that their own block sets last, from such a register.
  [[nodiscard]] std::set<const Instruction*> branches_that_depend(const std::vector<bool>& from) const {
    std::set<const Instruction*> branches;
    for (const Block& block : kernel_.blocks) {
      std::vector<bool> here = from;
      for (const Instruction& i : block.instructions) {
        if (const auto* branch = std::get_if<CondBranch>(&i.operation); branch && here[branch->predicate.value]) branches.insert(&i);
        const auto* a = std::get_if<Arithmetic>(&i.operation);
        const auto depends = [&](const Operand& o) { return o.is_register() && here[o.index]; };
        for (const RegisterId r : registers_written(i))
          if (!single_[r.value])
            here[r.value] = a && !i.guard && (depends(a->a) || depends(a->b) || depends(a->c));
      }
    }
    return branches;
  }

  [[nodiscard]] std::uint64_t turns_of(const Barrier& barrier, InstructionRef at) const {
    constexpr std::uint64_t last = std::uint64_t{1} << 63U;
    bool counted = barrier.instance.has_value();
    each([&](InstructionRef, const Instruction& i) {
      const auto* other = std::get_if<Barrier>(&i.operation);
      counted |= other && same_barrier(*other, barrier) && (other->count.present() || other->kind == BarrierKind::arrive);
    });
    if (counted) return ~std::uint64_t{0};
    std::uint64_t turns = 0;
    std::vector<std::uint64_t> passed(kernel_.blocks.size(), 0);  // [block] where it begins
    passed[0] = 1;
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
        std::uint64_t now = passed[b];
        for (std::uint32_t n = 0; n < kernel_.blocks[b].instructions.size(); ++n) {
          const Instruction& i = kernel_.blocks[b].instructions[n];
          const auto* other = std::get_if<Barrier>(&i.operation);
          if (other == nullptr || !same_barrier(*other, barrier)) continue;
          if (at == InstructionRef{BlockId{b}, n}) turns |= now;
          now = now << 1U | (now & last) | (i.guard ? now : 0);
        }
        for (const BlockId next : successors(kernel_.blocks[b])) {
          again = again || (passed[next.value] | now) != passed[next.value];
          passed[next.value] |= now;
        }
      }
    }
    return turns;
  }

  const Kernel& kernel_;
  const Hierarchy& hierarchy_;
  std::vector<bool> single_;  // [register] written by one instruction only
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> turns_;  // [block, instruction] of barriers
};

// Threads of one launch that run one kernel and make each strong access at the same place, as far as the text tells where.
struct Role {
  std::uint32_t launch = 0;  // of the stage
  std::uint32_t kernel = 0;
  const ThreadProgram* program = nullptr;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Target> places;  // [block, instruction]
  std::size_t threads = 0;
  std::set<std::uint32_t> ctas;      // they are in
  std::uint32_t component = 0;       // of roles that communicate
};

// Beyond these threads are not told apart by place.
constexpr std::size_t most_roles = 256, most_visits = 4096;

struct Visit {
  std::uint32_t role = 0;
  Site in, out;
  bool released = false, acquired = false, dependent = false;
};

class Look {
 public:
  Look(const LaunchContext& c) : c_(c), hierarchy_(c) {
    for (const ThreadProgram& program : c.image.threads) {
      const std::uint32_t k = program.coordinates.kernel.value;
      if (programs_.try_emplace(k, &program).second) {
        looks_.emplace(k, KernelLook(*program.kernel, hierarchy_));
        constants_.emplace(k, ThreadConstants(*program.kernel));
      }
    }
    if (!assign_roles(true)) (void)assign_roles(false);
  }

  std::string run() {
    for (const auto& [k, look] : looks_) {
      if (auto why = thread_counts(look); !why.empty()) return why;
      if (auto why = barriers(k, look); !why.empty()) return why;
      look.each([&](InstructionRef, const Instruction& i) {
        const auto* fence = std::get_if<Fence>(&i.operation);
        narrow_fences_ |= fence != nullptr && fence->order == Order::sc && !look.wide(fence->scope);
      });
    }
    collect();
    return cycles();
  }

 private:
  // Two thread counts of one barrier: whether that is wrong depends on when its phases end.
  static std::string thread_counts(const KernelLook& look) {
    std::string why;
    look.each([&](InstructionRef, const Instruction& i) {
      look.each([&](InstructionRef, const Instruction& j) {
        const auto* one = std::get_if<Barrier>(&i.operation);
        const auto* other = std::get_if<Barrier>(&j.operation);
        if (why.empty() && one != nullptr && other != nullptr && !one->instance && !other->instance && same_barrier(*one, *other) &&
            one->count != other->count)
          why = fmt::format("'{}' and '{}' are one barrier with two thread counts", print(i, look.kernel()), print(j, look.kernel()));
      });
    });
    return why;
  }
  // Barriers with a count that more threads may come to.
  std::string barriers(std::uint32_t kernel, const KernelLook& look) {
    std::string why;
    look.each([&](InstructionRef, const Instruction& i) {
      const auto* barrier = std::get_if<Barrier>(&i.operation);
      if (barrier == nullptr || !barrier->count.present()) return;
      if (barrier->count.kind != Operand::Kind::immediate) {
        why = fmt::format("'{}' counts to a number in a register", print(i, look.kernel()));
        return;
      }
      std::size_t most = 0;
      for (std::uint32_t cta = 0; cta < c_.image.ctas; ++cta) {
        std::size_t here = 0;
        for (std::size_t t = 0; t < c_.image.threads.size(); ++t)
          here += static_cast<std::size_t>(c_.image.cta_of[t] == cta && has_barrier(*c_.image.threads[t].kernel, *barrier));
        most = std::max(most, here);
      }
      if (most > barrier->count.bits)
        why = fmt::format("more threads may come to '{}' than it counts", print(i, look.kernel()));
    });
    // Who only arrives may be back before the others have come: which arrivals make a phase is then a choice.
    look.each([&](InstructionRef ref, const Instruction& i) {
      const auto* arrive = std::get_if<Barrier>(&i.operation);
      if (arrive == nullptr || arrive->kind != BarrierKind::arrive) return;
      look.each([&](InstructionRef again, const Instruction& j) {
        const auto* barrier = std::get_if<Barrier>(&j.operation);
        if (barrier != nullptr && same_barrier(*arrive, *barrier) && look.path(ref, again))
          why = fmt::format("a thread may come to '{}' again before its arrival was needed", print(j, look.kernel()));
      });
    });
    (void)kernel;
    return why;
  }
  static bool has_barrier(const Kernel& kernel, const Barrier& like) {
    for (const Block& block : kernel.blocks)
      for (const Instruction& i : block.instructions)
        if (const auto* b = std::get_if<Barrier>(&i.operation); b && same_barrier(*b, like)) return true;
    return false;
  }
  // `by_place`: threads that differ by the places of their accesses have roles of their own. False: too many.
  bool assign_roles(bool by_place) {
    roles_.clear();
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::vector<Target>>, std::size_t> known;
    for (ThreadId t = 0; t < c_.image.threads.size(); ++t) {
      const ThreadProgram& program = c_.image.threads[t];
      Role role;
      role.launch = c_.image.launch_of[t];
      role.kernel = program.coordinates.kernel.value;
      role.program = &program;
      const ThreadConstants& constants = constants_.at(role.kernel);
      const std::vector<Value> values = by_place ? constants.of(program, c_.terms) : std::vector<Value>();
      std::vector<Target> signature;
      looks_.at(role.kernel).each([&](InstructionRef ref, const Instruction& i) {
        const Access* a = access_of(i);
        if (a == nullptr || !is_strong(a->order)) return;
        const Target place = place_of(role, *a, constants, values);
        role.places[{ref.block.value, ref.index}] = place;
        signature.push_back(place);
      });
      const auto [it, fresh] = known.try_emplace({role.launch, role.kernel, std::move(signature)}, roles_.size());
      if (fresh) {
        if (by_place && roles_.size() == most_roles) return false;
        roles_.push_back(std::move(role));
      }
      ++roles_[it->second].threads;
      roles_[it->second].ctas.insert(c_.image.cta_of[static_cast<std::size_t>(&program - c_.image.threads.data())]);
    }
    connect_roles();
    return true;
  }

  [[nodiscard]] bool share_cta(std::uint32_t a, std::uint32_t b) const { return share_cta_[a * roles_.size() + b]; }

  // Components of roles that share strong locations or a CTA, or of which one waits for the other.
  void connect_roles() {
    const std::size_t n = roles_.size();
    share_cta_.assign(n * n, false);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        share_cta_[a * n + b] = std::any_of(roles_[a].ctas.begin(), roles_[a].ctas.end(),
                                            [&](std::uint32_t cta) { return roles_[b].ctas.contains(cta); });
    const auto communicate = [&](std::size_t a, std::size_t b) {
      if (share_cta_[a * n + b]) return true;
      if (c_.stage.is_before(roles_[a].launch, roles_[b].launch)) return true;  // roles come launch by launch
      for (const auto& [at, p] : roles_[a].places)
        for (const auto& [other, q] : roles_[b].places)
          if (p.meets(q) || p.array == ~0ULL || q.array == ~0ULL) return true;
      return false;
    };
    for (std::uint32_t r = 0; r < n; ++r) roles_[r].component = r;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) {
        const std::uint32_t from = roles_[b].component, to = roles_[a].component;
        if (from == to || !communicate(a, b)) continue;
        for (Role& r : roles_)
          if (r.component == from) r.component = to;
      }
  }

  [[nodiscard]] Target place_of(const Role& role, const Access& a, const ThreadConstants& constants,
                               const std::vector<Value>& values) const {
    if (!a.address.array) return {~0ULL, std::nullopt};
    const std::uint64_t base = role.program->array_base[a.address.array->value];
    const auto& allocation = c_.image.memory[static_cast<std::uint32_t>(base >> 32U) - 1];
    Target p;
    p.array = allocation.buffer ? allocation.storage
                                : std::uint64_t{1} << 62U | std::uint64_t{role.kernel} << 32U | a.address.array->value;
    const Operand& index = a.address.index;
    std::optional<std::uint64_t> element;
    if (!index.present())
      element = 0;
    else if (index.kind == Operand::Kind::immediate)
      element = index.bits;
    else if (index.kind == Operand::Kind::special && constants.contains(index))
      element = role.program->special(static_cast<SpecialRegister>(index.index));
    else if (index.is_register() && constants.contains(index.reg()) && !values.empty() && values[index.index].is_number())
      element = values[index.index].bits();
    if (element)
      p.byte = *element * a.address.scale + static_cast<std::uint64_t>(a.address.offset);
    else if (allocation.bytes == size_of(a.type))
      p.byte = 0;
    return p;
  }

  [[nodiscard]] static std::optional<Site> site(InstructionRef ref, const Instruction& i, bool in) {
    Site s;
    s.ref = ref;
    if (const auto* fence = std::get_if<Fence>(&i.operation)) {
      if (fence->order != Order::sc) return std::nullopt;
      s.kind = Site::Kind::fence;
      return s;
    }
    if (const auto* barrier = std::get_if<Barrier>(&i.operation)) {
      if (in && barrier->kind == BarrierKind::arrive) return std::nullopt;
      s.kind = Site::Kind::barrier;
      return s;
    }
    const Access* a = access_of(i);
    if (a == nullptr || !is_strong(a->order)) return std::nullopt;
    if (in ? std::holds_alternative<Store>(i.operation) : std::holds_alternative<Load>(i.operation)) return std::nullopt;
    return s;
  }

  // Of any thread that runs the kernel, without places.
  [[nodiscard]] std::vector<Visit> visits_of(const KernelLook& look) const {
    std::vector<Site> ins, outs;
    if (c_.overlaps()) {
      ins.push_back({Site::Kind::launch, {}, {}});
      outs.push_back({Site::Kind::launch, {}, {}});
    }
    look.each([&](InstructionRef ref, const Instruction& i) {
      for (const bool in : {true, false}) {
        auto s = site(ref, i, in);
        if (!s) continue;
        if (s->kind == Site::Kind::barrier) s->turns = look.turns(ref);
        (in ? ins : outs).push_back(*s);
      }
    });
    std::vector<Visit> visits;
    for (const Site& in : ins)
      for (const Site& out : outs)
        if (in.kind == Site::Kind::launch || out.kind == Site::Kind::launch || in.ref == out.ref || look.path(in.ref, out.ref))
          visits.push_back({0, in, out, look.releases_between(in, out), look.acquires_between(in, out), look.depends(in, out)});
    return visits;
  }

  void collect() {
    std::map<std::uint32_t, std::vector<Visit>> of_kernel;
    for (const auto& [k, look] : looks_) of_kernel.emplace(k, visits_of(look));
    std::size_t most = 0;
    for (const Role& role : roles_) most += of_kernel.at(role.kernel).size();
    if (most > most_visits) (void)assign_roles(false);
    for (std::uint32_t r = 0; r < roles_.size(); ++r)
      for (Visit v : of_kernel.at(roles_[r].kernel)) {
        v.role = r;
        for (Site* s : {&v.in, &v.out})
          if (s->kind == Site::Kind::memory) s->place = roles_[r].places.at({s->ref.block.value, s->ref.index});
        const bool inner = v.in.kind == Site::Kind::memory && v.out.kind == Site::Kind::memory && v.in.place == v.out.place &&
                           v.in.place.byte.has_value();
        if (!inner) {
          visits_.push_back(v);
          continue;
        }
        // Stays on one location: part of a run. A run is synchronized through atomics, and through visits that fence.
        const bool harmless = v.in.ref == v.out.ref || (v.released && v.acquired);
        if (!harmless) unclean_.insert(v.in.place);
        if (!v.dependent) loose_.push_back(v);
      }
  }

  [[nodiscard]] bool connected(const Visit& a, const Visit& b) const {
    if (a.out.kind != b.in.kind) return false;
    if (a.role == b.role && roles_[a.role].threads == 1) return false;
    switch (a.out.kind) {
      case Site::Kind::barrier: return share_cta(a.role, b.role) && may_meet(a, b);
      // Between threads that don't communicate the order of fence.sc closes no cycle: they are in a total order, so there would be one
      // among threads that do.
      case Site::Kind::fence: return narrow_fences_ || roles_[a.role].component == roles_[b.role].component;
      case Site::Kind::launch: return c_.stage.is_before(roles_[a.role].launch, roles_[b.role].launch);
      case Site::Kind::memory: break;
    }
    if (a.out.place.array == ~0ULL || b.in.place.array == ~0ULL) return true;
    const bool own = (a.out.place.array >> 62U & 1U) != 0;  // shared or local memory
    return a.out.place.meets(b.in.place) && (!own || share_cta(a.role, b.role));
  }

  // The barrier at which `a` goes out and the one at which `b` comes in.
  [[nodiscard]] bool may_meet(const Visit& a, const Visit& b) const {
    const auto barrier = [&](const Visit& v, const Site& s) -> const Barrier& {
      return std::get<Barrier>(roles_[v.role].program->kernel->at(s.ref).operation);
    };
    return same_barrier(barrier(a, a.out), barrier(b, b.in)) && (a.out.turns & b.in.turns) != 0;
  }

  std::string cycles() {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
    if (visits_.empty()) return "";
    Graph graph(visits_.size());
    for (std::size_t a = 0; a < visits_.size(); ++a)
      for (std::size_t b = 0; b < visits_.size(); ++b)
        if (connected(visits_[a], visits_[b])) boost::add_edge(a, b, graph);
    std::vector<std::size_t> component(visits_.size());
    const std::size_t count = boost::strong_components(
        graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
    struct Part {
      std::set<Target> unsynchronized;
      bool many = false;         // some of them is any element of an array
      const Visit* loose = nullptr;  // writes without depending on what it read
      bool other_edges = false;  // fence.sc, barriers, launches
    };
    std::vector<Part> parts(count);
    for (std::size_t a = 0; a < visits_.size(); ++a)
      for (std::size_t b = 0; b < visits_.size(); ++b) {
        if (component[a] != component[b] || !connected(visits_[a], visits_[b])) continue;
        Part& part = parts[component[a]];
        for (const Visit* v : {&visits_[a], &visits_[b]})
          if (!v->dependent) part.loose = v;
        if (visits_[a].out.kind != Site::Kind::memory) {
          part.other_edges = true;
          continue;
        }
        const Target& place = visits_[a].out.place.byte ? visits_[a].out.place : visits_[b].in.place;
        // A run on one location may lead through an exchange of a third thread, whose write does not depend on what it reads.
        if (c_.image.threads.size() >= 3)
          for (const Visit& v : loose_)
            if (part.loose == nullptr && v.in.place.meets(place)) part.loose = &v;
        const bool unclean = std::any_of(unclean_.begin(), unclean_.end(), [&](const Target& p) { return p.meets(place); });
        if (visits_[a].released && visits_[b].acquired && !unclean) continue;
        part.unsynchronized.insert(place);
        part.many |= !place.byte;
      }
    for (const Part& part : parts) {
      if (part.unsynchronized.size() < 2 && !part.many) continue;
      if (part.loose == nullptr && !part.other_edges) continue;
      const Visit* v = part.loose;
      if (v == nullptr) return "fence.sc or barriers may order threads against reads-from";
      const Kernel& kernel = *roles_[v->role].program->kernel;
      return fmt::format("'{}' may be seen before '{}' has read (load buffering), or fence.sc may order them against it",
                         print(kernel.at(v->out.ref), kernel), print(kernel.at(v->in.ref), kernel));
    }
    return "";
  }

  const LaunchContext& c_;
  Hierarchy hierarchy_;
  std::map<std::uint32_t, const ThreadProgram*> programs_;
  std::map<std::uint32_t, KernelLook> looks_;            // [kernel]
  std::map<std::uint32_t, ThreadConstants> constants_;  // [kernel]
  std::vector<Role> roles_;
  std::vector<bool> share_cta_;  // [role, role]
  bool narrow_fences_ = false;   // some fence.sc does not include all threads
  std::vector<Visit> visits_;
  std::set<Target> unclean_;
  std::vector<Visit> loose_;  // within one location, with a write that does not depend on what was read
};

}  // namespace

std::string why_not_exact(const LaunchContext& context, Model model) {
  if (model != Model::ptx) return "only the model ptx has a view reading";
  if (context.proxies) return "the program uses proxies";
  return Look(context).run();
}

}  // namespace fencewise::view
