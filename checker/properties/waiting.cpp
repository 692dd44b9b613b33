#include "checker/properties/waiting.h"

#include <algorithm>

#include <fmt/format.h>

#include "checker/explore/witness_builder.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

const char* has(std::size_t n) { return n == 1 ? "has" : "have"; }

}  // namespace

std::string what_it_waits_at(const LaunchContext& c, const Waiting& w) {
  const Kernel& kernel = *c.image.threads[w.thread].kernel;
  std::string text = fmt::format("'{}'", print(kernel.at(w.at), kernel));
  if (w.gathered) text += fmt::format(": {} of {} threads {} come", w.gathered->came, w.gathered->needed, has(w.gathered->came));
  return text;
}

std::string waits_for_ever(const LaunchContext& c, std::span<const Waiting> all, std::size_t exited) {
  const Waiting& first = all.front();
  std::string text = fmt::format("{} waits for ever at {}", thread_name(c, first.thread), what_it_waits_at(c, first));
  if (first.gathered && first.gathered->counted && exited != 0) text += fmt::format(", {} {} exited", exited, has(exited));
  const auto elsewhere = std::find_if(all.begin(), all.end(), [&](const Waiting& w) {
    return c.image.cta_of[w.thread] == c.image.cta_of[first.thread] && w.at != first.at;
  });
  if (elsewhere != all.end()) text += fmt::format("; {} waits at {}", thread_name(c, elsewhere->thread), what_it_waits_at(c, *elsewhere));
  return text;
}

}  // namespace fencewise
