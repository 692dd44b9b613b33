// Progress models said without events, messages or levels: threads that share one scheduler, an interleaving of one instruction
// after the other, every state and every step. What the fair set is and which strongly connected parts let a program run for ever
// is written down as tests/litmus tables of progress mean it.
//
// Programs have a shape of their own: an instruction reads and writes one location at once and then goes on, or to another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/progress_model.h"

namespace fencewise::testing {

struct SmallInstruction {
  enum class Kind : std::uint8_t { exchange, load, test_zero, swap_zero } kind = Kind::exchange;
  // exchange: writes `value`; load and test_zero read; swap_zero: writes `value` where 0 is found.
  std::uint32_t location = 0;
  std::uint32_t value = 0;
  // Goes to `target`, an instruction or the end, if the value read is `jump_on`, or, with `unless`, if it is not; else to the next.
  std::uint32_t jump_on = 0;
  bool unless = false;
  std::uint32_t target = 0;
};

using SmallProgram = std::vector<std::vector<SmallInstruction>>;  // [thread]

// As a litmus test, one CTA.
[[nodiscard]] std::string litmus_text(const SmallProgram& program);

class Interleaving {
 public:
  explicit Interleaving(SmallProgram program);
  // Whether no run that is fair to the model's fair set goes on for ever.
  [[nodiscard]] bool always_terminates(ProgressModel model) const;

 private:
  struct Part {  // strongly connected, with a step
    std::vector<bool> finished, stepped, steps;  // [thread]
  };
  SmallProgram program_;
  std::vector<Part> parts_;
};

}  // namespace fencewise::testing
