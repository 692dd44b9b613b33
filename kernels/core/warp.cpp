#include "kernels/core/warp.h"

#include <algorithm>

#include "kernels/core/error.h"

namespace fencewise {

std::optional<WarpOperands> warp_operands(const Operation& operation) {
  if (const auto* b = std::get_if<WarpBarrier>(&operation)) return WarpOperands{{}, {}, {}, b->mask};
  if (const auto* s = std::get_if<Shuffle>(&operation)) return WarpOperands{s->value, s->lane, s->clamp, s->mask};
  if (const auto* v = std::get_if<Vote>(&operation)) return WarpOperands{v->predicate, {}, {}, v->mask};
  if (const auto* m = std::get_if<Match>(&operation)) return WarpOperands{m->value, {}, {}, m->mask};
  if (const auto* r = std::get_if<WarpReduce>(&operation)) return WarpOperands{r->value, {}, {}, r->mask};
  if (std::holds_alternative<ActiveMask>(operation)) return WarpOperands{};
  return std::nullopt;
}

bool same_warp_operation(const Operation& a, const Operation& b) {
  if (a.index() != b.index()) return false;
  if (const auto* s = std::get_if<Shuffle>(&a)) return s->mode == std::get<Shuffle>(b).mode;
  if (const auto* v = std::get_if<Vote>(&a)) return v->mode == std::get<Vote>(b).mode;
  if (const auto* m = std::get_if<Match>(&a))
    return m->mode == std::get<Match>(b).mode && m->type == std::get<Match>(b).type;
  if (const auto* r = std::get_if<WarpReduce>(&a))
    return r->op == std::get<WarpReduce>(b).op && r->type == std::get<WarpReduce>(b).type;
  return true;
}

namespace {

std::uint32_t number(Value v) {
  if (!v.is_number()) throw NotModelled("a shuffle whose lane depends on symbolic data");
  return static_cast<std::uint32_t>(v.bits());
}

Exchanged shuffle(const Shuffle& s, std::uint32_t lane, Value distance, Value clamp, std::span<const LaneValue> met,
                  Terms& terms) {
  const auto find = [&](std::uint32_t wanted) {
    return std::find_if(met.begin(), met.end(), [&](const LaneValue& l) { return l.lane == wanted; });
  };
  const auto from = shuffle_source(s.mode, lane, number(distance), number(clamp));
  const auto source = find(from.value_or(lane));
  const Value in_range = Value::number(static_cast<std::uint64_t>(from.has_value()));
  if (source == met.end()) return {{terms.poison("a shuffle from a lane that takes no part"), in_range}, std::nullopt};
  return {{source->value, in_range}, static_cast<std::size_t>(source - met.begin())};
}

// What a vote or match of values that are no numbers gives; no value: all are numbers.
std::optional<Value> not_a_number(std::span<const LaneValue> met, const Terms& terms) {
  const auto any = [&](auto&& is) {
    return std::find_if(met.begin(), met.end(), [&](const LaneValue& l) { return is(l.value); });
  };
  if (any([](Value v) { return v.is_unknown(); }) != met.end()) return Terms::unknown();
  if (const auto p = any([&](Value v) { return terms.is_poison(v); }); p != met.end()) return p->value;
  if (const auto f = any([&](Value v) { return terms.is_free(v); }); f != met.end()) return f->value;
  return std::nullopt;
}

std::uint64_t lanes_where(std::span<const LaneValue> met, auto&& holds) {
  std::uint64_t mask = 0;
  for (const LaneValue& l : met)
    if (holds(l)) mask |= std::uint64_t{1} << l.lane;
  return mask;
}

std::uint64_t all_lanes(std::span<const LaneValue> met) {
  return lanes_where(met, [](const LaneValue&) { return true; });
}

Value vote(const Vote& v, std::span<const LaneValue> met, const Terms& terms) {
  if (const auto special = not_a_number(met, terms)) return *special;
  const std::uint64_t all = all_lanes(met), ballot = lanes_where(met, [](const LaneValue& l) {
    if (!l.value.is_number()) throw NotModelled("a vote on symbolic data");
    return l.value.bits() != 0;
  });
  const auto truth = [](bool b) { return Value::number(static_cast<std::uint64_t>(b)); };
  switch (v.mode) {
    case VoteMode::all: return truth(ballot == all);
    case VoteMode::any: return truth(ballot != 0);
    case VoteMode::uni: return truth(ballot == 0 || ballot == all);
    case VoteMode::ballot: break;
  }
  return Value::number(ballot);
}

std::array<Value, 2> match(const Match& m, Value own, std::span<const LaneValue> met, const Terms& terms) {
  if (const auto special = not_a_number(met, terms)) return {*special, *special};
  const std::uint64_t equal = lanes_where(met, [&](const LaneValue& l) {
    const auto same = terms.compare(Compare::eq, m.type, own, l.value);
    if (!same) throw NotModelled("a match of symbolic data");
    return *same;
  });
  const bool all = equal == all_lanes(met);
  return {Value::number(m.mode == MatchMode::all && !all ? 0 : equal), Value::number(static_cast<std::uint64_t>(all))};
}

}  // namespace

Exchanged exchange(const Operation& operation, std::uint32_t lane, Value distance, Value clamp,
                   std::span<const LaneValue> met, Terms& terms) {
  if (const auto* s = std::get_if<Shuffle>(&operation)) return shuffle(*s, lane, distance, clamp, met, terms);
  if (const auto* v = std::get_if<Vote>(&operation)) return {{vote(*v, met, terms), Value()}, std::nullopt};
  if (const auto* m = std::get_if<Match>(&operation)) {
    const auto own = std::find_if(met.begin(), met.end(), [&](const LaneValue& l) { return l.lane == lane; });
    return {match(*m, own->value, met, terms), std::nullopt};
  }
  if (const auto* r = std::get_if<WarpReduce>(&operation)) {
    Value total = met.front().value;
    for (const LaneValue& l : met.subspan(1)) total = *terms.atomic(r->op, r->type, total, l.value, {});
    return {{total, Value()}, std::nullopt};
  }
  if (std::holds_alternative<ActiveMask>(operation)) return {{Value::number(all_lanes(met)), Value()}, std::nullopt};
  return {};
}

std::optional<std::uint32_t> shuffle_source(ShuffleMode mode, std::uint32_t lane, std::uint32_t b, std::uint32_t c) {
  const std::uint32_t segment = c >> 8U & 31U, clamp = c & 31U;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment);
  const std::uint32_t first = lane & segment;
  b &= 31U;
  switch (mode) {
    case ShuffleMode::up:
      if (lane < b + last) return std::nullopt;
      return lane - b;
    case ShuffleMode::down:
      if (lane + b > last) return std::nullopt;
      return lane + b;
    case ShuffleMode::bfly:
      if ((lane ^ b) > last) return std::nullopt;
      return lane ^ b;
    case ShuffleMode::idx: {
      const std::uint32_t from = first | (b & ~segment);
      if (from > last) return std::nullopt;
      return from;
    }
  }
  return std::nullopt;
}

}  // namespace fencewise
