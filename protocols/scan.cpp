// Scans in a single pass: each CTA adds the sum of all tiles before its own.
//
// scan-single-pass waits for the prefix of the tile before. scan-lookback publishes the tile's own sum at once, and looks
// back over tiles that have no prefix yet, adding their sums, until it meets one that has. Tiles are drawn by a ticket, so
// that a tile is waited for only when a running CTA has it. Inputs are numbers, not symbols: status and value can then be
// packed into one word.
#include <optional>
#include <vector>

#include "protocols/parts.h"
#include "protocols/protocols.h"

namespace fencewise::protocols {
namespace {

enum class Kind : std::uint8_t { single_pass, look_back };

struct Steps {
  bool draw_tile = true;
  bool wide_word = false;                                      // status and value in one 64-bit word
  bool value_first = true;                                     // the value is written before the status
  bool one_value = false;                                      // sum and prefix of a tile share one place
  How show = release(Scope::gpu), look = acquire(Scope::gpu);  // of the status, or the word
  How value = weak;
};

constexpr int nothing = 0, has_sum = 1, has_prefix = 2;

// clang-format off
std::vector<Row<Steps>> rows(Kind kind) {
  using enum FindingKind;
  const Need two_ctas{"ctas", 2}, three_ctas{"ctas", 3};
  std::vector<Row<Steps>> all = {
      {"", "the value, then the status with release; looked at with acquire", {},
       verified(), verified(), nullptr},

      {"relaxed-show", "the status doesn't release the value", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.show = relaxed(Scope::gpu); }},

      {"relaxed-look", "who sees the status doesn't acquire the value", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.look = relaxed(Scope::gpu); }},

      {"split-status-and-value", "both relaxed, as two halves of a vector are: a new status with an old value", {two_ctas},
       violated_without_race({assertion}, "out"), verified(),
       [](Steps& s) { s.show = s.look = s.value = relaxed(Scope::gpu); }},

      {"show-scope-cta", "the status is shown at a scope that leaves the other CTAs out", {two_ctas},
       violated({race}), verified(),
       [](Steps& s) { s.show = release(Scope::cta); }},

      {"status-first", "the status is shown before the value is there", {two_ctas},
       violated({race}), violated({assertion}, "out"),
       [](Steps& s) { s.value_first = false; }},

      {"one-wide-word", "status and value in one 64-bit word: relaxed is enough, nothing else is handed over", {},
       verified(), verified(),
       [](Steps& s) { s.wide_word = true; s.show = s.look = relaxed(Scope::gpu); }},

      {"one-wide-word-weak", "the word is one, but it races", {two_ctas},
       violated({race}, "word"), verified(),
       [](Steps& s) { s.wide_word = true; s.show = s.look = weak; }},

      {"tile-by-ctaid", "a CTA a tile, by number: right while all CTAs are resident", {},
       verified(), verified(),
       [](Steps& s) { s.draw_tile = false; }},
  };
  if (kind == Kind::look_back)
    all.push_back({"one-value", "the prefix overwrites the sum that another CTA is about to read", {three_ctas},
                   violated({race}, "sum"), violated({assertion}, "out"),
                   [](Steps& s) { s.one_value = true; }});
  return all;
}
// clang-format on

class Scan {
 public:
  Scan(KernelBuilder& k, Kind kind, const Steps& steps)
      : k_(k),
        kind_(kind),
        steps_(steps),
        status_(k.global(steps.wide_word ? "word" : "status", steps.wide_word ? Type::u64 : Type::u32)) {}

  void run() {
    const Array in = k_.global("in", Type::u32), out = k_.global("out", Type::u32);
    const Val tile =
        steps_.draw_tile ? k_.atom(AtomicOp::add, k_.global("next", Type::u32)[0], 1) : k_.ctaid();
    const Val own = k_.ld(in[tile], "own");
    const Val before = k_.var("before", Type::u32, 0);
    k_.if_(tile > 0, [&] {
      if (kind_ == Kind::look_back) {
        show(tile, has_sum, own);
        look_back(tile, before);
      } else {
        k_.set(before, wait_for(tile - 1).value(has_prefix));
      }
    });
    const Val prefix = before + own;
    show(tile, has_prefix, prefix);
    k_.st(out[tile], prefix);
  }

 private:
  // What was seen of a tile.
  struct Seen {
    Scan& scan;
    Val tile, word;

    Val has(int status) const { return scan.steps_.wide_word ? (word >> 32) == status : word == status; }
    Val value(int status) const {
      if (scan.steps_.wide_word) return scan.k_.cast(word & 0xffff'ffffU, Type::u32);
      return scan.k_.ld(scan.value_of(tile, status), "value", scan.steps_.value);
    }
  };

  Place value_of(const Val& tile, int status) {
    const bool in_sum = kind_ == Kind::look_back && (status == has_sum || steps_.one_value);
    std::optional<Array>& array = in_sum ? sum_ : prefix_;
    if (!array) array = k_.global(in_sum ? "sum" : "prefix", Type::u32);
    return (*array)[tile];
  }
  void show(const Val& tile, int status, const Val& value) {
    if (steps_.wide_word) {
      k_.st(status_[tile], k_.cast(value, Type::u64) + (std::int64_t{status} << 32), steps_.show);
      return;
    }
    if (steps_.value_first) k_.st(value_of(tile, status), value, steps_.value);
    k_.st(status_[tile], status, steps_.show);
    if (!steps_.value_first) k_.st(value_of(tile, status), value, steps_.value);
  }
  Seen wait_for(const Val& tile) {
    const Val word = k_.await([&] { return k_.ld(status_[tile], "seen", steps_.look); },
                              [](const Val& seen) { return seen != nothing; });
    return {*this, tile, word};
  }
  void look_back(const Val& tile, const Val& before) {
    const Val at = k_.var("at", Type::u32, tile), done = k_.var("done", Type::pred, false);
    k_.while_([&] { return !done; },
              [&] {
                k_.set(at, at - 1);
                const Seen seen = wait_for(at);
                k_.if_else(
                    seen.has(has_prefix),
                    [&] {
                      k_.set(before, before + seen.value(has_prefix));
                      k_.set(done, true);
                    },
                    [&] { k_.set(before, before + seen.value(has_sum)); });
              });
  }

  KernelBuilder& k_;
  Kind kind_;
  const Steps& steps_;
  Array status_;
  std::optional<Array> sum_, prefix_;  // named where used: each array has one name in the kernel
};

Problem build(Kind kind, const Parameters& parameters, std::string_view variant) {
  const std::int64_t ctas = parameters["ctas"];
  const Steps steps = change(Steps{}, rows(kind), variant);
  using enum InitialContents::Kind;

  KernelBuilder k(kind == Kind::look_back ? "scan_lookback" : "scan_single_pass");
  Scan(k, kind, steps).run();
  Problem problem;
  problem.name = kind == Kind::look_back ? "scan-lookback" : "scan-single-pass";
  problem.kernels = {k.build()};
  problem.buffers = {input("in", Type::u32, ctas), output("out", Type::u32, ctas)};
  problem.buffers[0].initial = {values, {}};  // no zeros: a sum counted twice must show
  for (std::int64_t i = 0; i < ctas; ++i)
    problem.buffers[0].initial.values.push_back(static_cast<std::uint64_t>(i + 1));
  if (steps.draw_tile) problem.buffers.push_back(workspace("next", Type::u32, 1, zero));
  if (steps.wide_word) {
    problem.buffers.push_back(workspace("word", Type::u64, ctas, zero));
  } else {
    problem.buffers.push_back(workspace("status", Type::u32, ctas, zero));
    if (kind == Kind::look_back) problem.buffers.push_back(workspace("sum", Type::u32, ctas, any));
    if (!steps.one_value) problem.buffers.push_back(workspace("prefix", Type::u32, ctas, any));
  }
  Launch launch;
  launch.name = problem.name;
  launch.grid = {static_cast<std::uint32_t>(ctas), 1, 1};
  launch.block = {1, 1, 1};
  problem.launches = {launch};

  const BufferTerm in = term(problem, "in"), out = term(problem, "out");
  problem.contract.assertions = {
      {.text = "out[i] == in[0] + ... + in[i]",
       .formula = forall(
           "i", 0, ctas,
           [&](const Term& i) { return out[i] == sum("j", 0, i + 1, [&](const Term& j) { return in[j]; }); }),
       .when = When::each_replay}};
  return problem;
}

Protocol protocol(Kind kind, std::string name, std::string summary) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .parameters = {{"ctas", "CTAs, a tile each", 2, 1, 132, {}}},
          .variants = variants_of(rows(kind)),
          .sweep = "ctas=1..5",
          .build = [kind](const Parameters& p, std::string_view variant) { return build(kind, p, variant); }};
}

}  // namespace

Protocol scan_single_pass() {
  return protocol(Kind::single_pass, "scan-single-pass",
                  "prefix sums over CTAs, each waiting for the prefix before it");
}

Protocol scan_lookback() {
  return protocol(Kind::look_back, "scan-lookback", "prefix sums over CTAs by decoupled look-back");
}

}  // namespace fencewise::protocols
