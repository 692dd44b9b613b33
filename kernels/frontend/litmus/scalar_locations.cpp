#include "kernels/frontend/litmus/scalar_locations.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {
namespace {

// A name that the dialect reads as a location.
std::string as_word(const std::string& name) {
  std::string word;
  for (const char c : name) word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (word.empty() || !is_location(word)) word = "m_" + word;
  return word;
}

void check_index(const std::string& array, std::uint64_t index, std::uint64_t length) {
  if (index < length) return;
  throw InputError(fmt::format("{}[{}] is outside the array, which has {} elements", array, index, length));
}

}  // namespace

BufferId ScalarLocations::element(BufferId id, std::uint64_t index) {
  const Buffer& buffer = problem_.buffers[id.value];
  if (const auto found = elements_.find({id.value, index}); found != elements_.end()) return found->second;
  if (buffer.alias_of)
    throw NotModelled(fmt::format("'{}' is an alias; only litmus tests print with aliases", buffer.name));
  if (is_float(buffer.element))
    throw NotModelled(fmt::format("the litmus dialect has no floating-point numbers ('{}')", buffer.name));
  const std::uint64_t value = initial(id, index);
  const BufferId location =
      add(buffer.length == 1 ? buffer.name : fmt::format("{}_{}", buffer.name, index), value);
  elements_.emplace(std::pair{id.value, index}, location);
  return location;
}

BufferId ScalarLocations::shared(const ArrayDecl& array, CtaId cta, std::uint64_t index) {
  check_index(array.name, index, array.length);
  if (is_float(array.element))
    throw NotModelled(fmt::format("the litmus dialect has no floating-point numbers ('{}')", array.name));
  const auto key = std::tuple{array.name, cta.value, index};
  if (const auto found = shared_.find(key); found != shared_.end()) return found->second;
  const BufferId location = add(fmt::format("{}_cta{}_{}", array.name, cta.value, index), 0);
  shared_.emplace(key, location);
  return location;
}

std::uint64_t ScalarLocations::initial(BufferId id, std::uint64_t index) const {
  const Buffer& buffer = problem_.buffers[id.value];
  check_index(buffer.name, index, buffer.length);
  const auto& values = buffer.initial.values;
  switch (buffer.initial.kind) {
    case InitialContents::Kind::zero:
    case InitialContents::Kind::unwritten: return 0;
    case InitialContents::Kind::iota: return index;
    case InitialContents::Kind::values:
      return values.empty()
                 ? 0
                 : truncate(buffer.element, values[std::min<std::uint64_t>(index, values.size() - 1)]);
    case InitialContents::Kind::symbols:
    case InitialContents::Kind::any: break;
  }
  throw NotModelled(fmt::format("the litmus dialect has no symbolic contents ('{}')", buffer.name));
}

BufferId ScalarLocations::add(const std::string& wanted, std::uint64_t initial) {
  Buffer buffer;
  buffer.name = as_word(wanted);
  while (!names_.insert(buffer.name).second) buffer.name += '_';
  buffer.element = Type::s64;
  buffer.initial = {InitialContents::Kind::values, {initial}};
  buffers_.push_back(std::move(buffer));
  return {static_cast<std::uint32_t>(buffers_.size() - 1)};
}

}  // namespace fencewise::litmus
