#include "checker/vectors.h"

#include <algorithm>

namespace fencewise {
namespace {

bool is_strong_vector(const Instruction& i) {
  if (const auto* load = std::get_if<Load>(&i.operation)) return load->count > 1 && is_strong(load->access.order);
  const auto* store = std::get_if<Store>(&i.operation);
  return store != nullptr && store->count > 1 && is_strong(store->access.order);
}

}  // namespace

bool has_strong_vectors(const Problem& problem) {
  return std::any_of(problem.kernels.begin(), problem.kernels.end(), [](const Kernel& kernel) {
    return std::any_of(kernel.blocks.begin(), kernel.blocks.end(), [](const Block& block) {
      return std::any_of(block.instructions.begin(), block.instructions.end(), is_strong_vector);
    });
  });
}

std::string other_reading_of_vectors(const Problem& problem, CheckOptions options, Verdict verdict, const Limits& allowed,
                                     double seconds) {
  seconds = std::min(seconds, allowed.seconds_left());
  if (seconds <= 0 || verdict == Verdict::inconclusive || !has_strong_vectors(problem)) return "";
  const bool whole = options.vectors == Vectors::whole;
  options.vectors = whole ? Vectors::strict : Vectors::whole;
  Limits limits;
  limits.seconds = seconds;
  const Verdict other = check(problem, options, limits).verdict;
  if (other == verdict || other == Verdict::inconclusive) return "";
  if (whole) return "needs --vectors whole: with the elements of a vector accessed separately (strict) it is violated";
  return "with --vectors whole it is verified: where an aligned vector of up to 16 bytes is accessed at once, as hardware does "
         "and the ISA does not promise";
}

}  // namespace fencewise
