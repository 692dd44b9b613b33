#include "kernels/frontend/launchfile/execute.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>

namespace fencewise::launchfile {
namespace {

constexpr std::byte unwritten{0xcd};

std::uint64_t small_number(Type type, std::mt19937_64& random) {
  const std::uint64_t n = random() % 16;
  if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(n));
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(n));
  return n;
}

std::uint64_t counting(Type type, std::uint64_t n) {
  if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(n));
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(n));
  return n;
}

std::uint64_t initial_element(const Buffer& buffer, std::uint64_t index, std::mt19937_64& random) {
  switch (buffer.initial.kind) {
    case InitialContents::Kind::zero: return 0;
    case InitialContents::Kind::iota: return counting(buffer.element, index);
    case InitialContents::Kind::values:
      return buffer.initial.values[std::min<std::uint64_t>(index, buffer.initial.values.size() - 1)];
    case InitialContents::Kind::symbols:
    case InitialContents::Kind::any: return small_number(buffer.element, random);
    case InitialContents::Kind::unwritten: break;
  }
  std::uint64_t bits = 0;
  std::memset(&bits, std::to_integer<int>(unwritten), sizeof bits);
  return bits;
}

void fill(const Buffer& buffer, std::vector<std::byte>& bytes, std::mt19937_64& random) {
  const std::size_t size = size_of(buffer.element);
  bytes.resize(buffer.length * size);
  for (std::uint64_t i = 0; i < buffer.length; ++i) {
    const std::uint64_t bits = initial_element(buffer, i, random);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
}

// What the host writes between replays.
void renew(const Problem& problem, Memory& memory, std::mt19937_64& random) {
  for (std::size_t b = 0; b < memory.size(); ++b) {
    if (problem.buffers[b].role == Role::input) fill(problem.buffers[b], memory[b], random);
    if (problem.buffers[b].role == Role::output) memory[b].assign(memory[b].size(), unwritten);
  }
}

RunResult run_launch(const Problem& problem, const Launch& launch, Memory& memory, unsigned workers) {
  RunConfig config;
  config.grid = launch.grid;
  config.block = launch.block;
  for (const auto& buffer : bindings_of(problem, launch, launch.kernel))
    if (buffer) config.buffers.emplace_back(memory[buffer->value]);
  config.params = launch.params;
  config.workers = workers;
  return run(problem.kernels[launch.kernel.value], config);
}

}  // namespace

std::uint64_t element_of(const Buffer& buffer, const std::vector<std::byte>& bytes, std::uint64_t index) {
  std::uint64_t bits = 0;
  const std::size_t size = size_of(buffer.element);
  std::memcpy(&bits, bytes.data() + index * size, size);
  return truncate(buffer.element, bits);
}

Execution execute(const Problem& problem, std::uint64_t seed, unsigned workers) {
  std::mt19937_64 random(seed);
  Execution execution;
  execution.memory.resize(problem.buffers.size());
  for (std::size_t b = 0; b < problem.buffers.size(); ++b)
    fill(problem.buffers[b], execution.memory[b], random);
  for (std::uint32_t replay = 1; replay <= problem.replays; ++replay) {
    if (replay > 1) renew(problem, execution.memory, random);
    execution.at_entry = execution.memory;
    for (std::size_t n = 0; n < problem.launches.size(); ++n) {
      execution.launches.push_back(
          {replay, n, run_launch(problem, problem.launches[n], execution.memory, workers)});
      if (execution.launches.back().result.fault) return execution;
    }
  }
  return execution;
}

}  // namespace fencewise::launchfile
