#include "kernels/frontend/ptx/lower.h"

#include <algorithm>

#include "kernels/frontend/ptx/lower_instruction.h"
#include "kernels/frontend/ptx/printf_calls.h"
#include "kernels/frontend/ptx/relative_addresses.h"
#include "kernels/frontend/ptx/source_lines.h"

namespace fencewise::ptx {
namespace {

class FunctionLowering {
 public:
  FunctionLowering(const Module& module, const Function& function, const Arguments* arguments, Lines lines,
                   const Diagnostics& diagnostics)
      : function_(with_printf_calls(module, function)),
        by_ptx_lines_(lines == Lines::ptx),
        names_(module, kernel_),
        memory_(module, function_, arguments, kernel_, diagnostics),
        emitter_(kernel_),
        source_(module, function_),
        instructions_(function_, names_, memory_, emitter_, diagnostics) {
    kernel_.name = function.name.text;
    kernel_.files.push_back(diagnostics.file());
    kernel_.files.insert(kernel_.files.end(), source_.files().begin(), source_.files().end());
  }

  LoweredKernel lower() {
    open_scope(0);
    for (at_ = 0; at_ < function_.body.size(); ++at_)
      std::visit([this](const auto& statement) { read(statement); }, function_.body[at_]);
    emitter_.finish(labels_);
    return {std::move(kernel_), memory_.param_values(), memory_.globals(), emitter_.origins()};
  }

 private:
  // Labels may be named before they come: all of a scope are declared where it opens.
  void open_scope(std::size_t begin) {
    names_.open();
    int depth = 0;
    for (std::size_t n = begin; n < function_.body.size() && depth >= 0; ++n) {
      const Statement& statement = function_.body[n];
      if (std::holds_alternative<ScopeBegin>(statement)) ++depth;
      if (std::holds_alternative<ScopeEnd>(statement)) --depth;
      const auto* label = std::get_if<Label>(&statement);
      if (label == nullptr || depth != 0) continue;
      id_of_[n] = LabelId{labels_++};
      names_.declare(*label, id_of_[n]);
    }
  }

  void read(const ScopeBegin&) { open_scope(at_ + 1); }
  void read(const ScopeEnd&) { names_.close(); }
  void read(const Registers& registers) { names_.declare(registers); }
  void read(const Variable& variable) { names_.declare(variable); }
  void read(const Loc& loc) { source_.read(loc); }
  void read(const Label& label) { emitter_.label(id_of_.at(at_), label.name.text); }
  void read(const Instruction& instruction) {
    stand_at(instruction.opcode.at, instruction.opcode.text);
    instructions_.lower(instruction);
  }
  void read(const PrintfCall& call) { read_call(call); }
  void read(const AssertCall& call) { read_call(call); }
  template <class Call> void read_call(const Call& call) {
    stand_at(call.at, "call");
    instructions_.lower(call);
  }

  void stand_at(Position at, const std::string& opcode) {
    const SourceChain& chain = source_.current();
    SourceLine where{0, at.line, 0};
    if (!by_ptx_lines_ && source_.any()) {
      const auto line = [](const SourceLine& user, std::uint32_t inlined) { return SourceLine{user.file + 1, user.line, 0, inlined}; };
      std::uint32_t inlined = 0;
      for (auto caller = chain.callers.rbegin(); caller != chain.callers.rend(); ++caller)
        inlined = number_of({caller->function, line(caller->call, inlined)});
      where = line(chain.user, inlined);
    }
    emitter_.at(where, {at, opcode, chain.path});
  }

  // As SourceLine::inlined counts calls.
  std::uint32_t number_of(const InlinedCall& call) {
    auto& calls = kernel_.inlined;
    const auto at = std::find(calls.begin(), calls.end(), call);
    const auto number = static_cast<std::uint32_t>(at - calls.begin()) + 1;
    if (at == calls.end()) calls.push_back(call);
    return number;
  }

  const Function function_;
  bool by_ptx_lines_;
  Kernel kernel_;
  Names names_;
  MemoryMap memory_;
  Emitter emitter_;
  SourceLines source_;
  InstructionLowering instructions_;
  std::size_t at_ = 0;  // statement
  std::uint32_t labels_ = 0;
  std::map<std::size_t, LabelId> id_of_;  // by statement
};

}  // namespace

LoweredKernel lower(const Module& module, const Function& function, const Arguments* arguments, Lines lines,
                    const Diagnostics& diagnostics) {
  LoweredKernel lowered = FunctionLowering(module, function, arguments, lines, diagnostics).lower();
  make_addresses_relative(lowered.kernel);
  return lowered;
}

}  // namespace fencewise::ptx
