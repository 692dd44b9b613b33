// Litmus tests survive printing and reading: the printer and the reader agree on every generated test.
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/litmus/canonical.h"
#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/print.h"

namespace fencewise {
namespace {

GeneratorOptions everything() {
  GeneratorOptions options;
  options.max_threads = 4;
  options.max_instructions = 6;
  options.max_operations = 20;
  options.max_locations = 4;
  options.one_sided_fences = options.volatiles = options.clusters = true;
  return options;
}

RC_GTEST_PROP(GeneratedLitmusTests, ReadBackAsTheyWerePrinted, (std::uint64_t seed)) {
  const Problem problem = generate_litmus(seed, everything());
  validate(problem);
  const std::string text = print_litmus(problem);
  RC_LOG() << text;
  const Problem again = parse_litmus(text, "printed.litmus");
  RC_ASSERT(canonical_text(again) == canonical_text(problem));
  RC_ASSERT(print_litmus(again) == text);
}

RC_GTEST_PROP(GeneratedLitmusTests, KeepToTheirLimits, (std::uint64_t seed)) {
  const GeneratorOptions options;
  const Problem problem = generate_litmus(seed, options);
  RC_ASSERT(problem.kernels.size() >= options.min_threads);
  RC_ASSERT(problem.kernels.size() <= options.max_threads);
  RC_ASSERT(problem.buffers.size() <= options.max_locations);
  std::size_t operations = 0;
  for (const Kernel& kernel : problem.kernels) {
    for (const Block& block : kernel.blocks) {
      for (const Instruction& instruction : block.instructions) {
        const Operation& op = instruction.operation;
        operations += std::holds_alternative<Load>(op) || std::holds_alternative<Store>(op) ||
                              std::holds_alternative<Atomic>(op)
                          ? 1
                          : 0;
      }
    }
  }
  RC_ASSERT(operations <= options.max_operations);
}

// A mangled test is refused or read, and never anything else.
RC_GTEST_PROP(MangledLitmusTests, AreReadOrRefused, (std::uint64_t seed)) {
  std::string text = generate_litmus_text(seed, everything());
  const int edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const char c = *rc::gen::elementOf(std::string("|;:,.(){}@=<>~/\\*& \nrLCP0199x"));
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text[at] = c; break;
      case 1: text.insert(at, 1, c); break;
      default: text.erase(at, 1); break;
    }
  }
  RC_LOG() << text;
  try {
    const Problem problem = parse_litmus(text, "mangled.litmus");
    RC_ASSERT(is_litmus_shaped(problem));
  } catch (const InputError&) {
  } catch (const NotModelled&) {
  }
}

TEST(Generator, GivesTheSameTestForASeedEverywhere) {
  EXPECT_EQ(generate_litmus_text(5, {}), R"(PTX gen-5
{
x = 0;
y = 0;
}
 P0@cta 0,gpu 1 | P1@cta 1,gpu 0 | P2@cta 1,gpu 0 ;
 ld.acquire.sys r0, y | ld.relaxed.sys r0, x | ld.weak r0, x ;
 fence.sc.sys | fence.acq_rel.gpu | fence.acq_rel.gpu ;
 ld.relaxed.gpu r1, y | st.weak y, 1 | sub r1, r0, r0 ;
 ld.acquire.gpu r2, y | ld.weak r1, y | add r1, r1, 1 ;
  |  | st.release.gpu y, r1 ;
exists (P1:r0 == 2 /\ P0:r2 != 1)
)");
}

}  // namespace
}  // namespace fencewise
