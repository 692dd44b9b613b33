// A user's protocol, checked in GoogleTest and RapidCheck. The README shows this file; a test keeps the two
// alike.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "checker/testing/launches.h"
#include "checker/testing/matchers.h"
#include "kernels/core/builder.h"
#include "protocols/parts.h"

using namespace fencewise;
using namespace fencewise::testing;

// CTA 0 puts a letter into the box and raises the flag. Every other CTA waits for the flag and copies the
// letter.
Kernel mailbox_kernel(How raise, How look) {
  KernelBuilder k("mailbox");
  const Array in = k.global("in", Type::f32), box = k.global("box", Type::f32);
  const Array flag = k.global("flag", Type::u32), out = k.global("out", Type::f32);
  k.if_else(
      k.ctaid() == 0,
      [&] {
        k.st(box[0], k.ld(in[0]));
        k.st(flag[0], 1, raise);
      },
      [&] {
        k.await([&] { return k.ld(flag[0], look); }, [](const Val& seen) { return seen == 1; });
        k.st(out[k.ctaid() - 1], k.ld(box[0]));
      });
  return k.build();
}

Problem mailbox(std::int64_t readers, How raise = release(Scope::gpu), How look = acquire(Scope::gpu)) {
  using namespace protocols;
  Problem problem;
  problem.name = "mailbox";
  problem.kernels = {mailbox_kernel(raise, look)};
  problem.buffers = {input("in", Type::f32, 1), output("out", Type::f32, readers),
                     workspace("box", Type::f32, 1, InitialContents::Kind::unwritten),
                     workspace("flag", Type::u32, 1, InitialContents::Kind::zero)};
  problem.launches.emplace_back().grid.x = static_cast<std::uint32_t>(readers + 1);
  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "every reader has the letter",
       .formula = forall("reader", 0, readers, [&](const Term& reader) { return out[reader] == in[0]; })}};
  return problem;
}

TEST(Mailbox, DeliversWhereTheFlagReleasesAndAcquires) { EXPECT_THAT(check(mailbox(2), {}), Verified()); }

TEST(Mailbox, RacesWhereTheFlagIsRelaxed) {
  const Problem broken = mailbox(1, relaxed(Scope::gpu));
  EXPECT_THAT(check(broken, {}), Violated(FindingKind::race, "box"));
  EXPECT_THAT(check(broken, {.model = Model::sc}), Verified());  // interleaving alone does not show it
}

RC_GTEST_PROP(Mailbox, ServesAnyNumberOfReadersInAnyOrder, ()) {
  const LaunchSize size = *launch_sizes({.ctas = 4}, {.ctas = 2});
  const Problem problem = mailbox(size.ctas - 1);
  RC_ASSERT(passes(check(problem, {}), Verified()));
  RC_ASSERT(passes(SimulatesOk(problem, *finish_orders(size.ctas))));
}
