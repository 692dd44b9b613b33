#include <algorithm>

#include <fmt/format.h>

#include "checker/cli/commands.h"
#include "checker/cli/cuda_source.h"
#include "checker/cli/output.h"
#include "checker/cli/subject.h"
#include "checker/report/names.h"
#include "kernels/core/error.h"
#include "kernels/core/print_dot.h"
#include "kernels/core/printer.h"
#include "kernels/frontend/litmus/print.h"

namespace fencewise {
namespace {

std::string parameter_line(const Parameter& p) {
  const std::string range =
      p.choices.empty() ? fmt::format("{}..{}", p.min, p.max) : fmt::format("{}", fmt::join(p.choices, "|"));
  return fmt::format("  {} = {}   ({})   {}\n", p.name, text_of(p, p.standard), range, p.help);
}

std::string expectation_text(const Expectation& expected) {
  std::vector<std::string_view> kinds;
  for (const FindingKind kind : expected.kinds) kinds.push_back(spelling(kind));
  std::string text(spelling(expected.verdict));
  if (!kinds.empty())
    text += fmt::format(" ({}{})", fmt::join(kinds, " or "),
                        expected.place.empty() ? "" : fmt::format(" on {}", expected.place));
  return text;
}

// "splits >= 2", "placement = different-cta" (of choices only the last one is ever needed).
std::string need_text(const Protocol& protocol, const Need& need) {
  const auto parameter = std::find_if(protocol.parameters.begin(), protocol.parameters.end(),
                                      [&](const Parameter& p) { return p.name == need.parameter; });
  if (parameter == protocol.parameters.end() || parameter->choices.empty())
    return fmt::format("{} >= {}", need.parameter, need.at_least);
  return fmt::format("{} = {}", need.parameter, text_of(*parameter, need.at_least));
}

std::string variant_lines(const Protocol& protocol, const Variant& v) {
  std::vector<std::string> needs;
  for (const Need& need : v.needs) needs.push_back(need_text(protocol, need));
  return fmt::format("  {}\n      {}\n      needs {}; ptx: {}; sc: {}\n", v.name.empty() ? "(base)" : v.name,
                     v.summary, needs.empty() ? "nothing" : fmt::format("{}", fmt::join(needs, ", ")),
                     expectation_text(v.ptx), expectation_text(v.sc));
}

std::string protocol_text(const Protocol& protocol) {
  std::string text = fmt::format("{}: {}\n\nparameters\n", protocol.name, protocol.summary);
  for (const Parameter& p : protocol.parameters) text += parameter_line(p);
  if (!protocol.sweep.empty()) text += fmt::format("\nsweep\n  {}\n", protocol.sweep);
  text += "\nvariants\n";
  for (const Variant& v : protocol.variants) text += variant_lines(protocol, v);
  return text + "\n";
}

void check_format(const std::string& format) {
  if (format == "text" || format == "litmus" || format == "ptx" || format == "dot") return;
  throw InputError(fmt::format("unknown format '{}'; expected text, litmus, ptx or dot", format));
}

}  // namespace

int show_command(const Options& options) {
  refuse_contradictions(options);
  check_format(options.format);
  if (options.format == "ptx") {
    if (!is_cuda_file(options.subject))
      throw InputError(fmt::format("show --format ptx is for .ptx and .cu files; without it `fencewise show {}` prints the program near PTX",
                                   options.subject));
    print_out(ptx_text_of(options.subject, words(options.nvcc_args)));
    return exit_verified;
  }
  const Subject subject = find_subject(options);
  const Problem problem = problem_of(subject);
  if (options.format == "litmus") {
    print_out(print_litmus(problem));
    return exit_verified;
  }
  if (options.format == "dot") {
    print_out(print_dot(problem));
    return exit_verified;
  }
  if (subject.protocol != nullptr) print_out(protocol_text(*subject.protocol));
  print_out(print(problem, PrintOptions{.source_lines = true}));
  return exit_verified;
}

}  // namespace fencewise
