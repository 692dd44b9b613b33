#include "checker/report/names.h"

#include <array>

namespace fencewise {

template <> std::span<const EnumName<Races>> names_of<Races>() {
  static constexpr std::array names{EnumName<Races>{Races::fail, "fail"},
                                    EnumName<Races>{Races::report, "report"},
                                    EnumName<Races>{Races::off, "off"}};
  return names;
}

template <> std::span<const EnumName<Vectors>> names_of<Vectors>() {
  static constexpr std::array names{EnumName<Vectors>{Vectors::strict, "strict"}, EnumName<Vectors>{Vectors::whole, "whole"}};
  return names;
}

template <> std::span<const EnumName<Engine>> names_of<Engine>() {
  static constexpr std::array names{EnumName<Engine>{Engine::automatic, "auto"},
                                    EnumName<Engine>{Engine::view, "view"},
                                    EnumName<Engine>{Engine::graph, "graph"}};
  return names;
}

template <> std::span<const EnumName<ProgressModel>> names_of<ProgressModel>() {
  using Entry = EnumName<ProgressModel>;
  static const auto entry = [](ProgressModel model) { return Entry{model, name(model)}; };
  static const std::array names{entry(ProgressModel::fair),    entry(ProgressModel::hsa),  entry(ProgressModel::obe),
                                entry(ProgressModel::hsa_obe), entry(ProgressModel::lobe), entry(ProgressModel::unfair),
                                entry(ProgressModel::lockstep)};
  return names;
}

template <> std::span<const EnumName<Verdict>> names_of<Verdict>() {
  static const std::array names{EnumName<Verdict>{Verdict::verified, name(Verdict::verified)},
                                EnumName<Verdict>{Verdict::violated, name(Verdict::violated)},
                                EnumName<Verdict>{Verdict::inconclusive, name(Verdict::inconclusive)}};
  return names;
}

template <> std::span<const EnumName<FindingKind>> names_of<FindingKind>() {
  using Entry = EnumName<FindingKind>;
  static const auto entry = [](FindingKind kind) { return Entry{kind, name(kind)}; };
  static const std::array names{entry(FindingKind::assertion),       entry(FindingKind::race),
                                entry(FindingKind::contract),        entry(FindingKind::unwritten_read),
                                entry(FindingKind::out_of_bounds),   entry(FindingKind::misaligned),
                                entry(FindingKind::mixed_size),      entry(FindingKind::barrier_divergence),
                                entry(FindingKind::stuck),           entry(FindingKind::livelock),
                                entry(FindingKind::order_dependent), entry(FindingKind::trap)};
  return names;
}

template <> std::span<const EnumName<Model>> names_of<Model>() {
  using Entry = EnumName<Model>;
  static const auto entry = [](Model model) { return Entry{model, name(model)}; };
  static const std::array names{entry(Model::ptx), entry(Model::ptx_v6_0), entry(Model::ptx_v7_5),
                                entry(Model::sc)};
  return names;
}

template <> std::span<const EnumName<EventKind>> names_of<EventKind>() {
  using Entry = EnumName<EventKind>;
  static constexpr std::array names{Entry{EventKind::init, "init"},
                                    Entry{EventKind::read, "read"},
                                    Entry{EventKind::write, "write"},
                                    Entry{EventKind::fence, "fence"},
                                    Entry{EventKind::proxy_fence, "proxy-fence"},
                                    Entry{EventKind::arrive, "arrive"},
                                    Entry{EventKind::wait, "wait"}};
  return names;
}

template <> std::span<const EnumName<Order>> names_of<Order>() {
  using Entry = EnumName<Order>;
  static const auto entry = [](Order order) { return Entry{order, name(order)}; };
  static const std::array names{entry(Order::weak),    entry(Order::relaxed), entry(Order::acquire),
                                entry(Order::release), entry(Order::acq_rel), entry(Order::sc)};
  return names;
}

template <> std::span<const EnumName<Scope>> names_of<Scope>() {
  using Entry = EnumName<Scope>;
  static const auto entry = [](Scope scope) { return Entry{scope, name(scope)}; };
  static const std::array names{entry(Scope::cta), entry(Scope::cluster), entry(Scope::gpu),
                                entry(Scope::sys)};
  return names;
}

template <> std::span<const EnumName<Proxy>> names_of<Proxy>() {
  using Entry = EnumName<Proxy>;
  static const auto entry = [](Proxy proxy) { return Entry{proxy, name(proxy)}; };
  static const std::array names{entry(Proxy::generic), entry(Proxy::surface), entry(Proxy::texture),
                                entry(Proxy::constant)};
  return names;
}

template <> std::span<const EnumName<ProxyFence>> names_of<ProxyFence>() {
  using Entry = EnumName<ProxyFence>;
  static const auto entry = [](ProxyFence kind) { return Entry{kind, name(kind)}; };
  static const std::array names{entry(ProxyFence::generic), entry(ProxyFence::surface),
                                entry(ProxyFence::texture), entry(ProxyFence::constant),
                                entry(ProxyFence::alias)};
  return names;
}

}  // namespace fencewise
