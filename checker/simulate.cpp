#include "checker/simulate.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "checker/properties/contract_check.h"
#include "checker/properties/formula.h"
#include "checker/simulated_launch.h"
#include "checker/simulated_memory.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr std::uint64_t largest_input = 99;
constexpr std::uint64_t most_elements_listed = 64;

std::uint64_t bits_of(Type type, std::uint64_t number) {
  const Arithmetic convert{
      .op = Arith::cvt, .type = type, .dst = {}, .a = {}, .b = {}, .c = {}, .from = Type::u64};
  return compute(convert, number, 0, 0);
}

bool is_permutation_of(const std::vector<std::uint32_t>& order, std::uint32_t ctas) {
  std::vector<std::uint32_t> all(ctas);
  std::iota(all.begin(), all.end(), 0U);
  return std::is_permutation(order.begin(), order.end(), all.begin(), all.end());
}

class Simulation {
 public:
  Simulation(const Problem& problem, const Schedule& schedule)
      : problem_(problem), schedule_(schedule), terms_(problem.domain), rng_(schedule.seed) {
    for (const Stage& stage : stages_of(problem)) {
      if (stage.launches.size() > 1) throw NotModelled("launches that overlap are not simulated; check explores them");
      images_.push_back(image_of(problem, stage));
    }
    check_order();
  }

  std::vector<SimulatedReplay> run() {
    if (images_.empty()) return {};
    SimulatedMemory memory(images_.front().memory, terms_);
    std::vector<SimulatedReplay> replays;
    for (std::uint32_t n = 1; n <= problem_.replays; ++n) {
      write_inputs(memory, n == 1);
      if (n == 1) plan_entry_.emplace(memory);
      replays.push_back(replay(memory, n));
      if (!completed_) break;
    }
    if (completed_) judge(When::plan_end, memory, *plan_entry_, replays.back());
    return replays;
  }

 private:
  void check_order() const {
    if (!schedule_.finish_order) return;
    const auto fits = [&](const LaunchImage& image) {
      return is_permutation_of(*schedule_.finish_order, image.ctas);
    };
    if (std::any_of(images_.begin(), images_.end(), fits)) return;
    std::uint32_t most = 0;
    for (const LaunchImage& image : images_) most = std::max(most, image.ctas);
    throw InputError(fmt::format("the finish order {} must name each CTA from 0 to {} once",
                                 fmt::join(*schedule_.finish_order, ","), most - 1));
  }

  // --- what the host does before a replay ---

  void write_inputs(SimulatedMemory& memory, bool first) {
    for (std::uint32_t b = 0; b < problem_.buffers.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      if (buffer.alias_of) continue;
      if (first || buffer.role == Role::input) {
        fill(memory, BufferId{b});
      } else if (buffer.role == Role::output) {
        for (std::uint64_t i = 0; i < buffer.length; ++i) memory.forget(place(BufferId{b}, i));
      }
    }
  }

  void fill(SimulatedMemory& memory, BufferId id) {
    const Buffer& buffer = problem_.buffers[id.value];
    for (std::uint64_t i = 0; i < buffer.length; ++i) {
      const Location at = place(id, i);
      switch (buffer.initial.kind) {
        case InitialContents::Kind::zero: memory.write(at, Value::number(0)); break;
        case InitialContents::Kind::iota: memory.write(at, Value::number(bits_of(buffer.element, i))); break;
        case InitialContents::Kind::values:
          memory.write(at, Value::number(given(buffer.initial.values, i)));
          break;
        case InitialContents::Kind::symbols:
        case InitialContents::Kind::any:
          memory.write(at, Value::number(bits_of(buffer.element, 1 + rng_() % largest_input)));
          break;
        case InitialContents::Kind::unwritten: memory.forget(at); break;
      }
    }
  }

  static std::uint64_t given(const std::vector<std::uint64_t>& values, std::uint64_t i) {
    return values.empty() ? 0 : values[std::min<std::uint64_t>(i, values.size() - 1)];
  }

  // --- a replay ---

  SimulatedReplay replay(SimulatedMemory& memory, std::uint32_t number) {
    SimulatedReplay result;
    result.replay = number;
    result.inputs = contents(memory, Role::input);
    const SimulatedMemory entry = memory;
    for (std::size_t n = 0; n < images_.size() && completed_; ++n) run_launch(n, memory, result);
    if (completed_) {
      judge(When::each_replay, memory, entry, result);
      judge_restored(memory, entry, result);
    }
    result.outputs = contents(memory, Role::output);
    return result;
  }

  void run_launch(std::size_t n, SimulatedMemory& memory, SimulatedReplay& result) {
    const LaunchImage& image = images_[n];
    const SimulatedMemory entry = memory;
    SimulatedMemory own(image.memory, terms_);  // its shared arrays are new
    own.take_buffers(memory, problem_.buffers.size());
    const bool ordered = schedule_.finish_order && is_permutation_of(*schedule_.finish_order, image.ctas);
    SimulatedLaunch launch(image, own, terms_, rng_, ordered ? schedule_.finish_order : std::nullopt);
    const std::string failure = launch.run();
    memory.take_buffers(own, problem_.buffers.size());
    keep_order(launch, result);
    if (!failure.empty()) {
      complain(result, failure);
      completed_ = false;
      return;
    }
    keep_registers(launch, image);
    judge(When::each_launch, memory, entry, result);
  }

  // A replay of several launches shows the finish order of the one with the most CTAs.
  static void keep_order(const SimulatedLaunch& launch, SimulatedReplay& result) {
    if (launch.finish_order().size() > result.finish_order.size())
      result.finish_order = launch.finish_order();
  }

  void keep_registers(const SimulatedLaunch& launch, const LaunchImage& image) {
    registers_.clear();
    for (std::uint32_t t = 0; t < image.threads.size(); ++t) {
      registers_.emplace_back();
      for (std::uint32_t r = 0; r < image.threads[t].kernel->registers.size(); ++r)
        registers_.back().push_back(launch.reg(t, RegisterId{r}));
    }
  }

  // --- what must hold ---

  void judge(When when, const SimulatedMemory& memory, const SimulatedMemory& entry,
             SimulatedReplay& result) {
    const FinalState state = final_state(memory, entry);
    const Contract& contract = problem_.contract;
    if (!passes_filter(problem_, state, terms_)) return;
    if (contract.quantifier == Quantifier::exists) return;  // one run shows nothing of what can't be
    const bool wanted = contract.quantifier == Quantifier::always;
    for (const Assertion& assertion : contract.assertions) {
      if (assertion.when != when) continue;
      if ((holds(*assertion.formula, state, terms_, problem_) == Truth::yes) == wanted) continue;
      complain(result, wanted ? explain(*assertion.formula, state, terms_, problem_)
                              : fmt::format("{} must never hold", assertion.text));
    }
  }

  void judge_restored(const SimulatedMemory& memory, const SimulatedMemory& entry, SimulatedReplay& result) {
    for (const BufferId id : problem_.contract.restored) {
      const Buffer& buffer = problem_.buffers[id.value];
      for (std::uint64_t i = 0; i < buffer.length; ++i) {
        const Value found = entry.read(place(id, i)), left = memory.read(place(id, i));
        if (found == left) continue;
        complain(result, fmt::format("{} is left as {}, found as {}", name_of(place(id, i)),
                                     terms_.to_string(left, buffer.element),
                                     terms_.to_string(found, buffer.element)));
        break;
      }
    }
  }

  static void complain(SimulatedReplay& result, const std::string& what) {
    result.ok = false;
    result.problem += result.problem.empty() ? what : "; " + what;
  }

  [[nodiscard]] FinalState final_state(const SimulatedMemory& memory, const SimulatedMemory& entry) const {
    return {.now = [this, &memory](BufferId b, std::uint64_t i) { return memory.read(place(b, i)); },
            .at_entry = [this, &entry](BufferId b, std::uint64_t i) { return entry.read(place(b, i)); },
            .reg = [this](std::uint32_t t, RegisterId r) { return registers_.at(t).at(r.value); }};
  }

  // --- names ---

  [[nodiscard]] Location place(BufferId id, std::uint64_t i) const {
    return location_of(images_.front().memory, id, i);
  }
  [[nodiscard]] std::string name_of(const Location& location) const {
    return images_.front().memory.name(location);
  }

  [[nodiscard]] std::vector<std::string> contents(const SimulatedMemory& memory, Role role) const {
    std::vector<std::string> lines;
    for (std::uint32_t b = 0; b < problem_.buffers.size(); ++b) {
      const Buffer& buffer = problem_.buffers[b];
      if (buffer.role != role) continue;
      for (std::uint64_t i = 0; i < buffer.length && lines.size() < most_elements_listed; ++i) {
        const Location at = place(BufferId{b}, i);
        const Value value = memory.read(at);
        lines.push_back(
            fmt::format("{} = {}", name_of(at),
                        value.is_number() ? terms_.to_string(value, buffer.element) : "unwritten"));
      }
    }
    return lines;
  }

  const Problem& problem_;
  const Schedule& schedule_;
  Terms terms_;
  SimulationRng rng_;
  std::vector<LaunchImage> images_;  // [launch]
  std::optional<SimulatedMemory> plan_entry_;
  std::vector<std::vector<Value>> registers_;  // [thread][register] at the end of the last launch
  bool completed_ = true;                      // every launch so far came to its end
};

}  // namespace

std::vector<SimulatedReplay> simulate(const Problem& problem, const Schedule& schedule) {
  return Simulation(problem, schedule).run();
}

}  // namespace fencewise
