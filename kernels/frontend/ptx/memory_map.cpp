#include "kernels/frontend/ptx/memory_map.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "kernels/core/validate.h"
#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/ptx/opcode.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::ptx {
namespace {

void collect_names(const std::vector<Operand>& operands, std::set<std::string>& names) {
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::name) names.insert(operand.token.text);
    collect_names(operand.elements, names);
  }
}

// Everything that the function's instructions name.
std::set<std::string> names_in(const Function& function) {
  std::set<std::string> names;
  for (const Statement& statement : function.body)
    if (const auto* instruction = std::get_if<Instruction>(&statement))
      collect_names(instruction->operands, names);
  return names;
}

// Module variables, then the function's own, of those that it names.
std::vector<const Variable*> variables_of(const Module& module, const Function& function) {
  const std::set<std::string> names = names_in(function);
  std::vector<const Variable*> variables;
  const auto add = [&](const Variable& v) {
    if (names.contains(v.name.text)) variables.push_back(&v);
  };
  for (const Variable& v : module.variables) add(v);
  for (const Statement& statement : function.body)
    if (const auto* v = std::get_if<Variable>(&statement)) add(*v);
  return variables;
}

std::uint64_t alignment_of(const Variable& v) {
  constexpr std::uint64_t most =
      1U << 20U;  // what is more is no alignment of anything, and must not overflow
  return std::max<std::uint64_t>({std::min(v.alignment, most), size_of_type(v.type.text) * v.vector, 1});
}

bool is_dynamic(const Variable& v) {
  return v.space == "shared" && v.external && !v.extents.empty() && v.extents.front() == 0;
}

// Numbers in memory: what no field gives is 0. No value: it is a part of an address.
std::optional<std::uint64_t> bits_in(const std::vector<Field>& fields, std::uint64_t offset,
                                     std::uint64_t size) {
  std::uint64_t bits = 0;
  for (std::uint64_t byte = 0; byte < size; ++byte)
    for (const Field& field : fields) {
      const std::uint64_t at = offset + byte - field.offset;
      if (offset + byte < field.offset || at >= field.size) continue;
      const auto* number = std::get_if<std::uint64_t>(&field.value);
      if (number == nullptr) return std::nullopt;
      bits |= (*number >> (8 * at) & 0xffU) << (8 * byte);
    }
  return bits;
}

std::uint64_t rounded_up(std::uint64_t n, std::uint64_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

}  // namespace

Type element_of(const Variable& v) {
  const auto type = type_named(v.type.text);
  if (!type) return size_of_type(v.type.text) == 2 ? Type::u16 : Type::u32;
  if (size_of(*type) != 1) return *type;
  switch (v.alignment) {
    case 0:
    case 1: return *type;
    case 2: return Type::u16;
    case 8: return Type::u64;
    default: return Type::u32;
  }
}

std::uint64_t bytes_of(const Variable& v) {
  std::uint64_t bytes = std::max<std::uint64_t>(size_of_type(v.type.text), 1) * v.vector;
  for (const std::uint64_t extent : v.extents)
    bytes = extent > max_bytes ? max_bytes + 1 : std::min(bytes * extent, max_bytes + 1);
  return bytes;
}

std::string buffer_name(const Module& module, const Variable& variable) {
  const std::string name = short_name(variable.name.text);
  const auto same = [&](const Variable& v) { return short_name(v.name.text) == name; };
  return std::count_if(module.variables.begin(), module.variables.end(), same) > 1 ? variable.name.text
                                                                                   : name;
}

namespace {

// The initial bytes, as the declaration's type spells them.
std::vector<unsigned char> initial_bytes(const Variable& v, const Diagnostics& diagnostics) {
  std::vector<unsigned char> bytes(rounded_up(bytes_of(v), size_of(element_of(v))));
  const auto declared = type_named(v.type.text);
  std::size_t at = 0;
  for (const Initializer& item : v.initializer) {
    if (item.value.kind == Operand::Kind::name || !declared)
      diagnostics.not_modelled(item.value.token.at,
                               fmt::format("the initial value of {} is not modelled", quoted(v.name.text)));
    const bool real = item.value.kind == Operand::Kind::real;
    const std::uint64_t value =
        real ? real_bits(item.value.token.text, *declared) : integer_bits(item.value.token.text);
    const std::size_t size = size_of(*declared);
    if (at + size > bytes.size())
      diagnostics.error(item.value.token.at, "found more initial values than the variable holds");
    std::memcpy(bytes.data() + at, &value, size);
    at += size;
  }
  return bytes;
}

InitialContents initial_of(const Variable& v, const Diagnostics& diagnostics) {
  InitialContents contents = InitialContents::of(InitialContents::Kind::zero);
  if (v.initializer.empty()) return contents;
  const std::vector<unsigned char> bytes = initial_bytes(v, diagnostics);
  if (std::all_of(bytes.begin(), bytes.end(), [](unsigned char b) { return b == 0; })) return contents;
  contents.kind = InitialContents::Kind::values;
  const std::size_t size = size_of(element_of(v));
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    contents.values.push_back(value);
  }
  return contents;
}

}  // namespace

Buffer buffer_of(const Module& module, const Variable& variable, const Diagnostics& diagnostics) {
  Buffer buffer;
  buffer.name = buffer_name(module, variable);
  buffer.element = element_of(variable);
  buffer.length = std::max<std::uint64_t>(
      1, rounded_up(bytes_of(variable), size_of(buffer.element)) / size_of(buffer.element));
  buffer.role = variable.space == "const" ? Role::input : Role::workspace;
  if (buffer.length * size_of(buffer.element) > max_bytes)
    diagnostics.error(variable.name.at, fmt::format("found {} with more than {} bytes; expected less",
                                                    quoted(variable.name.text), max_bytes));
  buffer.initial = initial_of(variable, diagnostics);
  return buffer;
}

MemoryMap::MemoryMap(const Module& module, const Function& function, const Arguments* arguments,
                     Kernel& kernel, const Diagnostics& diagnostics)
    : module_(module), arguments_(arguments), kernel_(kernel), diagnostics_(diagnostics) {
  std::vector<const Variable*> dynamic;
  for (const Variable* v : variables_of(module, function)) {
    if (is_dynamic(*v)) {
      dynamic.push_back(v);
    } else {
      place(*v);
    }
  }
  place_dynamic(dynamic, arguments != nullptr ? arguments->dynamic_shared : 0);
}

void MemoryMap::place(const Variable& v) {
  if (v.space == "shared") return place_in_window(StateSpace::shared, v);
  if (v.space == "local") return place_in_window(StateSpace::local, v);
  if (v.space != "global" && v.space != "const") return;
  places_[&v] = {v.space == "const" ? StateSpace::constant : StateSpace::global,
                 buffer_array(buffer_name(module_, v), element_of(v)), 0};
  globals_.push_back(&v);
}

// Appends a variable to the window of its space.
void MemoryMap::place_in_window(StateSpace space, const Variable& v) {
  const auto [it, fresh] =
      windows_.try_emplace(space, ArrayId{static_cast<std::uint32_t>(kernel_.arrays.size())});
  if (fresh)
    kernel_.arrays.push_back({space == StateSpace::shared ? "shared" : "local", Type::u8, space, 0, {}});
  ArrayDecl& window = kernel_.arrays[it->second.value];
  const std::uint64_t offset = rounded_up(window.length, alignment_of(v)), bytes = bytes_of(v);
  if (offset + bytes > max_bytes)
    diagnostics_.error(v.name.at, fmt::format("found {} with more than {} bytes; expected less",
                                              quoted(v.name.text), max_bytes));
  const Type element = element_of(v);
  window.parts.push_back(
      {short_name(v.name.text), element, offset, std::max<std::uint64_t>(1, bytes / size_of(element))});
  window.length = offset + bytes;
  places_[&v] = {space, it->second, offset};
}

// Dynamic shared memory: every `extern` array begins at one place.
void MemoryMap::place_dynamic(const std::vector<const Variable*>& variables, std::uint64_t bytes) {
  if (variables.empty()) return;
  Variable all = *variables.front();
  for (const Variable* v : variables) all.alignment = std::max(all.alignment, alignment_of(*v));
  all.extents = {bytes / std::max<std::uint64_t>(1, size_of_type(all.type.text) * all.vector)};
  place_in_window(StateSpace::shared, all);
  const Place place = places_[&all];
  places_.erase(&all);
  for (const Variable* v : variables) places_[v] = place;
  ArrayDecl& window = kernel_.arrays[place.array.value];
  if (bytes == 0) window.parts.pop_back();
  window.length = std::max<std::uint64_t>(window.length, 1);
}

ArrayId MemoryMap::buffer_array(const std::string& name, Type element) {
  const auto [it, fresh] =
      buffers_.try_emplace(name, ArrayId{static_cast<std::uint32_t>(kernel_.arrays.size())});
  if (fresh) kernel_.arrays.push_back({name, element, StateSpace::global, 0, {}});
  return it->second;
}

std::optional<Place> MemoryMap::find(const Variable& variable) const {
  const auto it = places_.find(&variable);
  return it == places_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<ArrayId> MemoryMap::window(StateSpace space) const {
  const auto it = windows_.find(space);
  return it == windows_.end() ? std::nullopt : std::optional(it->second);
}

fencewise::Operand MemoryMap::number(const std::string& name, Type type, std::uint64_t value) {
  kernel_.params.push_back({name, type});
  param_values_.push_back(value);
  return ParamId{static_cast<std::uint32_t>(kernel_.params.size() - 1)};
}

std::optional<fencewise::Operand> MemoryMap::read_param(std::size_t param, std::uint64_t offset, Type type) {
  if (const auto it = numbers_.find({param, offset});
      it != numbers_.end() && kernel_.params[it->second.index].type == type)
    return it->second;
  std::string name = fmt::format("param_{}", param);
  if (offset != 0) name += fmt::format("_{}", offset);
  if (arguments_ == nullptr) return numbers_[{param, offset}] = number(name, type, 0);
  for (const Field& field : arguments_->params[param]) {
    const auto* buffer = std::get_if<BufferArgument>(&field.value);
    if (buffer == nullptr || field.offset != offset || size_of(type) != 8) continue;
    return fencewise::Operand::address_of(buffer_array(buffer->buffer, buffer->element), buffer->offset);
  }
  if (const auto bits = bits_in(arguments_->params[param], offset, size_of(type)))
    return numbers_[{param, offset}] = number(name, type, *bits);
  return std::nullopt;
}

}  // namespace fencewise::ptx
