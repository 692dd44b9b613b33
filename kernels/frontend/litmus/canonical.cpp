#include "kernels/frontend/litmus/canonical.h"

#include <fmt/format.h>

#include "kernels/core/printer.h"

namespace fencewise {

std::string canonical_text(const Problem& problem) {
  Problem copy = problem;
  for (Kernel& kernel : copy.kernels) {
    for (Block& block : kernel.blocks) block.label.clear();
  }
  for (Assertion& assertion : copy.contract.assertions) assertion.text.clear();
  std::string text = fmt::format("{}\n{}", copy.name, print(copy));
  // What the printer leaves out.
  for (const Kernel& kernel : copy.kernels) {
    for (const std::uint64_t value : kernel.register_initial) text += fmt::format("{} ", value);
    text += '\n';
  }
  return text;
}

bool same(const Problem& a, const Problem& b) { return canonical_text(a) == canonical_text(b); }

}  // namespace fencewise
