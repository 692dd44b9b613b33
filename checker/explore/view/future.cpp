#include "checker/explore/view/future.h"

namespace fencewise::view {
namespace {

void merge(Future::Facts& into, const Future::Facts& from) {
  for (std::size_t a = 0; a < into.arrays.size(); ++a) into.arrays[a] |= from.arrays[a];
  into.anywhere |= from.anywhere;
  into.acquire_fence |= from.acquire_fence;
  into.fence_sc |= from.fence_sc;
  into.strong_write |= from.strong_write;
}

class Transfer {
 public:
  Transfer(const Hierarchy& h, Future::Facts& facts) : h_(h), f_(facts) {}

  void operator()(const Load& load) {
    const bool strong = is_strong(load.access.order);
    mark(load.access, strong ? Doing::strong_read | Doing::any_message : Doing::weak_read);
    if (acquires(load.access.order)) mark(load.access, Doing::acquire);
  }
  void operator()(const Store& store) {
    const bool strong = is_strong(store.access.order);
    mark(store.access, strong ? Doing::strong_write : Doing::weak_write);
    f_.strong_write |= strong;
  }
  void operator()(const Atomic& atomic) {
    mark(atomic.access, Doing::strong_read | Doing::strong_write,
         atomic.red && atomic.op == AtomicOp::add && atomic.access.order == Order::relaxed);
    if (acquires(atomic.access.order)) mark(atomic.access, Doing::acquire);
    if (atomic.op == AtomicOp::cas) mark(atomic.access, Doing::any_message);
    f_.strong_write = true;
  }
  void operator()(const Fence& fence) {
    f_.fence_sc |= fence.order == Order::sc;
    f_.acquire_fence |= fence.order == Order::sc || acquires(fence.order);
  }
  void operator()(const Unmodelled&) {
    f_.anywhere = Doing::everything;
    f_.acquire_fence = f_.fence_sc = f_.strong_write = true;
  }
  template <class Other> void operator()(const Other&) {}

 private:
  void mark(const Access& access, std::uint8_t what, bool red_add = false) {
    if (is_strong(access.order) && !red_add) what |= Doing::ordered;
    if (is_strong(access.order) && h_.level(access.scope) != h_.top()) what |= Doing::narrow;
    if (access.address.array) {
      f_.arrays[access.address.array->value] |= what;
    } else {
      f_.anywhere |= what;
    }
  }

  const Hierarchy& h_;
  Future::Facts& f_;
};

}  // namespace

Future::Future(const Kernel& kernel, const Hierarchy& hierarchy) {
  Facts none;
  none.arrays.assign(kernel.arrays.size(), 0);
  for (const Block& block : kernel.blocks) facts_.emplace_back(block.instructions.size(), none);
  for (bool again = true; again;) {
    again = false;
    for (std::size_t b = kernel.blocks.size(); b-- > 0;) {
      const auto& instructions = kernel.blocks[b].instructions;
      Facts facts = none;
      for (const BlockId next : successors(kernel.blocks[b])) merge(facts, facts_[next.value].front());
      for (std::size_t n = instructions.size(); n-- > 0;) {
        std::visit(Transfer(hierarchy, facts), instructions[n].operation);
        if (facts_[b][n] == facts) continue;
        facts_[b][n] = facts;
        again = true;
      }
    }
  }
}

}  // namespace fencewise::view
