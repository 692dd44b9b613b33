#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "protocols/protocol.h"
#include "protocols/protocols.h"

namespace fencewise {
namespace {

std::vector<std::string> names_of(const auto& named) {
  std::vector<std::string> names;
  for (const auto& one : named)
    if (!one.name.empty()) names.push_back(one.name);
  return names;
}

const Parameter* find_parameter(const Protocol& protocol, std::string_view name) {
  const auto found = std::ranges::find(protocol.parameters, name, &Parameter::name);
  return found == protocol.parameters.end() ? nullptr : &*found;
}

// "4", or the choice it stands for.
std::string value_text(const Parameter& parameter, std::int64_t value) {
  const bool is_choice = value >= 0 && std::cmp_less(value, parameter.choices.size());
  return is_choice ? parameter.choices[static_cast<std::size_t>(value)] : fmt::format("{}", value);
}

std::string range_text(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("one of {}", fmt::join(parameter.choices, ", "));
  return fmt::format("{} to {}", parameter.min, parameter.max);
}

void check_values(const Protocol& protocol, const Parameters& given) {
  for (const auto& [name, value] : given.all()) {
    const Parameter* parameter = find_parameter(protocol, name);
    if (parameter == nullptr)
      throw InputError(fmt::format("{} has no parameter '{}'; it has {}", protocol.name, name,
                                   fmt::join(names_of(protocol.parameters), ", ")));
    if (value < parameter->min || value > parameter->max)
      throw InputError(fmt::format("parameter '{}' of {} is {}; expected {}", name, protocol.name, value,
                                   range_text(*parameter)));
  }
}

const Variant& variant_named(const Protocol& protocol, std::string_view name) {
  if (const Variant* variant = protocol.find(name)) return *variant;
  throw InputError(fmt::format("{} has no variant '{}'; it has {}", protocol.name, name,
                               fmt::join(names_of(protocol.variants), ", ")));
}

const Parameter& needed(const Protocol& protocol, const Need& need) {
  if (const Parameter* parameter = find_parameter(protocol, need.parameter)) return *parameter;
  throw InternalError(
      fmt::format("this is a bug in fencewise: a variant of {} needs '{}', which is no parameter",
                  protocol.name, need.parameter));
}

// "replays >= 2", "placement = different-cta" (only the last choice is ever needed).
std::string need_text(const Parameter& parameter, const Need& need) {
  return fmt::format("{} {} {}", parameter.name, parameter.choices.empty() ? ">=" : "=",
                     value_text(parameter, need.at_least));
}

void check_needs(const Protocol& protocol, const Variant& variant, const Parameters& parameters) {
  std::vector<std::string> unmet, found;
  for (const Need& need : variant.needs) {
    const Parameter& parameter = needed(protocol, need);
    const std::int64_t value = parameters[need.parameter];
    if (value >= need.at_least) continue;
    unmet.push_back(need_text(parameter, need));
    found.push_back(fmt::format("{} = {}", need.parameter, value_text(parameter, value)));
  }
  if (!unmet.empty())
    throw InputError(fmt::format("variant '{}' of {} needs {}; found {}", variant.name, protocol.name,
                                 fmt::join(unmet, " and "), fmt::join(found, " and ")));
}

Parameters completed(const Protocol& protocol, const Parameters& given) {
  Parameters all = protocol.standard_parameters();
  for (const auto& [name, value] : given.all()) all.set(name, value);
  return all;
}

}  // namespace

const std::vector<Protocol>& catalogue() {
  using namespace protocols;
  static const std::vector<Protocol> all = [] {
    std::vector<Protocol> list = {
        splitk_serial(),
        splitk_atomic(),
        protocols::reverse(),
        ticket_lock(),
        cas_lock(),
        exch_lock(),
        lock_per_lane(),
        grid_barrier_sense(),
        grid_barrier_counter(),
        message_passing(),
        streamk_fixup(),
        scan_single_pass(),
        scan_lookback(),
        zero_while_adding(),
        named_halves(),
        mp(),
        sb(),
        lb(),
        iriw(),
        corr(),
        splitk_gemv(),
        splitk_gemv_atomic(),
    };
    for (const auto& family : {reductions(), gemms()}) list.insert(list.end(), family.begin(), family.end());
    return list;
  }();
  return all;
}

const Protocol* find_protocol(std::string_view name) {
  const auto found = std::ranges::find(catalogue(), name, &Protocol::name);
  return found == catalogue().end() ? nullptr : &*found;
}

std::int64_t Parameters::operator[](std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end())
    throw InternalError(fmt::format("this is a bug in fencewise: no parameter '{}' was given", name));
  return found->second;
}

const Variant* Protocol::find(std::string_view variant) const {
  const auto found = std::ranges::find(variants, variant, &Variant::name);
  return found == variants.end() ? nullptr : &*found;
}

Parameters Protocol::standard_parameters() const {
  Parameters standard;
  for (const Parameter& parameter : parameters) standard.set(parameter.name, parameter.standard);
  return standard;
}

Problem instantiate(const Protocol& protocol, const Parameters& given, std::string_view variant_name) {
  const Variant& variant = variant_named(protocol, variant_name);
  check_values(protocol, given);
  const Parameters parameters = completed(protocol, given);
  check_needs(protocol, variant, parameters);
  Problem problem = protocol.build(parameters, variant.name);
  validate(problem);
  return problem;
}

Parameters raised_to_needs(const Protocol& protocol, const Variant& variant, const Parameters& given) {
  Parameters raised = completed(protocol, given);
  for (const Need& need : variant.needs)
    raised.set(need.parameter, std::max(raised[need.parameter], need.at_least));
  return raised;
}

}  // namespace fencewise
