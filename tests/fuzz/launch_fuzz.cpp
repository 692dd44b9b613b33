// libFuzzer: whatever the bytes, a launch file gives a valid problem for a small module, or one of its two errors.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/frontend/launchfile/build_problem.h"

namespace {

constexpr std::string_view module = R"(.version 9.0
.target sm_90
.address_size 64
.global .u32 counter;
.entry k(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[24])
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd2, [s+8];
  st.global.u32 [%rd1], %r1;
  ld.global.u32 %r2, [counter];
  ret;
}
)";

void check(std::string_view text) {
  const fencewise::Diagnostics diagnostics("fuzz.toml");
  const auto file = fencewise::launchfile::parse_launch_file(text, {}, diagnostics);
  const auto program = fencewise::ptx::parse_program(module, "k.ptx");
  (void)fencewise::launchfile::build_problem(file, program, fencewise::ptx::Lines::cuda, diagnostics);
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
