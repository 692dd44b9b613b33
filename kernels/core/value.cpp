#include "kernels/core/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint64_t minus_one = ~std::uint64_t{0};

const char* symbol_of(Arith op) {
  switch (op) {
    case Arith::mul: return "*";
    case Arith::div: return "/";
    case Arith::rem: return "%";
    case Arith::bit_and: return "&";
    case Arith::bit_or: return "|";
    case Arith::bit_xor: return "^";
    case Arith::shl: return "<<";
    case Arith::shr: return ">>";
    case Arith::add: return "+";
    case Arith::sub: return "-";
    default: return nullptr;
  }
}

const char* function_of(Arith op) {
  switch (op) {
    case Arith::min: return "min";
    case Arith::max: return "max";
    case Arith::fma:
    case Arith::mad: return "fma";
    case Arith::setp: return "compare";
    case Arith::selp: return "select";
    case Arith::cvt: return "convert";
    case Arith::neg: return "-";
    case Arith::bit_not: return "~";
    default: return "f";
  }
}

bool is_idempotent(Arith op) {
  return op == Arith::min || op == Arith::max || op == Arith::bit_and || op == Arith::bit_or;
}

// Besides sums: grouping does not matter, as order does not. (Products of floats are rounded; the larger of floats is exact.)
bool is_associative(Arith op, Type type) {
  return is_idempotent(op) || op == Arith::bit_xor || (op == Arith::mul && !is_float(type));
}

bool commutes(Arith op) { return op == Arith::add || op == Arith::mul || op == Arith::bit_xor || is_idempotent(op); }

// The low half of these doesn't know signs: of u32 and s32 operands they are one term.
bool is_sign_blind(Arith op) {
  switch (op) {
    case Arith::add:
    case Arith::sub:
    case Arith::mul:
    case Arith::bit_and:
    case Arith::bit_or:
    case Arith::bit_xor:
    case Arith::bit_not:
    case Arith::shl: return true;
    default: return false;
  }
}

Type with_sign(Type type) {
  switch (type) {
    case Type::u8: return Type::s8;
    case Type::u16: return Type::s16;
    case Type::u32: return Type::s32;
    case Type::u64: return Type::s64;
    default: return type;
  }
}

std::size_t arity(Arith op) {
  switch (op) {
    case Arith::mov:
    case Arith::neg:
    case Arith::abs:
    case Arith::bit_not:
    case Arith::cvt:
    case Arith::popc:
    case Arith::clz:
    case Arith::brev:
    case Arith::bfind:
    case Arith::sqrt:
    case Arith::rcp: return 1;
    case Arith::add:
    case Arith::sub:
    case Arith::mul:
    case Arith::mul_hi:
    case Arith::mul_wide:
    case Arith::div:
    case Arith::rem:
    case Arith::min:
    case Arith::max:
    case Arith::bit_and:
    case Arith::bit_or:
    case Arith::bit_xor:
    case Arith::shl:
    case Arith::shr:
    case Arith::setp: return 2;
    case Arith::mad:
    case Arith::mad_wide:
    case Arith::fma:
    case Arith::selp:
    case Arith::bfe:
    case Arith::bfi:
    case Arith::prmt:
    case Arith::shf_l:
    case Arith::shf_r: return 3;
  }
  return 3;
}

std::string number_text(std::uint64_t bits, Type type) {
  if (type == Type::f32) return fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (type == Type::f64) return fmt::format("{}", std::bit_cast<double>(bits));
  const std::uint64_t kept = truncate(type, bits);
  return is_signed(type) ? fmt::format("{}", static_cast<std::int64_t>(kept)) : fmt::format("{}", kept);
}

}  // namespace

Terms::Terms(ValueDomain domain) : domain_(domain) {
  nodes_.push_back({});  // 0 stands for numbers
  Node unknown;
  unknown.kind = Kind::unknown;
  nodes_.push_back(unknown);
}

Value Terms::intern(Node node) {
  std::string key;
  const auto put = [&key](std::uint64_t x) { key.append(reinterpret_cast<const char*>(&x), sizeof x); };
  put(static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.op) << 8U |
      static_cast<std::uint64_t>(node.type) << 16U);
  put(node.bits);
  for (const auto& [term, count] : node.parts) {
    put(term);
    put(count);
  }
  for (const Value& v : node.operands) {
    put(v.term());
    put(v.bits());
  }
  key += node.name;
  if (frozen_) {
    const auto known = index_.find(key);
    if (known == index_.end()) throw Frozen();
    return Value(0, known->second);
  }
  const auto [it, fresh] = index_.try_emplace(std::move(key), static_cast<std::uint32_t>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return Value(0, it->second);
}

Value Terms::symbol(const std::string& name, std::uint64_t place) {
  Node node;
  node.kind = Kind::symbol;
  node.name = name;
  node.bits = place;
  return intern(std::move(node));
}

Value Terms::placed(Value element, Value v) {
  if (const auto s = special(v, Value(), Value())) return *s;
  Node node;
  node.kind = Kind::placed;
  node.bits = nodes_[element.term()].bits;
  node.operands = {element, v};
  return intern(std::move(node));
}

Value Terms::poison(const std::string& origin) {
  Node node;
  node.kind = Kind::poison;
  node.name = origin;
  return intern(std::move(node));
}

Value Terms::free(const std::string& origin) {
  Node node;
  node.kind = Kind::free;
  node.name = origin;
  return intern(std::move(node));
}

// Unknown wins, since it may turn out to be either of the others; then poison.
std::optional<Value> Terms::special(Value a, Value b, Value c) const {
  if (a.is_unknown() || b.is_unknown() || c.is_unknown()) return unknown();
  for (const Value v : {a, b, c})
    if (is_poison(v)) return v;
  for (const Value v : {a, b, c})
    if (is_free(v)) return v;
  return std::nullopt;
}

bool Terms::sums_are_multisets(Type type) const { return !is_float(type) || domain_ == ValueDomain::multisets; }

void Terms::add_parts(Node& into, Type type, Value v, std::uint64_t factor) const {
  if (v.is_number()) {
    // Sums of floats carry constants with factor 1 or -1 only.
    const std::uint64_t scaled = !is_float(type) ? v.bits() * factor : factor == minus_one ? compute({.op = Arith::neg, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}}, v.bits(), 0, 0) : v.bits();
    into.bits = compute({.op = Arith::add, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}}, into.bits, scaled, 0);
    return;
  }
  const Node& node = nodes_[v.term()];
  if (node.kind == Kind::sum && node.type == type) {
    add_parts(into, type, Value::number(node.bits), factor);
    for (const auto& [term, count] : node.parts) into.parts.emplace_back(term, count * factor);
  } else {
    into.parts.emplace_back(v.term(), factor);
  }
}

Value Terms::sum(Type asked, Value a, std::uint64_t factor_a, Value b, std::uint64_t factor_b) {
  const Type type = with_sign(asked);
  Node node;
  node.kind = Kind::sum;
  node.type = type;
  add_parts(node, type, a, factor_a);
  add_parts(node, type, b, factor_b);
  return gathered(std::move(node), asked);
}

// A placed value behind others, all of which have places before it: the order can be read off the places. Two may be added either way.
std::optional<Value> Terms::sum_in_order(Type type, Value a, Value b) {
  const auto comes_before = [&](Value v, std::uint64_t place) {
    if (v.is_number()) return true;
    const Node& node = nodes_[v.term()];
    const auto is_before = [&](const Node& n) { return n.kind != Kind::placed || n.bits < place; };
    return is_before(node) && std::all_of(node.parts.begin(), node.parts.end(), [&](const auto& part) { return is_before(nodes_[part.first]); });
  };
  for (const auto& [sum_so_far, next] : {std::pair{a, b}, std::pair{b, a}})
    if (!next.is_number() && nodes_[next.term()].kind == Kind::placed && comes_before(sum_so_far, nodes_[next.term()].bits))
      return sum(type, sum_so_far, 1, next, 1);
  return std::nullopt;
}

// The sum whose parts, in any order and some of them several times, are in `node`.
Value Terms::gathered(Node node, Type asked) {
  const Type type = node.type;
  std::sort(node.parts.begin(), node.parts.end());
  std::vector<std::pair<std::uint32_t, std::uint64_t>> merged;
  for (const auto& part : node.parts) {
    if (!merged.empty() && merged.back().first == part.first) {
      merged.back().second += part.second;
    } else {
      merged.push_back(part);
    }
  }
  if (!is_float(type))  // integer coefficients wrap with the type
    for (auto& part : merged) part.second = truncate(type, part.second);
  std::erase_if(merged, [](const auto& part) { return part.second == 0; });
  node.parts = std::move(merged);
  if (node.parts.empty()) return Value::number(truncate(asked, node.bits));
  if (node.bits == 0 && node.parts.size() == 1 && node.parts[0].second == 1) return Value(0, node.parts[0].first);
  return intern(std::move(node));
}

// The operands of a chain of one operation, with its numbers as one.
std::vector<Value> Terms::flattened(Arith op, Type type, const std::vector<Value>& operands) const {
  std::vector<Value> flat;
  std::optional<std::uint64_t> number;
  const auto add = [&](Value v) {
    if (!v.is_number())
      flat.push_back(v);
    else
      number = number ? compute({.op = op, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}}, *number, v.bits(), 0) : v.bits();
  };
  for (const Value& v : operands) {
    const Node* node = v.is_number() ? nullptr : &nodes_[v.term()];
    if (node != nullptr && node->kind == Kind::operation && node->op == op && node->type == type)
      for (const Value& part : node->operands) add(part);
    else
      add(v);
  }
  if (number) flat.push_back(Value::number(*number));
  std::sort(flat.begin(), flat.end());
  if (is_idempotent(op)) flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  return flat;
}

Value Terms::operation(Arith op, Type asked, std::vector<Value> operands) {
  const Type type = is_sign_blind(op) ? with_sign(asked) : asked;
  if (is_associative(op, type)) {
    operands = flattened(op, type, operands);
    if (operands.size() == 1) return operands.front();
  } else if (commutes(op)) {
    std::sort(operands.begin(), operands.end());
  }
  Node node;
  node.kind = Kind::operation;
  node.op = op;
  node.type = type;
  node.operands = std::move(operands);
  return intern(std::move(node));
}

Value Terms::add(Type type, Value a, Value b) { return binary(Arith::add, type, a, b); }

Value Terms::binary(Arith op, Type type, Value a, Value b) {
  return apply(Arithmetic{.op = op, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}}, a, b, Value());
}

Value Terms::apply(const Arithmetic& i, Value a, Value b, Value c) {
  if (i.op == Arith::mov) return a.is_number() ? Value::number(truncate(i.type, a.bits())) : a;
  if (i.op == Arith::selp && c.is_number()) return c.bits() != 0 ? a : b;
  if (a.is_number() && b.is_number() && c.is_number()) return Value::number(compute(i, a.bits(), b.bits(), c.bits()));
  if (const auto s = special(a, b, c)) return *s;
  switch (i.op) {
    case Arith::cvt:
      if (size_of(i.type) == size_of(i.from) && is_float(i.type) == is_float(i.from)) return a;
      break;
    case Arith::setp:
      if (const auto decided = compare(i.compare, i.type, a, b)) return Value::number(static_cast<std::uint64_t>(*decided));
      return operation(i.op, i.type, {a, b, Value::number(static_cast<std::uint64_t>(i.compare))});
    case Arith::add:
      if (sums_are_multisets(i.type)) return sum(i.type, a, 1, b, 1);
      if (a == Value::number(0)) return b;  // 0 + x
      if (b == Value::number(0)) return a;
      if (const auto in_order = sum_in_order(i.type, a, b)) return *in_order;
      return operation(i.op, i.type, {a, b});
    case Arith::sub:
      if (sums_are_multisets(i.type)) return sum(i.type, a, 1, b, minus_one);
      break;
    case Arith::neg:
      if (sums_are_multisets(i.type)) return sum(i.type, Value::number(0), 1, a, minus_one);
      break;
    case Arith::fma:
    case Arith::mad:
      if (sums_are_multisets(i.type)) return sum(i.type, binary(Arith::mul, i.type, a, b), 1, c, 1);
      break;
    case Arith::mul:
      if (!is_float(i.type)) {
        for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}})
          if (x.is_number()) return x.bits() == 0 ? x : sum(i.type, y, x.bits(), Value::number(0), 1);
      }
      break;
    case Arith::shl:  // a product: 2 * x is written x << 1
      if (b.is_number() && b.bits() < 8 * size_of(i.type)) return sum(i.type, a, std::uint64_t{1} << b.bits(), Value::number(0), 1);
      break;
    case Arith::min:
    case Arith::max:
    case Arith::bit_and:
    case Arith::bit_or:
      if (a == b) return a;
      break;
    default: break;
  }
  std::vector<Value> operands{a, b, c};
  operands.resize(arity(i.op));
  // The source type is part of what a conversion does.
  if (i.op == Arith::cvt) operands.push_back(Value::number(static_cast<std::uint64_t>(i.from)));
  return operation(i.op, i.type, std::move(operands));
}

std::optional<bool> Terms::compare(Compare op, Type type, Value a, Value b) const {
  if (a.is_number() && b.is_number()) return compare_numbers(op, type, a.bits(), b.bits());
  if (a == b && !is_poison(a) && !is_free(a) && !a.is_unknown()) return op == Compare::eq || op == Compare::le || op == Compare::ge;
  return std::nullopt;
}

std::optional<Value> Terms::atomic(AtomicOp op, Type type, Value old, Value a, Value b) {
  if (op == AtomicOp::exch) return a;
  if (old.is_number() && a.is_number() && (op != AtomicOp::cas || b.is_number())) {
    const auto result = compute_atomic(op, type, old.bits(), a.bits(), b.bits());
    return result ? std::optional(Value::number(*result)) : std::nullopt;
  }
  if (op == AtomicOp::cas) {
    if (old.is_unknown() || a.is_unknown()) return unknown();
    const auto equal = compare(Compare::eq, type, old, a);
    if (is_poison(old)) return old;
    if (!equal) throw NotModelled("a cas compares symbolic data; give the buffer constants");
    return *equal ? std::optional(b) : std::nullopt;
  }
  if (const auto s = special(old, a, Value())) return *s;
  switch (op) {
    case AtomicOp::add: return binary(Arith::add, type, old, a);
    case AtomicOp::sub: return binary(Arith::sub, type, old, a);
    case AtomicOp::mul: return binary(Arith::mul, type, old, a);
    case AtomicOp::min: return binary(Arith::min, type, old, a);
    case AtomicOp::max: return binary(Arith::max, type, old, a);
    case AtomicOp::bit_and: return binary(Arith::bit_and, type, old, a);
    case AtomicOp::bit_or: return binary(Arith::bit_or, type, old, a);
    case AtomicOp::bit_xor: return binary(Arith::bit_xor, type, old, a);
    default: throw NotModelled("atomic inc, dec and div on symbolic data are not modelled; give the buffer constants");
  }
}

void Terms::each_symbol(Value v, const std::function<void(std::uint32_t, std::uint64_t)>& f) const {
  if (v.term() > 1) visit(v.term(), 0, f);
}

void Terms::visit(std::uint32_t term, std::uint64_t context,
                  const std::function<void(std::uint32_t, std::uint64_t)>& f) const {
  const auto inside = [context](std::uint64_t how) { return (context ^ how) * 0x9e37'79b9'7f4a'7c15U + 1; };
  const Node& node = nodes_[term];
  if (node.kind == Kind::symbol) f(term, context);
  for (const auto& [part, factor] : node.parts) visit(part, inside(factor), f);
  for (std::size_t n = 0; n < node.operands.size(); ++n)
    if (node.operands[n].term() > 1)
      visit(node.operands[n].term(), inside(static_cast<std::uint64_t>(node.op) << 8U | n), f);
}

Value Terms::substitute(Value v, const std::unordered_map<std::uint32_t, Value>& replacement) {
  if (v.is_number() || v.is_unknown()) return v;
  if (const auto it = replacement.find(v.term()); it != replacement.end()) return it->second;
  const Node node = nodes_[v.term()];
  if (node.kind == Kind::sum) {
    Node replaced;
    replaced.kind = Kind::sum;
    replaced.type = node.type;
    replaced.bits = node.bits;
    for (const auto& [term, count] : node.parts) add_parts(replaced, node.type, substitute(Value(0, term), replacement), count);
    return gathered(std::move(replaced), node.type);
  }
  if (node.kind == Kind::placed) return placed(substitute(node.operands[0], replacement), substitute(node.operands[1], replacement));
  if (node.kind != Kind::operation) return v;
  std::vector<Value> operands;
  for (const Value& operand : node.operands) operands.push_back(substitute(operand, replacement));
  return operation(node.op, node.type, std::move(operands));
}

std::string Terms::to_string(Value v, Type type) const {
  if (v.is_number()) return number_text(v.bits(), type);
  const Node& node = nodes_[v.term()];
  switch (node.kind) {
    case Kind::number: break;
    case Kind::unknown: return "?";
    case Kind::poison: return fmt::format("poison ({})", node.name);
    case Kind::free: return fmt::format("any value ({})", node.name);
    case Kind::symbol: return node.name;
    case Kind::placed: return to_string(node.operands[1], type);
    case Kind::sum: {
      std::string text;
      for (const auto& [term, count] : node.parts) {
        const std::string part = to_string(Value(0, term), node.type);
        if (!text.empty()) text += " + ";
        text += count == 1 ? part : fmt::format("{}*{}", number_text(count, is_float(node.type) ? Type::s64 : node.type), part);
      }
      if (node.bits != 0) text += fmt::format(" + {}", number_text(node.bits, node.type));
      return text;
    }
    case Kind::operation: {
      std::vector<std::string> parts;
      for (const Value& operand : node.operands) parts.push_back(to_string(operand, node.type));
      if (symbol_of(node.op) != nullptr && parts.size() >= 2)
        return fmt::format("({})", fmt::join(parts, fmt::format(" {} ", symbol_of(node.op))));
      return fmt::format("{}({})", function_of(node.op), fmt::join(parts, ", "));
    }
  }
  return "?";
}

}  // namespace fencewise
