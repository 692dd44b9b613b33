#include "checker/cli/subject.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "checker/cli/files.h"
#include "checker/report/json.h"
#include "kernels/core/error.h"
#include "kernels/frontend/litmus/parse.h"

namespace fencewise {
namespace {

// Levenshtein's distance: insertions, deletions and replacements that turn a into b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + static_cast<std::size_t>(a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

// The nearest of some names, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view text, const std::vector<std::string>& names) {
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return distance(text, a) < distance(text, b);
  };
  const auto best = std::min_element(names.begin(), names.end(), nearer);
  if (best == names.end() || distance(text, *best) > std::max<std::size_t>(2, best->size() / 2))
    return std::nullopt;
  return *best;
}

// At most 60 characters, so that a message stays one line.
std::string shortened(const std::string& text) {
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

const Protocol& protocol_named(const std::string& name) {
  if (const Protocol* protocol = find_protocol(name)) return *protocol;
  std::vector<std::string> names;
  for (const Protocol& protocol : catalogue()) names.push_back(protocol.name);
  const auto meant = nearest(name, names);
  throw InputError(
      fmt::format("unknown protocol '{}'; {}", shortened(name),
                  meant ? fmt::format("did you mean '{}'?", *meant) : "`fencewise list` shows all"));
}

const Parameter& parameter_named(const Protocol& protocol, const std::string& name) {
  std::vector<std::string> names;
  for (const Parameter& parameter : protocol.parameters) {
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw InputError(fmt::format("{} has no parameter '{}'; it has {}", protocol.name, shortened(name),
                               fmt::join(names, ", ")));
}

std::string range_of(const Parameter& parameter) {
  if (!parameter.choices.empty()) return fmt::format("one of {}", fmt::join(parameter.choices, ", "));
  return fmt::format("a number from {} to {}", parameter.min, parameter.max);
}

std::int64_t parse_value(const Parameter& parameter, const std::string& text) {
  const auto choice = std::find(parameter.choices.begin(), parameter.choices.end(), text);
  if (choice != parameter.choices.end()) return choice - parameter.choices.begin();
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool number = error == std::errc() && rest == end && parameter.choices.empty();
  if (!number || value < parameter.min || value > parameter.max)
    throw InputError(fmt::format("parameter '{}' must be {}; got '{}'", parameter.name, range_of(parameter),
                                 shortened(text)));
  return value;
}

void set_parameter(Parameters& params, const Protocol& protocol, const std::string& name,
                   const std::string& text) {
  const Parameter& parameter = parameter_named(protocol, name);
  if (params.all().contains(name)) throw InputError(fmt::format("parameter '{}' is given twice", name));
  params.set(name, parse_value(parameter, text));
}

Parameters given_parameters(const Protocol& protocol, const Options& options) {
  Parameters given;
  for (const std::string& param : options.params) {
    const std::size_t equals = param.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--param must be of the form name=value; got '{}'", shortened(param)));
    set_parameter(given, protocol, param.substr(0, equals), param.substr(equals + 1));
  }
  if (options.replays) set_parameter(given, protocol, "replays", fmt::format("{}", *options.replays));
  return given;
}

void complete(Subject& subject) {
  subject.params = subject.protocol->standard_parameters();
  for (const auto& [name, value] : subject.given.all()) subject.params.set(name, value);
}

// What is not left as it was found shows in one replay, what comes of it in the next. Unless told otherwise there are as many as the
// variant needs for that.
void add_needed_replays(Subject& subject) {
  const Parameters raised = raised_to_needs(*subject.protocol, *subject.protocol->find(subject.variant), subject.params);
  const auto replays = raised.all().find("replays");
  if (replays != raised.all().end() && !subject.given.all().contains("replays")) subject.params.set("replays", replays->second);
}

void check_variant(const Protocol& protocol, const std::string& variant) {
  if (protocol.find(variant) != nullptr) return;
  std::vector<std::string> names;
  for (const Variant& v : protocol.variants)
    if (!v.name.empty()) names.push_back(v.name);
  const auto meant = nearest(variant, names);
  throw InputError(fmt::format("{} has no variant '{}'; {}", protocol.name, shortened(variant),
                               meant ? fmt::format("did you mean '{}'?", *meant)
                                     : fmt::format("`fencewise show {}` lists them", protocol.name)));
}

void refuse_protocol_options(const Options& options, std::string_view what) {
  if (options.params.empty() && options.variant.empty() && !options.all_variants && !options.replays) return;
  throw InputError(fmt::format("{} is {}: it takes no --param, --replays, --variant or --all-variants",
                               options.subject, what));
}

Subject litmus_test(const std::string& path) {
  Subject subject;
  subject.name = without_absolute_path(path);
  subject.file = path;
  return subject;
}

Subject cuda_subject(const Options& options) {
  if (!options.variant.empty() || options.all_variants)
    throw InputError(fmt::format("{} is a file: it takes no --variant or --all-variants", options.subject));
  Subject subject;
  subject.name = without_absolute_path(options.subject);
  subject.file = options.subject;
  subject.cuda = CudaSource{options.subject, options.launch, words(options.nvcc_args), constants_of(options.params), options.replays,
                            options.ptx_lines};
  return subject;
}

Subject subject_named(const Options& options) {
  const std::string suffix = std::filesystem::path(options.subject).extension().string();
  if (suffix == ".litmus") {
    refuse_protocol_options(options, "a litmus test");
    return litmus_test(options.subject);
  }
  if (suffix == ".json") {
    refuse_protocol_options(options, "a saved report");
    return subject_of(report_from_json(read_file(options.subject), options.subject));
  }
  if (is_cuda_file(options.subject)) return cuda_subject(options);
  Subject subject;
  subject.protocol = &protocol_named(options.subject);
  subject.name = subject.protocol->name;
  subject.given = given_parameters(*subject.protocol, options);
  subject.variant = options.variant;
  check_variant(*subject.protocol, subject.variant);
  complete(subject);
  if (options.clean) add_needed_replays(subject);
  return subject;
}

// `report` without what is asked of the plan.
Subject subject_without_plan(const Report& report) {
  if (std::filesystem::path(report.subject).extension() == ".litmus") {
    if (!report.params.empty() || !report.variant.empty())
      throw InputError(fmt::format("{} is a litmus test: it has no parameters or variants", report.subject));
    return litmus_test(report.subject);
  }
  if (is_cuda_file(report.subject)) {
    Subject subject;
    subject.name = subject.file = report.subject;
    subject.cuda = cuda_source_of(report.subject, report.params);
    return subject;
  }
  Subject subject;
  subject.protocol = &protocol_named(report.subject);
  subject.name = subject.protocol->name;
  for (const auto& [name, text] : report.params) set_parameter(subject.given, *subject.protocol, name, text);
  subject.variant = report.variant;
  check_variant(*subject.protocol, subject.variant);
  complete(subject);
  return subject;
}

Problem problem_without_plan(const Subject& subject) {
  if (subject.cuda) return problem_of(*subject.cuda);
  if (subject.protocol == nullptr) return read_litmus(subject.file);
  return instantiate(*subject.protocol, subject.params, subject.variant);
}

}  // namespace

Subject subject_of(const Report& report) {
  Report without = report;
  const PlanOptions plan = take_plan(without.params);
  Subject subject = subject_without_plan(without);
  subject.plan = plan;
  return subject;
}

Subject find_subject(const Options& options) {
  Subject subject = subject_named(options);
  if (options.in_flight) subject.plan.in_flight = static_cast<std::uint32_t>(*options.in_flight);
  return subject;
}

Problem problem_of(const Subject& subject) { return asked_of(problem_without_plan(subject), subject.plan); }

std::string text_of(const Parameter& parameter, std::int64_t value) {
  return parameter.choices.empty() ? fmt::format("{}", value)
                                   : parameter.choices.at(static_cast<std::size_t>(value));
}

std::map<std::string, std::string> texts_of(const Protocol& protocol, const Parameters& params) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : params.all())
    texts[name] = text_of(parameter_named(protocol, name), value);
  return texts;
}

std::string command_line(const std::string& command, const Subject& subject) {
  std::string line = fmt::format("fencewise {} {}", command, subject.name);
  if (subject.cuda) return line + arguments_of(*subject.cuda);
  if (subject.protocol == nullptr) return line;
  for (const auto& [name, text] : texts_of(*subject.protocol, subject.given))
    line += fmt::format(" --param {}={}", name, text);
  if (!subject.variant.empty()) line += fmt::format(" --variant {}", subject.variant);
  return line;
}

}  // namespace fencewise
