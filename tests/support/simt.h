// Running small kernels on the SIMT executor in tests: buffers are vectors, bound in the order of the kernel's arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/core/builder.h"
#include "kernels/core/simt/run.h"

namespace fencewise::testing {

// Runs `kernel` on `blocks` blocks of `threads` threads; the vectors are changed in place.
template <class... T>
[[nodiscard]] RunResult run_simt(const Kernel& kernel, std::uint32_t threads, std::uint32_t blocks,
                                 std::vector<T>&... buffers) {
  RunConfig config;
  config.grid = {blocks, 1, 1};
  config.block = {threads, 1, 1};
  (config.buffers.push_back(std::as_writable_bytes(std::span(buffers))), ...);
  return run(kernel, config);
}

// 0, 1, 2, ...
[[nodiscard]] inline std::vector<std::uint32_t> iota(std::size_t count) {
  std::vector<std::uint32_t> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<std::uint32_t>(i);
  return v;
}

}  // namespace fencewise::testing
