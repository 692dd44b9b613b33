#include "kernels/frontend/ptx/describe.h"

#include <map>

#include <fmt/format.h>

#include "kernels/core/printer.h"
#include "kernels/frontend/ptx/opcode.h"
#include "kernels/frontend/ptx/pointers.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::ptx {
namespace {

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// --- what an operation means ---

const char* rendezvous = "the lanes of its mask meet and exchange values; it orders no memory";

// Empty: nothing that others may notice beyond its value.
struct Meaning {
  const LoweredKernel& lowered;
  const fencewise::Instruction& instruction;

  std::string operator()(const Fence&) const { return print(instruction, lowered.kernel); }
  std::string operator()(const ProxyFenceOp&) const { return print(instruction, lowered.kernel); }
  std::string operator()(const Barrier& b) const {
    if (b.kind == BarrierKind::arrive) return "arrives at a barrier of the CTA, and goes on";
    return b.count.present() ? "a barrier of some threads of the CTA" : "a barrier of the CTA's threads";
  }
  std::string operator()(const WarpBarrier&) const {
    return "a barrier of the lanes of its mask, which orders their memory";
  }
  std::string operator()(const Shuffle&) const { return rendezvous; }
  std::string operator()(const Vote&) const { return rendezvous; }
  std::string operator()(const Match&) const { return rendezvous; }
  std::string operator()(const WarpReduce&) const { return rendezvous; }
  std::string operator()(const ActiveMask&) const { return "some set of lanes with this one; nobody waits"; }
  std::string operator()(const Atomic& a) const {
    return fmt::format("{} read and write{}", strength(a.access), a.red ? "; the read never acquires" : "");
  }
  std::string operator()(const Load& l) const {
    return l.access.order == Order::weak ? cache(l.access, "read") : strength(l.access) + " read";
  }
  std::string operator()(const Store& s) const {
    return s.access.order == Order::weak ? cache(s.access, "write") : strength(s.access) + " write";
  }
  std::string operator()(const Trap& t) const { return t.message; }
  template <class Other> std::string operator()(const Other&) const { return ""; }

  static std::string strength(const Access& access) {
    return fmt::format("{}.{}", spelling(access.order), spelling(access.scope));
  }
  // A cache operator promises nothing. ld.global.nc is no hint, but synchronizes nothing either.
  static std::string cache(const Access& access, std::string_view what) {
    const bool hint = access.cache != CacheOperator::none && access.cache != CacheOperator::nc;
    return hint ? fmt::format("weak {}: cache operators are only hints", what) : "";
  }
  static std::string_view spelling(Order order) {
    switch (order) {
      case Order::weak: return "weak";
      case Order::relaxed: return "relaxed";
      case Order::acquire: return "acquire";
      case Order::release: return "release";
      case Order::acq_rel: return "acq_rel";
      case Order::sc: return "sc";
    }
    return "";
  }
  static std::string_view spelling(Scope scope) {
    switch (scope) {
      case Scope::cta: return "cta";
      case Scope::cluster: return "cluster";
      case Scope::gpu: return "gpu";
      case Scope::sys: return "sys";
    }
    return "";
  }
};

// Builtins that leave no trace but their instruction.
std::string_view builtin_of(std::string_view opcode) {
  static const std::map<std::string_view, std::string_view> table{{"membar.cta", "__threadfence_block"},
                                                                  {"membar.gl", "__threadfence"},
                                                                  {"membar.sys", "__threadfence_system"},
                                                                  {"bar.sync", "__syncthreads"},
                                                                  {"bar.warp.sync", "__syncwarp"}};
  const auto it = table.find(opcode);
  return it == table.end() ? std::string_view() : it->second;
}

// Of a chain of inlined functions the one that the user called, without its template arguments.
std::string called(const Origin& origin) {
  std::string name = origin.inlined.empty() ? "" : origin.inlined.front();
  if (!name.starts_with("operator")) name = name.substr(0, name.find('<'));
  if (name.empty()) name = builtin_of(origin.opcode);
  return name.empty() ? "" : fmt::format(", from {}()", name);
}

// "; in grid_barrier(), from k.cu:32".
std::string callers(const SourceLine& where, const Kernel& kernel) {
  const std::string text = print_callers(where, kernel);
  return text.empty() ? "" : "; " + text;
}

std::string where(const SourceLine& at, const Kernel& kernel) {
  std::string text = print(at, kernel);
  return text.empty() ? "?" : text;
}

template <class F> void for_each(const LoweredKernel& lowered, const F& f) {
  for (std::size_t b = 0; b < lowered.kernel.blocks.size(); ++b)
    for (std::size_t i = 0; i < lowered.kernel.blocks[b].instructions.size(); ++i)
      f(lowered.kernel.blocks[b].instructions[i], lowered.origins[b][i]);
}

std::string synchronization(const LoweredKernel& lowered) {
  std::string text;
  for_each(lowered, [&](const fencewise::Instruction& i, const Origin& origin) {
    const std::string meaning = std::visit(Meaning{lowered, i}, i.operation);
    if (origin.opcode.empty() || meaning.empty()) return;
    text += fmt::format("    {:28} {:32} {}{}{}\n", where(i.where, lowered.kernel), origin.opcode, meaning, called(origin),
                        callers(i.where, lowered.kernel));
  });
  return text.empty() ? "  no synchronization\n" : "  synchronization\n" + text;
}

std::string unmodelled(const LoweredKernel& lowered) {
  std::string text;
  for_each(lowered, [&](const fencewise::Instruction& i, const Origin&) {
    if (const auto* u = std::get_if<Unmodelled>(&i.operation)) text += fmt::format("    {}\n", u->what);
  });
  return text.empty() ? "" : "  not modelled: a check that gets there is inconclusive\n" + text;
}

// --- parameters and memory ---

std::string use_text(const PointerUse& use) {
  std::string text = use.read ? "read" : "";
  if (use.written) text += text.empty() ? "written" : ", written";
  if (use.atomic) text += text.empty() ? "atomics" : ", atomics";
  return fmt::format("pointer to {}: {}", name(use.element()), text);
}

// The use of a parameter that is one scalar: the kernel's params that were read are named after it.
PointerUse use_of(std::size_t param, const LoweredKernel& lowered, const std::vector<PointerUse>& uses) {
  for (std::size_t n = 0; n < uses.size(); ++n)
    if (lowered.kernel.params[n].name == fmt::format("param_{}", param)) return uses[n];
  return {};
}

struct FieldUse {
  Type type = Type::u32;
  PointerUse use;
};

// What the kernel reads of a struct, by offset.
std::map<std::uint64_t, FieldUse> fields_of(std::size_t param, const LoweredKernel& lowered, const std::vector<PointerUse>& uses) {
  std::map<std::uint64_t, FieldUse> fields;
  const std::string prefix = fmt::format("param_{}", param);
  for (std::size_t n = 0; n < uses.size(); ++n) {
    const ParamDecl& read = lowered.kernel.params[n];
    if (read.name != prefix && !read.name.starts_with(prefix + "_")) continue;
    const std::uint64_t offset = read.name == prefix ? 0 : std::stoull(read.name.substr(prefix.size() + 1));
    fields[offset] = {read.type, uses[n]};
  }
  return fields;
}

// "+8  u64  pointer to u32: written"
std::string fields(std::size_t param, const LoweredKernel& lowered, const std::vector<PointerUse>& uses) {
  std::string text;
  for (const auto& [offset, field] : fields_of(param, lowered, uses))
    text += fmt::format("        +{:<4} {:6} {}\n", offset, name(field.type), field.use.used() ? use_text(field.use) : "");
  return text;
}

std::string parameter_lines(const Function& function, const LoweredKernel& lowered) {
  if (function.params.empty()) return "  no parameters\n";
  const std::vector<PointerUse> uses = pointer_uses(lowered.kernel);
  std::string text = "  parameters\n";
  for (std::size_t n = 0; n < function.params.size(); ++n) {
    const Variable& param = function.params[n];
    if (!param.extents.empty()) {
      text += fmt::format("    {:<3} a struct of {} bytes\n", n, bytes_of(param)) + fields(n, lowered, uses);
      continue;
    }
    const PointerUse use = use_of(n, lowered, uses);
    text +=
        fmt::format("    {:<3} {}{}\n", n, param.type.text.substr(1), use.used() ? "  " + use_text(use) : "");
  }
  return text;
}

std::string memory(const Program& program, const LoweredKernel& lowered) {
  std::string text;
  for (const ArrayDecl& array : lowered.kernel.arrays) {
    if (array.space == StateSpace::global) continue;
    text += fmt::format("  {} memory, {}\n", array.space == StateSpace::shared ? "shared" : "local",
                        counted(array.length, "byte"));
    for (const ArrayPart& part : array.parts)
      text +=
          fmt::format("    {} {}[{}] at byte {}\n", part.name, name(part.element), part.length, part.offset);
  }
  if (!lowered.globals.empty()) text += "  module variables\n";
  for (const Variable* v : lowered.globals)
    text += fmt::format("    {} {}[{}]\n", buffer_name(program.module, *v), name(element_of(*v)),
                        bytes_of(*v) / size_of(element_of(*v)));
  return text;
}

std::string instruction_count(const LoweredKernel& lowered) {
  std::size_t count = 0;
  for_each(lowered, [&](const fencewise::Instruction&, const Origin& origin) {
    count += origin.opcode.empty() ? 0 : 1;
  });
  return counted(count, "instruction");
}

std::string describe(const Program& program, const Function& function) {
  const LoweredKernel lowered = lower(program.module, function, nullptr, Lines::cuda, program.diagnostics);
  return fmt::format("\nkernel {}, {}\n", short_name(function.name.text), instruction_count(lowered)) +
         parameter_lines(function, lowered) + memory(program, lowered) + synchronization(lowered) +
         unmodelled(lowered);
}

}  // namespace

std::string describe(const Program& program) {
  const auto entries = program.entries();
  std::string text =
      fmt::format("{}: PTX {} for {}, {}\n", program.diagnostics.file(), program.module.version,
                  program.module.target, counted(entries.size(), "kernel"));
  for (const Function* function : entries) text += describe(program, *function);
  return text;
}

// --- a launch file ---

namespace {

struct Draft {
  std::string buffers, arguments, checks;
};

// What is only read is an input, what is only written an output.
const char* role_of(const PointerUse& use) {
  if (use.atomic || (use.read && use.written)) return "workspace";
  return use.written ? "output" : "input";
}

// Declares the buffer that a pointer wants, and names it.
std::string draft_buffer(const std::string& name_of_buffer, const PointerUse& use, Draft& draft) {
  draft.buffers += fmt::format("{} = {{ type = \"{}\", length = \"n\", role = \"{}\" }}\n", name_of_buffer,
                               name(use.element()), role_of(use));
  if (std::string_view(role_of(use)) == "output")
    draft.checks += fmt::format("#   \"forall i in 0..n: {}[i] == 0\",\n", name_of_buffer);
  return fmt::format("\"{}\"", name_of_buffer);
}

// Its fields, with bytes in between that the kernel does not read.
std::string draft_struct(std::size_t n, const std::map<std::uint64_t, FieldUse>& fields, Draft& draft) {
  std::vector<std::string> list;
  std::uint64_t at = 0;
  for (const auto& [offset, field] : fields) {
    const std::uint64_t size = size_of(field.type);
    for (; (at + size - 1) / size * size < offset; ++at) list.emplace_back("{ u8 = 0 }");
    list.push_back(field.use.used() ? draft_buffer(fmt::format("b{}_{}", n, offset), field.use, draft)
                                    : fmt::format("{{ {} = 1 }}", name(field.type)));
    at = offset + size;
  }
  return fmt::format("[{}]", fmt::join(list, ", "));
}

void draft_parameter(std::size_t n, const Variable& param, const PointerUse& use,
                     const std::map<std::uint64_t, FieldUse>& fields, Draft& draft) {
  std::string argument;
  if (!param.extents.empty()) {
    argument = draft_struct(n, fields, draft) + ",";
    draft.arguments += fmt::format("  {:10} # {} a struct of {} bytes\n", argument, n, bytes_of(param));
    return;
  }
  if (use.used()) {
    argument = draft_buffer(fmt::format("b{}", n), use, draft) + ",";
  } else {
    argument = is_float(type_named(param.type.text).value_or(Type::u32)) ? "1.0," : "1,";
  }
  draft.arguments += fmt::format("  {:10} # {} {}\n", argument, n, param.type.text.substr(1));
}

Draft draft_of(const Function& function, const LoweredKernel& lowered) {
  Draft draft;
  const std::vector<PointerUse> uses = pointer_uses(lowered.kernel);
  for (std::size_t n = 0; n < function.params.size(); ++n)
    draft_parameter(n, function.params[n], use_of(n, lowered, uses), fields_of(n, lowered, uses), draft);
  return draft;
}

bool has_dynamic_shared(const Program& program, const LoweredKernel& lowered) {
  for (const Variable& v : program.module.variables)
    if (v.space == "shared" && v.external && !lowered.kernel.arrays.empty()) return true;
  return false;
}

}  // namespace

std::string launch_file_for(const Program& program, const Function& function) {
  const LoweredKernel lowered = lower(program.module, function, nullptr, Lines::cuda, program.diagnostics);
  const Draft draft = draft_of(function, lowered);
  std::string text = fmt::format(
      "# How {} of {} is launched, and what must hold. Small sizes are enough: a protocol that\n"
      "# breaks, breaks with two CTAs of two threads.\n\n"
      "replays = 2  # the launches again, with the same arguments: is everything reset?\n\n"
      "# Numbers by name, for expressions in quotes; --param n=8 overrides.\n[constants]\nn = 4\n\n"
      "# type: u8 ... s64, f32, f64. role: input (new contents in each replay), output, workspace (stays as "
      "it was left).\n"
      "# initial: symbols (any values, the verdict holds for all), zero, iota, any, unwritten, or a list of "
      "values.\n"
      "# What steers control or addresses needs values.\n[buffers]\n{}",
      short_name(function.name.text), program.diagnostics.file(), draft.buffers);
  for (const Variable* v : lowered.globals)
    text += fmt::format("# {} is a variable of the module; name it here to change it\n",
                        buffer_name(program.module, *v));
  text += fmt::format(
      "\n[[launch]]\nkernel = \"{}\"\ngrid = [2, 1]\nblock = 2\n{}args = [\n{}]\n\n",
      program.name_of(function),
      has_dynamic_shared(program, lowered) ? "shared = 16  # dynamic shared memory, in bytes\n" : "",
      draft.arguments);
  text += fmt::format(
      "# Formulas: == != < <= > >=, && || !, + - * / %, forall i in 0..n: f, sum(i in 0..n: e), all(b == 0), "
      "sum(b),\n"
      "# old(e) for memory as the launch found it.\n[check]\neach_replay = [\n{}]\n"
      "restored = []  # buffers that each replay must leave as it found them\n",
      draft.checks);
  return text;
}

}  // namespace fencewise::ptx
