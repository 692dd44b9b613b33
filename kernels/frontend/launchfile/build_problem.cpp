#include "kernels/frontend/launchfile/build_problem.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "kernels/core/fits.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/ptx/opcode.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::launchfile {
namespace {

class ProblemBuilder {
 public:
  ProblemBuilder(const LaunchFile& file, const ptx::Program& program, ptx::Lines lines,
                 const Diagnostics& diagnostics)
      : file_(file), program_(program), lines_(lines), diagnostics_(diagnostics) {}

  Problem build() {
    problem_.replays = file_.replays;
    problem_.domain = file_.domain;
    for (const BufferEntry& entry : file_.buffers) add_buffer(entry);
    for (const LaunchEntry& entry : file_.launches) add_launch(entry);
    for (const BufferEntry& entry : file_.buffers) require_length(entry);
    for (const Check& check : file_.checks)
      problem_.contract.assertions.push_back(
          {check.text, lower_formula(check.formula, file_.constants, problem_.buffers, diagnostics_),
           check.when});
    for (const Token& name : file_.restored) problem_.contract.restored.push_back(buffer_named(name));
    problem_.name = problem_.kernels.front().name;
    validate(problem_);
    return std::move(problem_);
  }

 private:
  // --- numbers ---

  std::int64_t integer(const Numeric& number) const {
    if (const auto* value = std::get_if<std::int64_t>(&number.value)) return *value;
    if (const auto* node = std::get_if<Node>(&number.value))
      return evaluate(*node, file_.constants, diagnostics_);
    diagnostics_.error(number.at, "found a number with a fraction; expected a whole number");
  }

  std::uint64_t natural(const Numeric& number, std::uint64_t least, std::uint64_t most,
                        std::string_view what) const {
    const std::int64_t value = integer(number);
    if (value < static_cast<std::int64_t>(least) || value > static_cast<std::int64_t>(most))
      diagnostics_.error(number.at,
                         fmt::format("found {}; expected {} from {} to {}", value, what, least, most));
    return static_cast<std::uint64_t>(value);
  }

  std::uint64_t bits_of(const Numeric& number, Type type) const {
    if (!is_float(type)) {
      const std::int64_t value = integer(number);
      if (!fits(type, value))
        diagnostics_.error(number.at, fmt::format("found {}; expected a number that {} can hold", value, name(type)));
      return truncate(type, static_cast<std::uint64_t>(value));
    }
    const auto* real = std::get_if<double>(&number.value);
    const double value = real != nullptr ? *real : static_cast<double>(integer(number));
    return type == Type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                             : std::bit_cast<std::uint64_t>(value);
  }

  // --- buffers ---

  // A module variable that the file names is already a buffer of its own.
  void add_buffer(const BufferEntry& entry) {
    Buffer buffer;
    if (const ptx::Variable* variable = variable_named(entry.name.text))
      buffer = ptx::buffer_of(program_.module, *variable, program_.diagnostics);
    buffer.name = entry.name.text;
    if (entry.type) change_type(buffer, *entry.type);
    if (entry.length)
      buffer.length = natural(*entry.length, 1, max_bytes / size_of(buffer.element), "a length");
    buffer.role = entry.role.value_or(buffer.role);
    buffer.own_in_flight = entry.own;
    if (entry.own && buffer.role != Role::workspace)
      diagnostics_.error(entry.name.at, fmt::format("found own = true of {}; expected it of a workspace: inputs and outputs are always each "
                                                    "launch's own in flight",
                                                    fencewise::quoted(entry.name.text)));
    if (entry.role && !entry.initial) buffer.initial.kind = standard_contents(*entry.role);
    if (entry.initial) buffer.initial = {*entry.initial, values_of(entry, buffer.element)};
    if (entry.values.size() > buffer.length)
      diagnostics_.error(entry.values[buffer.length].at,
                         fmt::format("found {} initial values; {} has {} element{}", entry.values.size(), fencewise::quoted(buffer.name),
                                     buffer.length, buffer.length == 1 ? "" : "s"));
    if (problem_.find_buffer(buffer.name))
      diagnostics_.error(entry.name.at,
                         fmt::format("found buffer {} twice; expected one", fencewise::quoted(buffer.name)));
    problem_.buffers.push_back(std::move(buffer));
  }

  static void change_type(Buffer& buffer, Type type) {
    const std::uint64_t bytes = buffer.length * size_of(buffer.element);
    if (size_of(type) != size_of(buffer.element))
      buffer.length = std::max<std::uint64_t>(1, bytes / size_of(type));
    buffer.element = type;
  }

  static InitialContents::Kind standard_contents(Role role) {
    switch (role) {
      case Role::input: return InitialContents::Kind::symbols;
      case Role::output: return InitialContents::Kind::unwritten;
      case Role::workspace: return InitialContents::Kind::zero;
    }
    return InitialContents::Kind::zero;
  }

  std::vector<std::uint64_t> values_of(const BufferEntry& entry, Type type) const {
    std::vector<std::uint64_t> values;
    for (const Numeric& value : entry.values) values.push_back(bits_of(value, type));
    return values;
  }

  void require_length(const BufferEntry& entry) const {
    if (!entry.length && variable_named(entry.name.text) == nullptr)
      diagnostics_.error(entry.name.at, fmt::format("found buffer {} without a length; expected length = ...",
                                                    fencewise::quoted(entry.name.text)));
  }

  [[nodiscard]] const ptx::Variable* variable_named(const std::string& name) const {
    const auto& all = program_.module.variables;
    const auto it = std::find_if(all.begin(), all.end(), [&](const ptx::Variable& v) {
      return (v.space == "global" || v.space == "const") && ptx::buffer_name(program_.module, v) == name;
    });
    return it == all.end() ? nullptr : &*it;
  }

  BufferId buffer_named(const Token& name) const {
    if (const auto id = problem_.find_buffer(name.text)) return *id;
    diagnostics_.error(name.at,
                       fmt::format("found {}; expected one of the buffers", fencewise::quoted(name.text)));
  }

  // --- launches ---

  Dim3 extent(const std::array<std::optional<Numeric>, 3>& numbers, std::uint64_t most) const {
    const auto one = [&](std::size_t n) {
      return numbers[n] ? static_cast<std::uint32_t>(natural(*numbers[n], 1, most, "an extent")) : 1;
    };
    return {one(0), one(1), one(2)};
  }

  // At the first number of an extent.
  [[nodiscard]] static Position place_of(const std::array<std::optional<Numeric>, 3>& numbers, Position otherwise) {
    return numbers[0] ? numbers[0]->at : otherwise;
  }

  void add_launch(const LaunchEntry& entry) {
    const ptx::Function& function = kernel_named(entry);
    Launch launch;
    launch.name = ptx::short_name(function.name.text);
    launch.grid = extent(entry.grid, max_threads);
    launch.block = extent(entry.block, max_threads_per_cta);
    if (launch.block.count() > max_threads_per_cta)
      diagnostics_.error(place_of(entry.block, entry.at), fmt::format("found a block of {} threads; expected at most {}", launch.block.count(),
                                                                      max_threads_per_cta));
    if (launch.grid.count() > max_threads / launch.block.count())
      diagnostics_.error(place_of(entry.grid, entry.at), fmt::format("found a grid of {} blocks of {} threads; expected at most {} threads in all",
                                                                     launch.grid.count(), launch.block.count(), max_threads));
    launch.warp_size = 32;
    launch.stream = StreamId{entry.stream};
    for (const std::uint32_t earlier : entry.after) launch.after.push_back(LaunchId{earlier});
    ptx::Arguments arguments = arguments_of(entry, function);
    if (entry.dynamic_shared)
      arguments.dynamic_shared = natural(*entry.dynamic_shared, 0, max_bytes, "bytes");
    ptx::LoweredKernel lowered =
        ptx::lower(program_.module, function, &arguments, lines_, program_.diagnostics);
    lowered.kernel.name = launch.name;
    for (const ptx::Variable* variable : lowered.globals) add_variable(*variable);
    declare_elements(lowered.kernel);
    launch.params = lowered.params;
    launch.kernel = KernelId{static_cast<std::uint32_t>(problem_.kernels.size())};
    problem_.kernels.push_back(std::move(lowered.kernel));
    problem_.launches.push_back(std::move(launch));
  }

  // Without a name it is the only one.
  [[nodiscard]] const ptx::Function& kernel_named(const LaunchEntry& entry) const {
    const std::string& name = entry.kernel.text;
    const auto all = program_.entries();
    const auto meant = name.empty() ? all : program_.entries_named(name);
    if (meant.size() == 1) return *meant.front();
    const std::string found = name.empty() ? "no kernel's name" : fmt::format("kernel {}", fencewise::quoted(name));
    const Position at = name.empty() ? entry.at : entry.kernel.at;
    if (all.empty()) diagnostics_.error(at, fmt::format("found {}; {} has no kernel", found, program_.diagnostics.file()));
    std::vector<std::string> names;
    for (const ptx::Function* function : meant.empty() ? all : meant) names.push_back(program_.name_of(*function));
    diagnostics_.error(at, fmt::format("found {}{}; expected one of {}: {}", found, name.empty() || meant.empty() ? "" : ", which may be several",
                                       program_.diagnostics.file(), fmt::join(names, ", ")));
  }

  void add_variable(const ptx::Variable& variable) {
    if (!problem_.find_buffer(ptx::buffer_name(program_.module, variable)))
      problem_.buffers.push_back(ptx::buffer_of(program_.module, variable, program_.diagnostics));
  }

  // A buffer's type is the file's.
  void declare_elements(Kernel& kernel) const {
    for (ArrayDecl& array : kernel.arrays)
      if (const auto id = problem_.find_buffer(array.name); id && array.space == StateSpace::global)
        array.element = problem_.buffers[id->value].element;
  }

  // --- arguments ---

  ptx::Arguments arguments_of(const LaunchEntry& entry, const ptx::Function& function) const {
    if (entry.arguments.size() != function.params.size())
      diagnostics_.error(entry.at, fmt::format("found {} argument{} for {}; expected {}",
                                               entry.arguments.size(), entry.arguments.size() == 1 ? "" : "s",
                                               fencewise::quoted(ptx::short_name(function.name.text)),
                                               function.params.size()));
    ptx::Arguments arguments;
    for (std::size_t n = 0; n < function.params.size(); ++n)
      arguments.params.push_back(fields_of(entry.arguments[n], function.params[n]));
    return arguments;
  }

  // What a parameter of one scalar gets; a struct gets its fields, each at the next multiple of its size.
  std::vector<ptx::Field> fields_of(const Argument& argument, const ptx::Variable& param) const {
    std::vector<ptx::Field> fields;
    if (const auto* list = std::get_if<std::vector<Argument>>(&argument.value)) {
      std::uint64_t end = 0;
      for (const Argument& member : *list) {
        if (std::holds_alternative<std::vector<Argument>>(member.value))
          diagnostics_.error(
              member.at, "found a list within a list; expected the fields of a struct, one after the other");
        ptx::Field field = scalar_field(member, member.type);
        field.offset = (end + field.size - 1) / field.size * field.size;
        end = field.offset + field.size;
        fields.push_back(std::move(field));
      }
      if (end > ptx::bytes_of(param))
        diagnostics_.error(argument.at,
                           fmt::format("found fields of {} bytes; expected at most the parameter's {}", end,
                                       ptx::bytes_of(param)));
    } else if (param.extents.empty()) {
      const auto type = ptx::type_named(param.type.text);
      if (!type)
        diagnostics_.not_modelled(argument.at,
                                  fmt::format("a parameter of type {} is not modelled", param.type.text));
      fields.push_back(scalar_field(argument, argument.type.value_or(*type)));
      if (fields.back().size != size_of(*type))
        diagnostics_.error(argument.at, fmt::format("found an argument of {} bytes; expected {}",
                                                    fields.back().size, size_of(*type)));
    } else {
      diagnostics_.error(argument.at, "found one value for a struct; expected its fields in a list");
    }
    return fields;
  }

  ptx::Field scalar_field(const Argument& argument, std::optional<Type> type) const {
    const Numeric& number = std::get<Numeric>(argument.value);
    if (const auto place = buffer_place(number)) {
      if (type && size_of(*type) != 8)
        diagnostics_.error(argument.at, "found a buffer; expected a number: the parameter is no pointer");
      return {0, 8, *place};
    }
    const Type kind = type.value_or(std::holds_alternative<double>(number.value) ? Type::f32 : Type::s32);
    return {0, size_of(kind), bits_of(number, kind)};
  }

  // "ws" or "&ws[4]".
  std::optional<ptx::BufferArgument> buffer_place(const Numeric& number) const {
    const auto* node = std::get_if<Node>(&number.value);
    if (node == nullptr || (node->kind != Node::Kind::name && node->kind != Node::Kind::element))
      return std::nullopt;
    const auto id = problem_.find_buffer(node->token.text);
    if (!id) return module_place(*node);
    const Buffer& buffer = problem_.buffers[id->value];
    const std::int64_t index =
        node->kind == Node::Kind::element ? evaluate(node->children[1], file_.constants, diagnostics_) : 0;
    if (index < 0 || static_cast<std::uint64_t>(index) > buffer.length)
      diagnostics_.error(number.at, fmt::format("found {}[{}]; expected an index up to {}", buffer.name,
                                                index, buffer.length));
    return ptx::BufferArgument{buffer.name, buffer.element,
                               static_cast<std::uint64_t>(index) * size_of(buffer.element)};
  }

  // A name that is no buffer is a constant, or wrong.
  std::optional<ptx::BufferArgument> module_place(const Node& node) const {
    if (node.kind == Node::Kind::element || !file_.constants.contains(node.token.text))
      diagnostics_.error(node.token.at, fmt::format("found {}; expected a buffer or a constant",
                                                    fencewise::quoted(node.token.text)));
    return std::nullopt;
  }

  const LaunchFile& file_;
  const ptx::Program& program_;
  ptx::Lines lines_;
  const Diagnostics& diagnostics_;
  Problem problem_;
};

}  // namespace

Problem build_problem(const LaunchFile& file, const ptx::Program& program, ptx::Lines lines,
                      const Diagnostics& diagnostics) {
  return ProblemBuilder(file, program, lines, diagnostics).build();
}

}  // namespace fencewise::launchfile
