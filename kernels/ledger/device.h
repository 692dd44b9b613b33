// GPUs as the models see them: a few published figures each. To add one, add a line to the table in device.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fencewise {

struct Device {
  std::string_view name;  // "RTX A6000"
  std::string_view key;   // "a6000": what --device takes
  std::uint32_t sms = 0;
  double clock = 0;                             // Hz
  std::uint32_t fma_per_clock = 0;              // FP32 multiply-adds a clock and SM
  double bandwidth = 0;                         // bytes of device memory a second
  std::uint32_t max_warps = 0, max_blocks = 0;  // an SM
  std::uint32_t registers = 65536;              // an SM
  std::uint32_t shared_bytes = 0;               // an SM

  // SM clocks a second: SMs x clock.
  [[nodiscard]] double rate() const { return sms * clock; }
};

// All SMs issue 4 warp instructions a clock, and take one wavefront of shared memory and one line of L1 (128 bytes).
inline constexpr double issues_per_clock = 4;
inline constexpr std::uint32_t shared_bytes_per_clock = 128;

[[nodiscard]] std::span<const Device> devices();
// "a6000, a100, h100"
[[nodiscard]] std::string device_keys();
// By key or name, in any case. Throws InputError that lists the known ones.
[[nodiscard]] const Device& find_device(std::string_view name);

}  // namespace fencewise
