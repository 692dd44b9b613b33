// Where in the CUDA source an instruction comes from, by the module's `.file` and `.loc`.
//
// Inlined code has a chain of places, from the call that the user wrote to the line of the inlined function; a run of
// `.loc` lines gives it, outermost first. What is shown is the innermost place in the user's own code: a file in the
// folder of the kernel's source, or below.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/instruction.h"
#include "kernels/frontend/ptx/syntax.h"

namespace fencewise::ptx {

struct SourceCaller {
  std::string function;  // that was inlined
  SourceLine call;       // there
};

struct SourceChain {
  SourceLine user;                    // the innermost place in the user's code; line 0: unknown
  std::vector<std::string> path;      // inlined functions below it, outermost first: "__threadfence"
  std::vector<SourceCaller> callers;  // of the user's functions that it is in, innermost first, and were inlined
};

// Reads the locs of one function, in order.
class SourceLines {
 public:
  SourceLines(const Module& module, const Function& function);

  void read(const Loc& loc);
  [[nodiscard]] const SourceChain& current() const { return current_; }
  [[nodiscard]] bool any() const { return current_.user.line != 0; }
  // As SourceLine::file counts them: the module's files, without the folder of the kernel's source.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }

 private:
  struct Inlined {
    SourcePosition call;
    std::string function;
  };
  [[nodiscard]] bool is_users(std::uint32_t file) const;
  [[nodiscard]] SourceLine line_of(const SourcePosition& at) const;
  [[nodiscard]] SourceChain chain_of(SourcePosition innermost) const;

  std::map<std::uint32_t, std::string> paths_;    // .file number -> path
  std::map<std::uint32_t, std::uint32_t> index_;  // .file number -> files_
  std::vector<std::string> files_;
  std::map<std::string, std::string> names_;   // label -> function's name
  std::string home_;                           // folder of the kernel's source
  std::map<SourcePosition, Inlined> inlined_;  // the last call that inlined to this place
  SourceChain current_;
};

// "_Z3fooPj" as "foo(unsigned int*)"; what is no mangled name stays.
[[nodiscard]] std::string demangled(const std::string& name);
// "void ns::f<int>(int*)" as "ns::f<int>": without what it takes and returns.
[[nodiscard]] std::string qualified_name(const std::string& name);
// "ns::f<int>" as "ns::f".
[[nodiscard]] std::string without_template_arguments(const std::string& qualified);
// The last part of a qualified name: "_ZZ13splitk_serialE4last" as "last".
[[nodiscard]] std::string short_name(const std::string& name);

}  // namespace fencewise::ptx
