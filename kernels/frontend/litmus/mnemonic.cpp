#include "kernels/frontend/litmus/mnemonic.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fencewise::litmus {
namespace {

template <typename Value, std::size_t N> using Table = std::array<std::pair<std::string_view, Value>, N>;

template <typename Value, std::size_t N>
std::optional<Value> find(const Table<Value, N>& table, std::string_view key) {
  const auto* found =
      std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.first == key; });
  return found == table.end() ? std::nullopt : std::optional<Value>(found->second);
}

constexpr Table<Scope, 4> scopes{
    {{"cta", Scope::cta}, {"cluster", Scope::cluster}, {"gpu", Scope::gpu}, {"sys", Scope::sys}}};
constexpr std::string_view scope_list = ".cta, .cluster, .gpu or .sys";

constexpr Table<Proxy, 4> loads{
    {{"ld", Proxy::generic}, {"tld", Proxy::texture}, {"suld", Proxy::surface}, {"cold", Proxy::constant}}};
constexpr Table<Proxy, 2> stores{{{"st", Proxy::generic}, {"sust", Proxy::surface}}};
constexpr Table<Proxy, 2> atoms{{{"atom", Proxy::generic}, {"suatom", Proxy::surface}}};
constexpr Table<Proxy, 2> reds{{{"red", Proxy::generic}, {"sured", Proxy::surface}}};

constexpr Table<Order, 2> load_orders{{{"relaxed", Order::relaxed}, {"acquire", Order::acquire}}};
constexpr Table<Order, 2> store_orders{{{"relaxed", Order::relaxed}, {"release", Order::release}}};
constexpr Table<Order, 4> atomic_orders{{{"relaxed", Order::relaxed},
                                         {"acquire", Order::acquire},
                                         {"release", Order::release},
                                         {"acq_rel", Order::acq_rel}}};
constexpr Table<Order, 4> fence_orders{{{"sc", Order::sc},
                                        {"acq_rel", Order::acq_rel},
                                        {"acquire", Order::acquire},
                                        {"release", Order::release}}};

constexpr Table<AtomicOp, 9> atomic_ops{{{"add", AtomicOp::add},
                                         {"sub", AtomicOp::sub},
                                         {"mul", AtomicOp::mul},
                                         {"div", AtomicOp::div},
                                         {"and", AtomicOp::bit_and},
                                         {"or", AtomicOp::bit_or},
                                         {"xor", AtomicOp::bit_xor},
                                         {"exch", AtomicOp::exch},
                                         {"cas", AtomicOp::cas}}};
constexpr Table<ProxyFence, 5> proxy_fences{{{"generic", ProxyFence::generic},
                                             {"surface", ProxyFence::surface},
                                             {"texture", ProxyFence::texture},
                                             {"constant", ProxyFence::constant},
                                             {"alias", ProxyFence::alias}}};
constexpr Table<BarrierKind, 2> barriers{{{"sync", BarrierKind::sync}, {"arrive", BarrierKind::arrive}}};
constexpr Table<Scope, 3> membars{{{"cta", Scope::cta}, {"gl", Scope::gpu}, {"sys", Scope::sys}}};
constexpr Table<Arith, 4> arithmetic{
    {{"add", Arith::add}, {"sub", Arith::sub}, {"mul", Arith::mul}, {"div", Arith::div}}};
constexpr Table<Compare, 6> branches{{{"beq", Compare::eq},
                                      {"bne", Compare::ne},
                                      {"blt", Compare::lt},
                                      {"bgt", Compare::gt},
                                      {"ble", Compare::le},
                                      {"bge", Compare::ge}}};

// PTX that has to do with memory or synchronization, and that the dialect has no form for.
constexpr std::array<std::string_view, 16> ptx_only{
    "cp",      "mbarrier", "barrier",        "multimem", "wgmma",    "tcgen05",
    "discard", "prefetch", "griddepcontrol", "ldu",      "ldmatrix", "shfl",
    "vote",    "redux",    "applypriority",  "prefetchu"};

// Reads the parts of a name from left to right; every message points at the part it is about.
class Reader {
 public:
  Reader(const Token& mnemonic, const Diagnostics& diagnostics)
      : whole_(mnemonic), diagnostics_(diagnostics) {
    std::size_t start = 0;
    while (true) {
      const std::size_t dot = mnemonic.text.find('.', start);
      parts_.push_back({mnemonic.text.substr(start, dot - start), column(start)});
      if (dot == std::string::npos) break;
      start = dot + 1;
    }
  }

  [[nodiscard]] const std::string& head() const { return parts_[0].text; }
  [[nodiscard]] bool alone() const { return parts_.size() == 1; }
  [[nodiscard]] std::optional<std::string_view> peek() const {
    return next_ < parts_.size() ? std::optional<std::string_view>(parts_[next_].text) : std::nullopt;
  }
  void skip() { ++next_; }

  template <typename Value, std::size_t N>
  Value take(const Table<Value, N>& table, std::string_view what, std::string_view expected) {
    if (const auto part = peek()) {
      if (const auto value = find(table, *part)) {
        skip();
        return *value;
      }
    }
    unknown(what, expected);
  }

  Scope scope() { return take(scopes, "scope", scope_list); }

  [[noreturn]] void unknown(std::string_view what, std::string_view expected) const {
    if (next_ >= parts_.size()) {
      diagnostics_.error(column(whole_.text.size()),
                         fmt::format("{} without {}; expected {}", quoted(whole_.text), what, expected));
    }
    diagnostics_.error(dot_at(next_), fmt::format("unknown {} {}; expected {}", what,
                                                  quoted("." + parts_[next_].text), expected));
  }

  // Nothing may follow.
  void finish() const {
    if (next_ >= parts_.size()) return;
    diagnostics_.error(dot_at(next_),
                       fmt::format("found {} after a complete instruction; expected its operands",
                                   quoted("." + parts_[next_].text)));
  }

 private:
  [[nodiscard]] Position column(std::size_t offset) const {
    return {whole_.at.line, whole_.at.column + static_cast<std::uint32_t>(offset)};
  }
  [[nodiscard]] Position dot_at(std::size_t part) const {
    return {parts_[part].at.line, parts_[part].at.column - 1};
  }

  const Token& whole_;
  const Diagnostics& diagnostics_;
  std::vector<Token> parts_;
  std::size_t next_ = 1;
};

Access access(Proxy proxy) {
  Access access;
  access.type = Type::s64;
  access.space = StateSpace::global;
  access.proxy = proxy;
  return access;
}

// The order and scope of a load or store: `.weak`, `.volatile` (ordinary accesses only), or an order with a scope.
template <std::size_t N>
Access plain_access(Reader& name, Proxy proxy, const Table<Order, N>& orders, std::string_view expected) {
  Access result = access(proxy);
  const std::string_view part = name.peek().value_or("");
  if (part == "weak") {
    name.skip();
  } else if (part == "volatile" && proxy == Proxy::generic) {
    name.skip();
    result.is_volatile = true;
    result.order = Order::relaxed;
    result.scope = Scope::sys;
  } else {
    result.order = name.take(orders, "order", expected);
    result.scope = name.scope();
  }
  return result;
}

Load load(Reader& name, Proxy proxy) {
  Load result;
  result.access = plain_access(name, proxy, load_orders, ".weak, .relaxed, .acquire or .volatile");
  return result;
}

Store store(Reader& name, Proxy proxy) {
  Store result;
  result.access = plain_access(name, proxy, store_orders, ".weak, .relaxed, .release or .volatile");
  return result;
}

Atomic atomic(Reader& name, Proxy proxy, bool red) {
  Atomic result;
  result.red = red;
  result.access = access(proxy);
  result.access.order = name.take(atomic_orders, "order", ".relaxed, .acquire, .release or .acq_rel");
  result.access.scope = name.scope();
  const std::string_view expected = red ? ".add, .sub, .mul, .div, .and, .or or .xor"
                                        : ".add, .sub, .mul, .div, .and, .or, .xor, .exch or .cas";
  const std::string_view op = name.peek().value_or("");
  if (red && (op == "exch" || op == "cas")) name.unknown("operation", expected);
  result.op = name.take(atomic_ops, "operation", expected);
  return result;
}

Form fence(Reader& name) {
  if (name.peek() == "proxy") {
    name.skip();
    return ProxyFenceOp{
        name.take(proxy_fences, "proxy", ".generic, .surface, .texture, .constant or .alias")};
  }
  Fence result;
  result.order = name.take(fence_orders, "order", ".sc, .acq_rel, .acquire, .release or .proxy");
  result.scope = name.scope();
  return result;
}

Barrier barrier(Reader& name) {
  constexpr Table<int, 1> cta{{{"cta", 0}}};
  name.take(cta, "barrier", ".cta.sync or .cta.arrive");
  Barrier result;
  result.kind = name.take(barriers, "barrier", ".sync or .arrive");
  return result;
}

std::optional<Form> known_form(Reader& name) {
  const std::string_view head = name.head();
  if (head == "ld" && name.alone()) return MoveForm{};
  if (const auto proxy = find(loads, head)) return load(name, *proxy);
  if (const auto proxy = find(stores, head)) return store(name, *proxy);
  if (const auto proxy = find(atoms, head)) return atomic(name, *proxy, false);
  if (const auto proxy = find(reds, head)) return atomic(name, *proxy, true);
  if (head == "fence") return fence(name);
  if (head == "membar") return Fence{Order::sc, name.take(membars, "scope", ".cta, .gl or .sys")};
  if (head == "bar") return barrier(name);
  if (head == "goto") return GotoForm{};
  if (const auto compare = find(branches, head)) return BranchForm{*compare};
  if (const auto op = find(arithmetic, head)) {
    Arithmetic result;
    result.op = *op;
    result.type = Type::s64;
    return result;
  }
  return std::nullopt;
}

bool asks_for_more_ptx(std::string_view text, std::string_view head) {
  return std::find(ptx_only.begin(), ptx_only.end(), head) != ptx_only.end() ||
         text.starts_with("fence.proxy.async") || text.starts_with("fence.proxy.tensormap") ||
         text.starts_with("st.async") || text.starts_with("red.async");
}

}  // namespace

Form parse_mnemonic(const Token& mnemonic, const Diagnostics& diagnostics) {
  Reader name(mnemonic, diagnostics);
  if (asks_for_more_ptx(mnemonic.text, name.head())) {
    diagnostics.not_modelled(mnemonic.at,
                             fmt::format("{} is not modelled in litmus tests", quoted(mnemonic.text)));
  }
  std::optional<Form> form = known_form(name);
  if (!form) {
    diagnostics.error(
        mnemonic.at,
        fmt::format("unknown instruction {}; expected ld, st, atom, red, fence, membar, bar, add, sub, mul, "
                    "div, goto, beq, bne, blt, bgt, ble, bge, tld, suld, cold, sust, suatom or sured",
                    quoted(name.head())));
  }
  name.finish();
  return *std::move(form);
}

std::string usage(const Form& form, const std::string& mnemonic) {
  struct Operands {
    std::string operator()(const MoveForm&) const { return " register, value"; }
    std::string operator()(const Arithmetic&) const { return " register, value, value"; }
    std::string operator()(const Load&) const { return " register, location"; }
    std::string operator()(const Store&) const { return " location, value"; }
    std::string operator()(const Atomic& a) const {
      if (a.red) return " location, value";
      return a.op == AtomicOp::cas ? " register, location, expected, new" : " register, location, value";
    }
    std::string operator()(const Fence&) const { return " without operands"; }
    std::string operator()(const ProxyFenceOp&) const { return " without operands"; }
    std::string operator()(const Barrier&) const { return " instance[, barrier[, count]]"; }
    std::string operator()(const GotoForm&) const { return " label"; }
    std::string operator()(const BranchForm&) const { return " value, value, label"; }
  };
  return mnemonic + std::visit(Operands{}, form);
}

}  // namespace fencewise::litmus
