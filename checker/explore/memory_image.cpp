#include "checker/explore/memory_image.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace fencewise {
namespace {

std::string element_name(const Buffer& buffer, std::uint64_t index) {
  return buffer.length == 1 ? buffer.name : fmt::format("{}[{}]", buffer.name, index);
}

std::uint64_t number_bits(Type type, std::uint64_t number) {
  if (type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(number));
  return truncate(type, number);
}

Value initial_value(const Buffer& buffer, std::uint64_t index, std::uint32_t replay, Terms& terms) {
  const InitialContents& contents = buffer.initial;
  switch (contents.kind) {
    case InitialContents::Kind::zero: return Value::number(0);
    case InitialContents::Kind::iota: return Value::number(number_bits(buffer.element, index));
    case InitialContents::Kind::values:
      return Value::number(truncate(
          buffer.element, contents.values[std::min<std::uint64_t>(index, contents.values.size() - 1)]));
    case InitialContents::Kind::symbols: return symbol_of(buffer, index, replay, terms);
    case InitialContents::Kind::any: return symbol_of(buffer, index, 0, terms);
    case InitialContents::Kind::unwritten:
      return terms.poison(fmt::format("{} was never written", element_name(buffer, index)));
  }
  return {};
}

}  // namespace

Value symbol_of(const Buffer& buffer, std::uint64_t index, std::uint32_t replay, Terms& terms) {
  const std::string name = element_name(buffer, index);
  return terms.symbol(replay == 0 ? name + "@start" : replay == 1 ? name : fmt::format("{}@{}", name, replay), index);
}

MemoryImage MemoryImage::initial(const Problem& problem, Terms& terms) {
  MemoryImage image;
  for (const Buffer& buffer : problem.buffers) {
    auto& values = image.values_.emplace_back();
    values.reserve(buffer.length);
    for (std::uint64_t i = 0; i < buffer.length; ++i)
      values.push_back(buffer.role == Role::output && buffer.initial.kind == InitialContents::Kind::zero
                           ? terms.poison(fmt::format("{} was never written", element_name(buffer, i)))
                           : initial_value(buffer, i, 1, terms));
  }
  return image;
}

void MemoryImage::renew(const Problem& problem, Terms& terms, std::uint32_t replay) {
  for (std::uint32_t b = 0; b < problem.buffers.size(); ++b) {
    const Buffer& buffer = problem.buffers[b];
    if (buffer.role == Role::workspace) continue;
    for (std::uint64_t i = 0; i < buffer.length; ++i)
      set(BufferId{b}, i,
          buffer.role == Role::input ? initial_value(buffer, i, replay, terms)
                                     : terms.poison(fmt::format("{} was never written in replay {}",
                                                                element_name(buffer, i), replay)));
  }
}

std::vector<Value> MemoryImage::all(BufferId buffer, std::uint64_t index) const {
  if (const auto it = others_.find({buffer.value, index}); it != others_.end()) return it->second;
  return {at(buffer, index)};
}

void MemoryImage::set(BufferId buffer, std::uint64_t index, Value value) {
  values_[buffer.value][index] = value;
  if (!others_.empty()) others_.erase({buffer.value, index});
}

void MemoryImage::set(BufferId buffer, std::uint64_t index, std::vector<Value> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  set(buffer, index, values.front());
  if (values.size() > 1) others_.insert_or_assign({buffer.value, index}, std::move(values));
}

}  // namespace fencewise
