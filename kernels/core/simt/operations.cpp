// Handlers of everything that touches no memory: arithmetic, predicates, shuffles, votes.
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "kernels/core/error.h"
#include "kernels/core/print_format.h"
#include "kernels/core/printer.h"
#include "kernels/core/simt/machine.h"
#include "kernels/core/value.h"

namespace fencewise::simt {

std::uint64_t Machine::read_lane(const Warp& warp, const Source& source, std::uint32_t lane) const {
  if (source.bytes == 0) return warp.predicates[source.slot] >> lane & 1U;
  const std::byte* p = warp.registers.at(source.slot) + std::size_t{lane} * source.bytes;
  std::uint64_t value = 0;
  std::memcpy(&value, p, source.bytes);
  return value;
}

void Machine::write_lane(Warp& warp, const Source& target, std::uint32_t lane, std::uint64_t value) {
  if (target.bytes == 0) {
    std::uint32_t& word = warp.predicates[target.slot];
    word = (word & ~(1U << lane)) | static_cast<std::uint32_t>(value != 0) << lane;
    return;
  }
  std::memcpy(warp.registers.at(target.slot) + std::size_t{lane} * target.bytes, &value, target.bytes);
}

void Machine::print(const Warp& warp, std::uint32_t lane, std::string text) {
  if (printed_bytes_ > most_printed) return;
  printed_bytes_ += text.size();
  printed_.push_back({static_cast<std::uint32_t>(block_), warp.index * warp_lanes + lane, std::move(text)});
}

namespace handlers {
namespace {

// Gives the lanes of `mask` their new values and leaves the others. Lanes that exited may get anything.
void merge(Warp& warp, const Op& op, const void* result, std::uint32_t mask) {
  std::byte* dst = warp.registers.at(op.dst);
  select_lanes(dst, result, dst, mask, op.bytes);
}

std::uint32_t merged(std::uint32_t old, std::uint32_t result, std::uint32_t mask) {
  return (old & ~mask) | (result & mask);
}

struct alignas(64) Scratch {
  std::array<std::byte, 8 * warp_lanes> bytes;
};

}  // namespace

void nothing(Machine&, Warp&, const Op&, std::uint32_t) {}

void unmodelled(Machine& m, Warp&, const Op& op, std::uint32_t) {
  throw NotModelled(describe(*m.program.kernel, op.source) + " is not modelled");
}

void lane(Machine&, Warp& warp, const Op& op, std::uint32_t mask) {
  const Registers& r = warp.registers;
  if (mask == warp.live) return op.lane(r.at(op.dst), r.at(op.a), r.at(op.b), r.at(op.c));
  Scratch scratch;
  op.lane(scratch.bytes.data(), r.at(op.a), r.at(op.b), r.at(op.c));
  merge(warp, op, scratch.bytes.data(), mask);
}

void fmas(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const FmaOperands* run = m.program.fmas.data() + op.data;
  const Registers& r = warp.registers;
  if (mask == warp.live) return fma_run(r, run, op.count);
  for (std::uint32_t i = 0; i < op.count; ++i) {
    Scratch scratch;
    op.lane(scratch.bytes.data(), r.at(run[i].a), r.at(run[i].b), r.at(run[i].c));
    select_lanes(r.at(run[i].dst), scratch.bytes.data(), r.at(run[i].dst), mask, 4);
  }
}

void compare(Machine&, Warp& warp, const Op& op, std::uint32_t mask) {
  std::uint32_t& dst = warp.predicates[op.dst];
  dst = merged(dst, op.compare(warp.registers.at(op.a), warp.registers.at(op.b)), mask);
}

void select(Machine&, Warp& warp, const Op& op, std::uint32_t mask) {
  const Registers& r = warp.registers;
  Scratch scratch;
  select_lanes(scratch.bytes.data(), r.at(op.a), r.at(op.b), warp.predicates[op.c], op.bytes);
  merge(warp, op, scratch.bytes.data(), mask);
}

void predicate_logic(Machine&, Warp& warp, const Op& op, std::uint32_t mask) {
  const std::uint32_t a = warp.predicates[op.a], b = warp.predicates[op.b];
  std::uint32_t result = a;
  switch (static_cast<Arith>(op.data)) {
    case Arith::bit_and: result = a & b; break;
    case Arith::bit_or: result = a | b; break;
    case Arith::bit_xor: result = a ^ b; break;
    case Arith::bit_not: result = ~a; break;
    default: break;  // mov
  }
  std::uint32_t& dst = warp.predicates[op.dst];
  dst = merged(dst, result, mask);
}

void scalar(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  const auto& instruction = std::get<Arithmetic>(g.operation);
  each_lane(mask, [&](std::uint32_t l) {
    const std::uint64_t result =
        fencewise::compute(instruction, m.read_lane(warp, g.in[0], l), m.read_lane(warp, g.in[1], l),
                           m.read_lane(warp, g.in[2], l));
    Machine::write_lane(warp, *g.out, l, result);
  });
}

// A lane that is not active gives 0.
void shuffle(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  const auto& instruction = std::get<Shuffle>(g.operation);
  if (g.from && mask == all_lanes) {
    std::array<std::uint32_t, 32> old, result;
    std::memcpy(old.data(), warp.registers.at(g.in[0].slot), sizeof old);
    for (std::uint32_t l = 0; l < warp_lanes; ++l) result[l] = old[(*g.from)[l]];
    std::memcpy(warp.registers.at(g.out->slot), result.data(), sizeof result);
    return;
  }
  std::array<std::uint64_t, 32> values{};
  each_lane(mask, [&](std::uint32_t l) { values[l] = m.read_lane(warp, g.in[0], l); });
  each_lane(mask, [&](std::uint32_t l) {
    const auto b = static_cast<std::uint32_t>(m.read_lane(warp, g.in[1], l));
    const auto c = static_cast<std::uint32_t>(m.read_lane(warp, g.in[2], l));
    const std::optional<std::uint32_t> from = shuffle_source(instruction.mode, l, b, c);
    Machine::write_lane(warp, *g.out, l, values[from.value_or(l)]);
    if (g.out2) Machine::write_lane(warp, *g.out2, l, from.has_value());
  });
}

void vote(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  const std::uint32_t votes = warp.predicates[g.in[0].slot] & mask;
  std::uint64_t result = votes;
  switch (std::get<Vote>(g.operation).mode) {
    case VoteMode::all: result = votes == mask; break;
    case VoteMode::any: result = votes != 0; break;
    case VoteMode::uni: result = votes == mask || votes == 0; break;
    case VoteMode::ballot: break;
  }
  each_lane(mask, [&](std::uint32_t l) { Machine::write_lane(warp, *g.out, l, result); });
}

void match(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  std::array<std::uint32_t, 32> equal{};
  each_lane(mask, [&](std::uint32_t l) {
    each_lane(mask, [&](std::uint32_t o) {
      if (m.read_lane(warp, g.in[0], l) == m.read_lane(warp, g.in[0], o)) equal[l] |= 1U << o;
    });
  });
  const bool any = std::get<Match>(g.operation).mode == MatchMode::any;
  each_lane(mask, [&](std::uint32_t l) {
    const bool all = equal[l] == mask;
    Machine::write_lane(warp, *g.out, l, any || all ? equal[l] : 0U);
    if (g.out2) Machine::write_lane(warp, *g.out2, l, all);
  });
}

void warp_reduce(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  const auto& instruction = std::get<WarpReduce>(g.operation);
  std::optional<std::uint64_t> sum;
  each_lane(mask, [&](std::uint32_t l) {
    const std::uint64_t value = m.read_lane(warp, g.in[0], l);
    sum = sum ? compute_atomic(instruction.op, instruction.type, *sum, value, 0) : value;
  });
  each_lane(mask, [&](std::uint32_t l) { Machine::write_lane(warp, *g.out, l, *sum); });
}

void active_mask(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const GeneralOp& g = m.program.general[op.data];
  each_lane(mask, [&](std::uint32_t l) { Machine::write_lane(warp, *g.out, l, mask); });
}

void print(Machine& m, Warp& warp, const Op& op, std::uint32_t mask) {
  const PrintOp& p = m.program.prints[op.data];
  each_lane(mask, [&](std::uint32_t l) {
    const auto shown = [&](std::size_t n, Type) -> Shown { return m.read_lane(warp, p.in[n], l); };
    m.print(warp, l, p.print.format ? formatted(p.print, shown) : "(a printf whose format was not found)\n");
  });
}

}  // namespace handlers
}  // namespace fencewise::simt
