// libFuzzer: whatever the bytes, the PTX reader gives kernels that are valid, or one of its two errors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/ptx/describe.h"
#include "kernels/frontend/ptx/lower.h"
#include "kernels/frontend/ptx/program.h"

namespace {

void check(std::string_view text) {
  const auto program = fencewise::ptx::parse_program(text, "fuzz.ptx");
  (void)fencewise::ptx::describe(program);
  for (const auto* entry : program.entries())
    fencewise::validate(fencewise::ptx::lower(program.module, *entry, nullptr, fencewise::ptx::Lines::cuda,
                                              program.diagnostics)
                            .kernel);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(
        {reinterpret_cast<const char*>(data), size});  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
  } catch (const fencewise::InputError&) {
  } catch (const fencewise::NotModelled&) {
  }
  return 0;
}
