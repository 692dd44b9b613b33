// Where a kernel's variables and parameters lie in the representation.
//
// Shared variables share one window of bytes, as on the machine: a `.shared` address is 32 bits wide, an offset into it,
// and dynamic shared memory begins where the static variables end. Local variables likewise. A `.global` or `.const`
// variable is an array of its own, named as its buffer.
// A parameter is memory that only `ld.param` reads: fields, each a buffer's address or a number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/core/problem.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

// What a launch passes: a place in a buffer, or a number.
struct BufferArgument {
  std::string buffer;
  Type element = Type::u32;
  std::uint64_t offset = 0;  // bytes
};
struct Field {
  std::uint64_t offset = 0;  // within the parameter, bytes
  std::uint64_t size = 0;    // bytes
  std::variant<BufferArgument, std::uint64_t> value;
};
struct Arguments {
  std::vector<std::vector<Field>> params;  // [parameter]
  std::uint64_t dynamic_shared = 0;        // bytes
};

// Where a variable begins.
struct Place {
  StateSpace space = StateSpace::global;
  ArrayId array;
  std::uint64_t offset = 0;
};

class MemoryMap {
 public:
  // Declares arrays and params in `kernel`. Without arguments each parameter that is read is a number of its own.
  MemoryMap(const Module& module, const Function& function, const Arguments* arguments, Kernel& kernel,
            const Diagnostics& diagnostics);

  // No value: a variable that lies nowhere (a parameter, a texture).
  [[nodiscard]] std::optional<Place> find(const Variable& variable) const;
  [[nodiscard]] std::optional<ArrayId> window(StateSpace space) const;
  // What `ld.param` reads; no value: not a whole field of that size.
  [[nodiscard]] std::optional<fencewise::Operand> read_param(std::size_t param, std::uint64_t offset,
                                                             Type type);
  // Of the kernel's params, where there are arguments.
  [[nodiscard]] const std::vector<std::uint64_t>& param_values() const { return param_values_; }
  // The module's variables that this kernel uses.
  [[nodiscard]] const std::vector<const Variable*>& globals() const { return globals_; }

 private:
  void place(const Variable& variable);
  void place_in_window(StateSpace space, const Variable& variable);
  void place_dynamic(const std::vector<const Variable*>& variables, std::uint64_t bytes);
  ArrayId buffer_array(const std::string& name, Type element);
  fencewise::Operand number(const std::string& name, Type type, std::uint64_t value);

  const Module& module_;
  const Arguments* arguments_;
  Kernel& kernel_;
  const Diagnostics& diagnostics_;
  std::map<const Variable*, Place> places_;
  std::map<StateSpace, ArrayId> windows_;
  std::map<std::string, ArrayId> buffers_;
  std::map<std::pair<std::size_t, std::uint64_t>, fencewise::Operand> numbers_;  // (param, offset)
  std::vector<std::uint64_t> param_values_;
  std::vector<const Variable*> globals_;
};

// The type of the elements that a variable is made of. nvcc declares arrays as bytes with the alignment of their
// elements, which gives their size away.
[[nodiscard]] Type element_of(const Variable& variable);
[[nodiscard]] std::uint64_t bytes_of(const Variable& variable);
// The buffer's name: the variable's own, without the function or namespace around it where that is not ambiguous.
[[nodiscard]] std::string buffer_name(const Module& module, const Variable& variable);
// Throws NotModelled for initial values that are addresses.
[[nodiscard]] Buffer buffer_of(const Module& module, const Variable& variable,
                               const Diagnostics& diagnostics);

}  // namespace fencewise::ptx
