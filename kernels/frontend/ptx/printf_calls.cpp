#include "kernels/frontend/ptx/printf_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "kernels/core/print_format.h"
#include "kernels/frontend/ptx/number.h"
#include "kernels/frontend/ptx/opcode.h"

namespace fencewise::ptx {
namespace {

struct KnownAddress {
  const Variable* variable = nullptr;
  std::uint64_t offset = 0;
};

template <class F> void each_name(const std::vector<Operand>& operands, const F& f) {
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::name) f(operand);
    each_name(operand.elements, f);
  }
}

// The registers that an instruction sets, if it sets any: then its first operand names them.
template <class F> void each_result(const Instruction& i, const F& f) {
  if (i.operands.empty() || i.operands[0].kind == Operand::Kind::address) return;
  each_name({i.operands[0]}, [&](const Operand& o) {
    f(o.token.text);
    if (o.second) f(o.second->text);
  });
}

// [r + 8] as r + 8. Null: it is no such address.
const Operand* base_of(const Instruction& i) {
  const bool address = !i.operands.empty() && i.operands[0].kind == Operand::Kind::address;
  const bool named = address && i.operands[0].elements.front().kind == Operand::Kind::name;
  return named ? &i.operands[0].elements.front() : nullptr;
}

bool is_call_of(std::string_view function, const Instruction& i) {
  return Opcode(i.opcode.text).mnemonic() == "call" &&
         std::any_of(i.operands.begin(), i.operands.end(), [function](const Operand& o) {
           return o.kind == Operand::Kind::name && o.token.text == function;
         });
}

bool is_store_of_parameter(const Instruction& i) {
  const Opcode opcode(i.opcode.text);
  return opcode.mnemonic() == "st" && (opcode.has("param") || opcode.has("param::func"));
}

// To local memory, or to a generic address, which may be one of it.
bool is_plain_store(const Instruction& i) {
  const Opcode opcode(i.opcode.text);
  const bool elsewhere = opcode.has("global") || opcode.has("shared") || opcode.has("shared::cta");
  return opcode.mnemonic() == "st" && !elsewhere && !is_store_of_parameter(i);
}

// The text at an address, up to its end. No value: no bytes that are known are there.
std::optional<std::string> text_at(const KnownAddress& address) {
  const Variable& v = *address.variable;
  if ((v.space != "global" && v.space != "const") || size_of_type(v.type.text) != 1) return std::nullopt;
  std::string text;
  for (std::size_t n = address.offset; n < v.initializer.size(); ++n) {
    const Operand& value = v.initializer[n].value;
    if (value.kind != Operand::Kind::integer) return std::nullopt;
    const auto byte = static_cast<char>(integer_bits(value.token.text));
    if (byte == 0) return text;
    text += byte;
  }
  // What is not given is 0.
  return !v.initializer.empty() && !v.extents.empty() && text.size() + address.offset < v.extents.front()
             ? std::optional(text)
             : std::nullopt;
}

class PrintfCalls {
 public:
  PrintfCalls(const Module& module, const Function& function) : function_(function) {
    for (const Variable& v : module.variables) variables_[v.name.text] = &v;
    each_statement([&](std::size_t, const auto& statement) {
      if constexpr (std::is_same_v<std::decay_t<decltype(statement)>, Variable>)
        variables_[statement.name.text] = &statement;
    });
    each_instruction([&](std::size_t, const Instruction& i) {
      each_result(i, [&](const std::string& name) { ++definitions_[name]; });
    });
    each_instruction([&](std::size_t n, const Instruction& i) {
      follow(i);
      const std::string mnemonic = Opcode(i.opcode.text).mnemonic();
      branches_anywhere_ |= mnemonic == "brx";
      if (mnemonic == "bra" && !i.operands.empty()) branches_[i.operands[0].token.text].push_back(n);
    });
  }

  Function rewritten() {
    std::map<std::size_t, Statement> calls;
    each_instruction([&](std::size_t n, const Instruction& i) {
      if (is_call_of("vprintf", i)) calls.emplace(n, printf_at(n, i));
      if (is_call_of("__assertfail", i)) calls.emplace(n, assert_at(n, i));
    });
    if (calls.empty()) return function_;
    for (const Variable* const v : shown_) served_.erase(v);
    for (std::size_t before = served_.size() + 1; served_.size() < before;) {
      before = served_.size();
      each_instruction([&](std::size_t, const Instruction& i) { look_for_other_uses(i); });
    }
    Function result = function_;
    result.body.clear();
    for (std::size_t n = 0; n < function_.body.size(); ++n) {
      if (const auto call = calls.find(n); call != calls.end())
        result.body.emplace_back(call->second);
      else if (const auto* i = std::get_if<Instruction>(&function_.body[n]);
               i == nullptr || !serves_only_printf(*i))
        result.body.push_back(function_.body[n]);
    }
    return result;
  }

 private:
  template <class F> void each_statement(const F& f) const {
    for (std::size_t n = 0; n < function_.body.size(); ++n)
      std::visit([&](const auto& statement) { f(n, statement); }, function_.body[n]);
  }
  template <class F> void each_instruction(const F& f) const {
    for (std::size_t n = 0; n < function_.body.size(); ++n)
      if (const auto* i = std::get_if<Instruction>(&function_.body[n])) f(n, *i);
  }

  // --- addresses ---

  [[nodiscard]] std::optional<KnownAddress> address(const Operand& operand) const {
    if (operand.kind != Operand::Kind::name) return std::nullopt;
    const auto offset = static_cast<std::uint64_t>(operand.offset);
    if (const auto reg = addresses_.find(operand.token.text); reg != addresses_.end())
      return KnownAddress{reg->second.variable, reg->second.offset + offset};
    if (const auto v = variables_.find(operand.token.text); v != variables_.end())
      return KnownAddress{v->second, offset};
    return std::nullopt;
  }

  // The address that an instruction computes from a known one.
  [[nodiscard]] std::optional<KnownAddress> result_of(const Instruction& i) const {
    const std::string mnemonic = Opcode(i.opcode.text).mnemonic();
    if (i.guard || i.operands.size() < 2) return std::nullopt;
    auto from = address(i.operands[1]);
    const bool copies = (mnemonic == "mov" || mnemonic == "cvta") && i.operands.size() == 2;
    const bool adds =
        mnemonic == "add" && i.operands.size() == 3 && i.operands[2].kind == Operand::Kind::integer;
    if (!from || (!copies && !adds)) return std::nullopt;
    if (adds) from->offset += integer_bits(i.operands[2].token.text);
    return from;
  }

  void follow(const Instruction& i) {
    const auto known = result_of(i);
    if (!known || i.operands[0].kind != Operand::Kind::name) return;
    const std::string& name = i.operands[0].token.text;
    if (definitions_[name] == 1) addresses_[name] = *known;
  }

  // --- calls ---

  PrintfCall printf_at(std::size_t n, const Instruction& i) {
    PrintfCall call;
    call.guard = i.guard;
    call.at = i.opcode.at;
    const Operand& params = i.operands.back();
    if (params.kind != Operand::Kind::list || params.elements.size() != 2) return call;
    const Operand* const format = passed(n, params.elements[0].token.text);
    const Operand* const buffer = passed(n, params.elements[1].token.text);
    const auto format_at = format == nullptr ? std::nullopt : address(*format);
    if (format_at) call.format = text_at(*format_at);
    if (!call.format) return call;
    served_.insert(format_at->variable);
    const auto buffer_at = buffer == nullptr ? std::nullopt : address(*buffer);
    if (buffer_at && buffer_at->variable->space == "local") {
      served_.insert(buffer_at->variable);
      stored_before(n, *buffer_at, call);
    } else {
      call.arguments.resize(arguments_of(*call.format).size());
    }
    return call;
  }

  // What failed, the file, the line, the function, and the size of a character.
  AssertCall assert_at(std::size_t n, const Instruction& i) {
    AssertCall call{i.guard, i.opcode.at, "an assert fails"};
    const Operand& params = i.operands.back();
    if (params.kind != Operand::Kind::list || params.elements.size() < 4) return call;
    const auto text = [&](std::size_t param) -> std::optional<std::string> {
      const Operand* const value = passed(n, params.elements[param].token.text);
      const auto at = value == nullptr ? std::nullopt : address(*value);
      if (!at) return std::nullopt;
      served_.insert(at->variable);
      return text_at(*at);
    };
    const auto what = text(0), file = text(1), function = text(3);
    if (!what) return call;
    call.message = "assert(" + *what + ") fails";
    const Operand* const line = passed(n, params.elements[2].token.text);
    if (file && line != nullptr && line->kind == Operand::Kind::integer)
      call.message += ", " + file->substr(file->rfind('/') + 1) + ":" + std::to_string(integer_bits(line->token.text));
    if (function) call.message += " in " + *function;
    return call;
  }

  // What was stored to a parameter, in the braces around the call.
  [[nodiscard]] const Operand* passed(std::size_t call, const std::string& param) const {
    for (std::size_t n = call; n-- > 0 && !std::holds_alternative<ScopeBegin>(function_.body[n]);) {
      const auto* i = std::get_if<Instruction>(&function_.body[n]);
      if (i == nullptr || !is_store_of_parameter(*i) || i->guard || i->operands.size() != 2) continue;
      if (const Operand* base = base_of(*i); base != nullptr && base->token.text == param)
        return &i->operands[1];
    }
    return nullptr;
  }

  void stored_before(std::size_t call, const KnownAddress& buffer, PrintfCall& result) {
    std::uint64_t offset = buffer.offset;
    for (const FormatArgument& argument : arguments_of(*result.format)) {
      const std::uint64_t size = size_of(argument.type);
      offset = (offset + size - 1) / size * size;
      const auto value = value_at(call, *buffer.variable, offset, size);
      result.arguments.push_back(value ? argument_of(*value, argument) : PrintfArgument());
      offset += size;
    }
  }

  PrintfArgument argument_of(const Operand& value, const FormatArgument& argument) {
    const auto at = address(value);
    if (!argument.text) {
      if (at) shown_.insert(at->variable);
      return value;
    }
    const auto text = at ? text_at(*at) : std::nullopt;
    if (!text) return {};
    served_.insert(at->variable);
    return *text;
  }

  struct Stored {
    std::optional<Operand> value;  // none: not known
  };

  // No value: it stores nothing to these bytes.
  [[nodiscard]] std::optional<Stored> stored_by(const Instruction& i, const Variable& variable, std::uint64_t offset, std::uint64_t size) const {
    const Operand* const base = is_plain_store(i) ? base_of(i) : nullptr;
    const auto at = base == nullptr ? std::nullopt : address(*base);
    const auto type = Opcode(i.opcode.text).take_type();
    if (!at || at->variable != &variable || i.operands.size() != 2 || !type) return std::nullopt;
    const bool vector = i.operands[1].kind == Operand::Kind::vector;
    const std::vector<Operand> values = vector ? i.operands[1].elements : std::vector<Operand>{i.operands[1]};
    for (std::size_t n = 0; n < values.size(); ++n) {
      const std::uint64_t begin = at->offset + n * size_of(*type), end = begin + size_of(*type);
      if (end <= offset || offset + size <= begin) continue;
      const bool known = !i.guard && begin == offset && end == offset + size;
      return Stored{known ? std::optional(values[n]) : std::nullopt};
    }
    return std::nullopt;
  }

  // A call that may store anything.
  static bool is_opaque(const Instruction& i) {
    return Opcode(i.opcode.text).mnemonic() == "call" && !is_call_of("vprintf", i) && !is_call_of("__assertfail", i);
  }

  // The statements that may come just before. None: the function begins here, or nothing leads here.
  [[nodiscard]] std::vector<std::size_t> before(std::size_t n) const {
    std::vector<std::size_t> earlier;
    const auto* i = n == 0 ? nullptr : std::get_if<Instruction>(&function_.body[n - 1]);
    const std::string mnemonic = i == nullptr || i->guard ? "" : Opcode(i->opcode.text).mnemonic();
    if (n != 0 && mnemonic != "bra" && mnemonic != "ret" && mnemonic != "exit" && mnemonic != "trap") earlier.push_back(n - 1);
    if (const auto* label = std::get_if<Label>(&function_.body[n]))
      if (const auto from = branches_.find(label->name.text); from != branches_.end())
        earlier.insert(earlier.end(), from->second.begin(), from->second.end());
    return earlier;
  }

  // What is in `size` bytes of local memory at the call. No value: other stores reach it than one, or none on some way, or the
  // register that was stored has changed since.
  [[nodiscard]] std::optional<Operand> value_at(std::size_t call, const Variable& variable, std::uint64_t offset, std::uint64_t size) const {
    std::set<std::size_t> seen, stores;
    std::set<std::string> changed;  // registers that are set between a store and the call
    std::optional<Operand> value;
    std::vector<std::size_t> queue = before(call);
    if (queue.empty() || branches_anywhere_) return std::nullopt;
    while (!queue.empty()) {
      const std::size_t n = queue.back();
      queue.pop_back();
      if (!seen.insert(n).second) continue;
      if (const auto* i = std::get_if<Instruction>(&function_.body[n])) {
        if (is_opaque(*i)) return std::nullopt;
        if (const auto stored = stored_by(*i, variable, offset, size)) {
          if (!stored->value) return std::nullopt;
          stores.insert(n);
          value = stored->value;
          continue;
        }
        each_result(*i, [&](const std::string& name) { changed.insert(name); });
      }
      const std::vector<std::size_t> earlier = before(n);
      if (earlier.empty()) return std::nullopt;
      queue.insert(queue.end(), earlier.begin(), earlier.end());
    }
    const bool known = stores.size() == 1 && !changed.contains(value->token.text);
    return known ? value : std::nullopt;
  }
  // --- what serves printf alone ---

  [[nodiscard]] const Variable* variable_of(const Operand& operand) const {
    const auto at = address(operand);
    return at ? at->variable : nullptr;
  }

  // An instruction that does nothing but compute or fill what vprintf is given.
  [[nodiscard]] bool is_preparation(const Instruction& i) const {
    if (is_store_of_parameter(i)) return true;
    if (is_plain_store(i) && base_of(i) != nullptr) {
      const Variable* const to = variable_of(*base_of(i));
      return to != nullptr && to->space == "local" && served_.contains(to);
    }
    return result_of(i) && i.operands[0].kind == Operand::Kind::name &&
           addresses_.contains(i.operands[0].token.text);
  }

  void look_for_other_uses(const Instruction& i) {
    if (is_preparation(i)) return;
    each_name(i.operands, [&](const Operand& o) {
      if (const Variable* const v = variable_of(o)) served_.erase(v);
    });
  }

  [[nodiscard]] bool serves_only_printf(const Instruction& i) const {
    if (is_store_of_parameter(i) || !is_preparation(i)) return false;
    const Variable* const v = is_plain_store(i) ? variable_of(*base_of(i)) : variable_of(i.operands[1]);
    return served_.contains(v);
  }

  const Function& function_;
  std::map<std::string, const Variable*> variables_;
  std::map<std::string, unsigned> definitions_;
  std::map<std::string, KnownAddress> addresses_;  // registers
  std::map<std::string, std::vector<std::size_t>> branches_;  // [label] the statements that branch there, in whatever scope
  bool branches_anywhere_ = false;                            // by a table
  std::set<const Variable*> served_;  // variables that printf uses, in the end those that nobody else does
  std::set<const Variable*> shown_;   // whose addresses are arguments
};

}  // namespace

Function with_printf_calls(const Module& module, const Function& function) {
  return PrintfCalls(module, function).rewritten();
}

}  // namespace fencewise::ptx
