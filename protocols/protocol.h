// The catalogue: a protocol is a kernel with its launch, contract, parameters and variants. Each is one short file.
//
// A variant changes one thing (a fence dropped, a scope narrowed, a reset forgotten). It states what it needs of the
// parameters to make a difference, and what a check must answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/problem.h"
#include "kernels/core/verdict.h"

namespace fencewise {

// A parameter is a number in [min, max], or one of `choices` (then its value is an index into them).
struct Parameter {
  std::string name;
  std::string help;
  std::int64_t standard = 1;
  std::int64_t min = 1;
  std::int64_t max = 1024;
  std::vector<std::string> choices;
};

class Parameters {
 public:
  [[nodiscard]] std::int64_t operator[](std::string_view name) const;  // InternalError if there is none
  void set(const std::string& name, std::int64_t value) { values_[name] = value; }
  [[nodiscard]] const std::map<std::string, std::int64_t, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> values_;
};

// The least value a parameter must have.
struct Need {
  std::string parameter;
  std::int64_t at_least = 1;
};

// What a check must answer under one model. For `violated` the first finding's kind is one of `kinds`, and some finding
// of that kind has a location that starts with `place` (where given). `no_race`: no finding is a race.
struct Expectation {
  Verdict verdict = Verdict::verified;
  std::vector<FindingKind> kinds;
  std::string place;
  bool no_race = false;
};

struct Variant {
  std::string name;      // empty: the protocol as it should be
  std::string summary;   // one line
  std::vector<Need> needs;
  Expectation ptx;
  Expectation sc;
};

struct Protocol {
  std::string name;
  std::string summary;
  std::vector<Parameter> parameters;
  std::vector<Variant> variants;  // the first is the base
  // The shapes that `check --sweep` tries unless told otherwise, as it takes them: small, with the edges (one CTA, no work, one
  // round more than there are buffers).
  std::string sweep{};
  std::function<Problem(const Parameters&, std::string_view variant)> build;

  [[nodiscard]] const Variant* find(std::string_view variant) const;
  [[nodiscard]] Parameters standard_parameters() const;
};

// All built-in protocols, in the order of `fencewise list`.
[[nodiscard]] const std::vector<Protocol>& catalogue();
[[nodiscard]] const Protocol* find_protocol(std::string_view name);

// The problem of a protocol. Throws InputError for an unknown parameter or variant, a value out of range, or a variant
// whose needs the parameters don't meet; the message names them. The problem is validated.
[[nodiscard]] Problem instantiate(const Protocol& protocol, const Parameters& given, std::string_view variant = "");
// The given parameters (others: standard) raised to the least that meets the variant's needs.
[[nodiscard]] Parameters raised_to_needs(const Protocol& protocol, const Variant& variant, const Parameters& given);

}  // namespace fencewise
