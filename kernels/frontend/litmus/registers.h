// The registers of one litmus thread: collected first, so that they can be numbered by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"

namespace fencewise::litmus {

class Registers {
 public:
  // Before number(): a register of the thread, with its initial value if the file gives one.
  void mention(const std::string& name) { initial_.try_emplace(name); }
  // False if it has an initial value already.
  [[nodiscard]] bool declare(const std::string& name, std::uint64_t value);

  // Fills the kernel's register table, in order of the numbers in the names.
  void number(Kernel& kernel);

  [[nodiscard]] RegisterId operator[](const std::string& name) const { return ids_.at(name); }
  [[nodiscard]] std::optional<RegisterId> find(const std::string& name) const;

  // A register has a value that the test speaks of if it is declared or some instruction writes it.
  void written(const std::string& name) { written_[name] = true; }
  [[nodiscard]] bool has_value(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> with_value() const;

 private:
  struct ByNumber {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
  };
  std::map<std::string, std::optional<std::uint64_t>, ByNumber> initial_;
  std::map<std::string, RegisterId> ids_;
  std::map<std::string, bool> written_;
};

}  // namespace fencewise::litmus
