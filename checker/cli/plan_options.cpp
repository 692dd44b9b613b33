#include "checker/cli/plan_options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/entry_memory.h"
#include "kernels/core/error.h"
#include "kernels/core/in_flight.h"

namespace fencewise {
namespace {

constexpr const char* in_flight_key = "--in-flight";
constexpr const char* initial_key = "--initial";
constexpr const char* restored_key = "--clean";

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

}  // namespace

Problem asked_of(Problem problem, const PlanOptions& plan) {
  problem = in_flight(problem, plan.in_flight);
  if (plan.initial_any) problem = with_unset_workspace(problem);
  auto& restored = problem.contract.restored;
  for (const std::string& name : plan.restored) {
    const auto buffer = problem.find_buffer(name);
    if (!buffer) throw InputError(fmt::format("there is no buffer '{}' to leave as it was found", name));
    if (std::find(restored.begin(), restored.end(), *buffer) == restored.end()) restored.push_back(*buffer);
  }
  return problem;
}

std::map<std::string, std::string> texts_of(const PlanOptions& plan) {
  std::map<std::string, std::string> texts;
  if (plan.in_flight != 1) texts[in_flight_key] = fmt::format("{}", plan.in_flight);
  if (plan.initial_any) texts[initial_key] = "any";
  if (!plan.restored.empty()) texts[restored_key] = fmt::format("{}", fmt::join(plan.restored, ","));
  return texts;
}

PlanOptions take_plan(std::map<std::string, std::string>& texts) {
  PlanOptions plan;
  if (const auto it = texts.find(in_flight_key); it != texts.end()) {
    const std::string& text = it->second;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), plan.in_flight);
    if (error != std::errc() || rest != text.data() + text.size() || plan.in_flight < 1 ||
        plan.in_flight > most_in_flight)
      throw InputError(
          fmt::format("--in-flight must be from 1 to {}; the report has '{}'", most_in_flight, text));
    texts.erase(it);
  }
  if (const auto it = texts.find(initial_key); it != texts.end()) {
    if (it->second != "any")
      throw InputError(fmt::format("--initial must be any; the report has '{}'", it->second));
    plan.initial_any = true;
    texts.erase(it);
  }
  if (const auto it = texts.find(restored_key); it != texts.end()) {
    plan.restored = split_at_commas(it->second);
    texts.erase(it);
  }
  return plan;
}

}  // namespace fencewise
