// libFuzzer: whatever the bytes, the litmus reader gives a problem that prints back, or one of its two errors.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/print.h"

namespace {

void check(std::string_view text) {
  const fencewise::Problem problem = fencewise::parse_litmus(text, "fuzz.litmus");
  if (!fencewise::is_litmus_shaped(problem)) {
    std::fputs("this is a bug in fencewise: what was read does not print back\n", stderr);
    std::abort();
  }
  fencewise::validate(problem);
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
