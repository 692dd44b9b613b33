#include "kernels/ledger/device.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint32_t kib = 1024;

constexpr auto table = std::to_array<Device>({
    {"RTX A6000", "a6000", 84, 1.80e9, 128, 768e9, 48, 16, 65536, 100 * kib},
    {"A100 SXM 80 GB", "a100", 108, 1.41e9, 64, 2039e9, 64, 32, 65536, 164 * kib},
    {"H100 SXM", "h100", 132, 1.98e9, 128, 3350e9, 64, 32, 65536, 228 * kib},
});

bool same(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::span<const Device> devices() { return table; }

std::string device_keys() {
  std::string keys;
  for (const Device& d : table) {
    keys += keys.empty() ? "" : ", ";
    keys += d.key;
  }
  return keys;
}

const Device& find_device(std::string_view name) {
  for (const Device& d : table)
    if (same(name, d.key) || same(name, d.name)) return d;
  throw InputError(fmt::format("unknown device '{}'; known: {}", name, device_keys()));
}

}  // namespace fencewise
