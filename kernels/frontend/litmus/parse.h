// Litmus tests: the PTX dialect of Dat3M, read into problems.
//
// Each thread is a kernel of its own (P0, P1, ...) with registers r<n> of 64 bits, each location a buffer of one 64-bit
// element; one launch places the threads, and the final condition is the contract's one assertion. `exists` asks for
// one final state (Quantifier::exists), `~exists` for none (never), `forall` is about all (always).
// Undeclared locations start at 0. docs/litmus-format.md has the dialect and what we read beyond it.
#pragma once

#include <string>
#include <string_view>

#include "kernels/core/problem.h"

namespace fencewise {

// `file_name` is only for messages and source lines. Throws InputError with "file:line:column: found; expected", and
// NotModelled for legal tests that ask for more. Linear in the text, whatever it contains.
[[nodiscard]] Problem parse_litmus(std::string_view text, std::string_view file_name);
// Throws InputError also when the file can't be read.
[[nodiscard]] Problem read_litmus(const std::string& path);

}  // namespace fencewise
