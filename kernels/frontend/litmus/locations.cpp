#include "kernels/frontend/litmus/locations.h"

#include <utility>

#include <fmt/format.h>

#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {
namespace {

Buffer word_buffer(std::string name, std::uint64_t value) {
  Buffer buffer;
  buffer.name = std::move(name);
  buffer.element = Type::s64;
  buffer.length = 1;
  buffer.role = Role::workspace;
  buffer.initial = {InitialContents::Kind::values, {value}};
  return buffer;
}

bool is_proxy(const std::string& word) {
  return word == "generic" || word == "surface" || word == "texture" || word == "constant";
}

}  // namespace

void Locations::declare(const Initial& initial) {
  const Token& name = initial.name;
  if (is_register(name.text)) {
    diagnostics_.error(name.at,
                       fmt::format("found register {} without its thread; expected, for example, 'P0:{}'",
                                   quoted(name.text), name.text));
  }
  if (!is_location(name.text)) {
    diagnostics_.error(name.at, fmt::format("found {}; expected the name of a location", quoted(name.text)));
  }
  if (by_name_.contains(name.text)) {
    diagnostics_.error(
        name.at, fmt::format("location {} is declared twice; expected one initial value", quoted(name.text)));
  }
  const Token& value = initial.value;
  if (!initial.proxy) {
    const bool number = is_integer(value.text);
    const Token source{value.text.starts_with('&') ? value.text.substr(1) : value.text, value.at};
    add(word_buffer(name.text, number ? integer_of(value, diagnostics_)
                               : buffers_[declared(source).value].initial.values.front()));
    return;
  }
  if (!is_proxy(initial.proxy->text)) {
    diagnostics_.error(initial.proxy->at,
                       fmt::format("unknown proxy {}; expected generic, surface, texture or constant",
                                   quoted(initial.proxy->text)));
  }
  const BufferId target = declared(value);
  Buffer alias = word_buffer(name.text, buffers_[target.value].initial.values.front());
  alias.alias_of = target;
  alias.own_address = initial.proxy->text == "generic";
  add(std::move(alias));
}

BufferId Locations::use(const std::string& name) {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : add(word_buffer(name, 0));
}

std::optional<BufferId> Locations::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional<BufferId>(found->second);
}

BufferId Locations::add(Buffer buffer) {
  const BufferId id{static_cast<std::uint32_t>(buffers_.size())};
  by_name_.emplace(buffer.name, id);
  buffers_.push_back(std::move(buffer));
  return id;
}

BufferId Locations::declared(const Token& name) const {
  if (const auto found = find(name.text)) return *found;
  diagnostics_.error(
      name.at, fmt::format("unknown location {}; expected one that is declared before", quoted(name.text)));
}

}  // namespace fencewise::litmus
