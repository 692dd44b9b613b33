// What a memory operation says of itself: its memory order (PTX `.sem`), its proxy, the kind of a proxy fence.
//
// Source: PTX ISA 9.1, Memory Consistency Model, "Operation Types" (8.4) and "Proxies" (8.6).
#pragma once

#include <cstdint>

namespace fencewise {

// The `.sem` of an operation. `weak` is for loads and stores only; `sc` for fences only. `volatile` is
// relaxed at system scope and has no order of its own.
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acq_rel, sc };

// The way of access. Ordinary ld/st/atom/red are generic. The three others are those of the published
// PTX 7.5 model; PTX reaches them by texture, surface and constant instructions.
enum class Proxy : std::uint8_t { generic, surface, texture, constant };

// A proxy fence orders accesses of one proxy with the generic one, or (alias) two virtual addresses of one place.
enum class ProxyFence : std::uint8_t { generic, surface, texture, constant, alias };

[[nodiscard]] constexpr bool is_strong(Order order) { return order != Order::weak; }
[[nodiscard]] constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel;
}
[[nodiscard]] constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel;
}

[[nodiscard]] constexpr const char* name(Order order) {
  switch (order) {
    case Order::weak: return "weak";
    case Order::relaxed: return "relaxed";
    case Order::acquire: return "acquire";
    case Order::release: return "release";
    case Order::acq_rel: return "acq_rel";
    case Order::sc: return "sc";
  }
  return "?";
}

[[nodiscard]] constexpr const char* name(Proxy proxy) {
  switch (proxy) {
    case Proxy::generic: return "generic";
    case Proxy::surface: return "surface";
    case Proxy::texture: return "texture";
    case Proxy::constant: return "constant";
  }
  return "?";
}

[[nodiscard]] constexpr const char* name(ProxyFence fence) {
  switch (fence) {
    case ProxyFence::generic: return "generic";
    case ProxyFence::surface: return "surface";
    case ProxyFence::texture: return "texture";
    case ProxyFence::constant: return "constant";
    case ProxyFence::alias: return "alias";
  }
  return "?";
}

}  // namespace fencewise
