// The classic litmus tests, with the strength and scope of their accesses as parameters: message passing, store
// buffering, load buffering, independent reads of independent writes, coherence of read and read.
//
// Each thread is a kernel of its own, placed by hand. The contract forbids the outcome that the test is known for; the
// base is the weakest order that does forbid it, the variants are the others, and a scope that is too narrow.
#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

// How the accesses under study are done. acq_rel: release stores and acquire loads. The fences stand between two
// relaxed accesses of one thread.
enum class Strength : std::uint8_t { weak, relaxed, acq_rel, fence_acq_rel, fence_sc };
constexpr std::array strengths = {"weak", "relaxed", "acq_rel", "fence_acq_rel", "fence_sc"};  // by Strength
constexpr std::array scopes = {"cta", "gpu", "sys"};
constexpr std::array placements = {"same-cta",
                                   "different-cta"};  // in this order, so that the second can be a need

struct Setting {
  Strength strength = Strength::relaxed;
  Scope scope = Scope::gpu;
  bool same_cta = false;

  [[nodiscard]] How ld() const {
    if (strength == Strength::weak) return weak;
    return strength == Strength::acq_rel ? acquire(scope) : relaxed(scope);
  }
  [[nodiscard]] How st() const {
    if (strength == Strength::weak) return weak;
    return strength == Strength::acq_rel ? release(scope) : relaxed(scope);
  }
  void fence(KernelBuilder& k, Here here = Here::current()) const {
    if (strength == Strength::fence_acq_rel) k.fence(Order::acq_rel, scope, here);
    if (strength == Strength::fence_sc) k.fence(Order::sc, scope, here);
  }
};

Place word(KernelBuilder& k, std::string_view name) { return k.global(name, Type::u32)[0]; }

// A register of a thread when it has ended.
Term at_end(std::uint32_t thread, const Val& value) {
  return Term(std::make_shared<const Expr>(Expr{ThreadRegister{thread, value.reg()}}));
}

Problem threads(std::string name, const Setting& setting, const std::vector<std::string>& words,
                std::vector<Kernel> kernels) {
  Problem problem;
  problem.name = std::move(name);
  problem.kernels = std::move(kernels);
  for (const auto& word : words)
    problem.buffers.push_back(workspace(word, Type::u32, 1, InitialContents::Kind::zero));
  Launch launch;
  launch.name = problem.name;
  for (std::uint32_t thread = 0; thread < problem.kernels.size(); ++thread) {
    const std::uint32_t cta = setting.same_cta ? 0 : thread;
    launch.placed.push_back({KernelId{thread}, {CtaId{cta}, ClusterId{cta}, DeviceId{0}}});
  }
  problem.launches = {std::move(launch)};
  return problem;
}

Problem never(Problem problem, std::string outcome, const FormulaPtr& formula) {
  problem.contract.assertions = {
      {.text = "never " + std::move(outcome), .formula = !formula, .when = When::plan_end}};
  return problem;
}

Problem message_passing(const Setting& how) {
  KernelBuilder writer("writer");
  writer.st(word(writer, "data"), 1);
  how.fence(writer);
  writer.st(word(writer, "flag"), 1, how.st());

  KernelBuilder reader("reader");
  const Val data = reader.var("data", Type::u32, 0);
  const Val flag = reader.ld(word(reader, "flag"), "flag", how.ld());
  reader.if_(flag == 1, [&] {  // who doesn't see the flag leaves the data alone: reading it would be a race
    how.fence(reader);
    reader.set(data, reader.ld(word(reader, "data")));
  });

  return never(threads("mp", how, {"data", "flag"}, {writer.build(), reader.build()}),
               "flag == 1 && data == 0 in the reader", at_end(1, flag) == 1 && at_end(1, data) == 0);
}

Problem store_buffering(const Setting& how) {
  KernelBuilder p0("P0");
  p0.st(word(p0, "x"), 1, how.st());
  how.fence(p0);
  const Val r0 = p0.ld(word(p0, "y"), "r0", how.ld());

  KernelBuilder p1("P1");
  p1.st(word(p1, "y"), 1, how.st());
  how.fence(p1);
  const Val r1 = p1.ld(word(p1, "x"), "r1", how.ld());

  return never(threads("sb", how, {"x", "y"}, {p0.build(), p1.build()}), "P0:r0 == 0 && P1:r1 == 0",
               at_end(0, r0) == 0 && at_end(1, r1) == 0);
}

Problem load_buffering(const Setting& how) {
  KernelBuilder p0("P0");
  const Val r0 = p0.ld(word(p0, "x"), "r0", how.ld());
  how.fence(p0);
  p0.st(word(p0, "y"), 1, how.st());

  KernelBuilder p1("P1");
  const Val r1 = p1.ld(word(p1, "y"), "r1", how.ld());
  how.fence(p1);
  p1.st(word(p1, "x"), 1, how.st());

  return never(threads("lb", how, {"x", "y"}, {p0.build(), p1.build()}), "P0:r0 == 1 && P1:r1 == 1",
               at_end(0, r0) == 1 && at_end(1, r1) == 1);
}

Problem independent_reads(const Setting& how) {
  KernelBuilder p0("P0");
  p0.st(word(p0, "x"), 1, how.st());

  KernelBuilder p1("P1");
  p1.st(word(p1, "y"), 1, how.st());

  KernelBuilder p2("P2");
  const Val r0 = p2.ld(word(p2, "x"), "r0", how.ld());
  how.fence(p2);
  const Val r1 = p2.ld(word(p2, "y"), "r1", how.ld());

  KernelBuilder p3("P3");
  const Val r2 = p3.ld(word(p3, "y"), "r2", how.ld());
  how.fence(p3);
  const Val r3 = p3.ld(word(p3, "x"), "r3", how.ld());

  return never(threads("iriw", how, {"x", "y"}, {p0.build(), p1.build(), p2.build(), p3.build()}),
               "P2:r0 == 1 && P2:r1 == 0 && P3:r2 == 1 && P3:r3 == 0",
               at_end(2, r0) == 1 && at_end(2, r1) == 0 && at_end(3, r2) == 1 && at_end(3, r3) == 0);
}

Problem read_read_coherence(const Setting& how) {
  KernelBuilder p0("P0");
  p0.st(word(p0, "x"), 1, how.st());

  KernelBuilder p1("P1");
  const Place x = word(p1, "x");
  const Val r0 = p1.ld(x, "r0", how.ld());
  how.fence(p1);
  const Val r1 = p1.ld(x, "r1", how.ld());

  return never(threads("corr", how, {"x"}, {p0.build(), p1.build()}), "P1:r0 == 1 && P1:r1 == 0",
               at_end(1, r0) == 1 && at_end(1, r1) == 0);
}

// --- the catalogue's side ---

Expectation race_on(std::string place = "") { return violated({FindingKind::race}, std::move(place)); }
Expectation outcome_seen() { return violated_without_race({FindingKind::assertion}); }

// Interleaving alone shows none of these outcomes, whatever the strength. (A race in `weak` is on any word.)
Row<Setting> at(Strength strength, Expectation ptx) {
  const std::string order = strengths[static_cast<std::size_t>(strength)];
  std::string name = order;
  std::ranges::replace(name, '_', '-');
  return {std::move(name), "order=" + order, {},
          std::move(ptx),  verified(),       [strength](Setting& s) { s.strength = strength; }};
}

Row<Setting> at_cta_scope() {
  const Need different_ctas{"placement", 1};
  return {"cta-scope",      "scope=cta, though the threads are in different CTAs",
          {different_ctas}, race_on(),
          verified(),       [](Setting& s) { s.scope = Scope::cta; }};
}

Scope scope_of(std::int64_t choice) {
  constexpr Scope by_choice[] = {Scope::cta, Scope::gpu, Scope::sys};
  return by_choice[choice];
}

// `rows`: the variants; the base is `standard`, at gpu scope between CTAs.
Protocol classic(std::string name, std::string summary, Strength standard, std::vector<Row<Setting>> rows,
                 Problem (*write)(const Setting&)) {
  rows.insert(rows.begin(), {"", "order, scope and placement as given", {}, verified(), verified(), nullptr});
  rows.push_back(at_cta_scope());
  const auto choice = [](std::string parameter, std::string help, std::int64_t standard_choice,
                         std::span<const char* const> choices) {
    return Parameter{.name = std::move(parameter),
                     .help = std::move(help),
                     .standard = standard_choice,
                     .min = 0,
                     .max = static_cast<std::int64_t>(choices.size()) - 1,
                     .choices = {choices.begin(), choices.end()}};
  };
  return {.name = std::move(name),
          .summary = std::move(summary),
          .parameters = {choice("order", "of the accesses, or the fence between them",
                                static_cast<std::int64_t>(standard), strengths),
                         choice("scope", "of accesses and fences", 1, scopes),
                         choice("placement", "of the threads", 1, placements)},
          .variants = variants_of(rows),
          .build = [rows, write](const Parameters& parameters, std::string_view variant) {
            const Setting given{static_cast<Strength>(parameters["order"]), scope_of(parameters["scope"]),
                                parameters["placement"] == 0};
            return write(change(given, rows, variant));
          }};
}

}  // namespace

Protocol mp() {
  return classic("mp", "message passing: who sees the flag sees the data", Strength::acq_rel,
                 {at(Strength::weak, race_on()), at(Strength::relaxed, race_on("data")),
                  at(Strength::fence_acq_rel, verified()), at(Strength::fence_sc, verified())},
                 message_passing);
}

Protocol sb() {
  return classic("sb", "store buffering: of two threads that announce themselves, one sees the other",
                 Strength::fence_sc,
                 {at(Strength::weak, race_on()), at(Strength::relaxed, outcome_seen()),
                  at(Strength::acq_rel, outcome_seen()), at(Strength::fence_acq_rel, outcome_seen())},
                 store_buffering);
}

Protocol lb() {
  return classic("lb", "load buffering: no two threads read what the other writes afterwards",
                 Strength::acq_rel,
                 {at(Strength::weak, race_on()), at(Strength::relaxed, outcome_seen()),
                  at(Strength::fence_acq_rel, verified()), at(Strength::fence_sc, verified())},
                 load_buffering);
}

Protocol iriw() {
  return classic("iriw", "two readers agree on the order of two independent writes", Strength::fence_sc,
                 {at(Strength::weak, race_on()), at(Strength::relaxed, outcome_seen()),
                  at(Strength::acq_rel, outcome_seen()), at(Strength::fence_acq_rel, outcome_seen())},
                 independent_reads);
}

Protocol corr() {
  return classic("corr", "a thread that has seen a write does not miss it afterwards", Strength::relaxed,
                 {at(Strength::weak, race_on()), at(Strength::acq_rel, verified()),
                  at(Strength::fence_acq_rel, verified()), at(Strength::fence_sc, verified())},
                 read_read_coherence);
}

}  // namespace fencewise::protocols
