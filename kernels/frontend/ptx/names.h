// What names mean at some place of a function: registers, variables and labels, by the braces around them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

// Labels of one function, numbered in the order of the text.
struct LabelId {
  std::uint32_t value = 0;
};

using Symbol = std::variant<RegisterId, LabelId, const Variable*>;

// Registers get their place in the kernel when they are first named: a range may declare many more than are used.
class Names {
 public:
  Names(const Module& module, Kernel& kernel);

  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  void declare(const Registers& registers);
  void declare(const Variable& variable);
  void declare(const Label& label, LabelId id);
  // No value: not declared here.
  [[nodiscard]] std::optional<Symbol> find(const std::string& name);

 private:
  struct Scope {
    std::map<std::string, Symbol> names;
    std::map<std::string, Registers> ranges;  // by the name without its number
  };
  [[nodiscard]] std::optional<Symbol> find_in(Scope& scope, const std::string& name);
  RegisterId add_register(const std::string& name, const Token& type);

  Kernel& kernel_;
  std::vector<Scope> scopes_;
  std::map<std::string, std::uint32_t> used_;  // how many registers of the kernel have this name
};

}  // namespace fencewise::ptx
