#include "checker/report/text.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/color.h>
#include <fmt/format.h>

#include "checker/report/layout.h"
#include "checker/report/names.h"

namespace fencewise {
namespace {

fmt::text_style style_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::verified: return fmt::fg(fmt::terminal_color::green) | fmt::emphasis::bold;
    case Verdict::violated: return fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold;
    case Verdict::inconclusive: return fmt::fg(fmt::terminal_color::yellow) | fmt::emphasis::bold;
  }
  return {};
}

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// "splitk-serial splits=3 threads=2, variant no-reset"
std::string subject_text(const Report& report) {
  std::string text = report.subject;
  for (const auto& [name, value] : report.params) text += fmt::format(" {}={}", name, value);
  if (!report.variant.empty()) text += fmt::format(", variant {}", report.variant);
  return text;
}

const Finding* first_violation(const CheckResult& result) {
  const auto it = std::find_if(result.findings.begin(), result.findings.end(),
                               [](const Finding& f) { return f.violates; });
  return it == result.findings.end() ? nullptr : &*it;
}

std::string finding_title(const Finding& f) {
  std::string text(spelling(f.kind));
  if (!f.location.empty()) text += fmt::format(" on {}", f.location);
  return text + fmt::format(" in replay {}", f.launch);
}

constexpr std::size_t column_gap = 2;
constexpr std::size_t narrowest_column = 24;

class TextReport {
 public:
  TextReport(const Report& report, const TextOptions& options) : report_(report), options_(options) {}

  std::string verdict() const {
    const CheckResult& result = report_.result;
    const bool alone = report_.subject.empty();  // a result of which nobody says what was checked
    const std::string subject =
        alone ? "" : fmt::format("{}, model {}", subject_text(report_), spelling(report_.options.model));
    const Finding* violation = first_violation(result);
    std::string why;
    if (result.verdict == Verdict::violated && violation != nullptr) why = finding_title(*violation);
    if (result.verdict == Verdict::inconclusive) why = result.reason;
    const std::string answer = paint(std::string(spelling(result.verdict)), style_of(result.verdict));
    if (why.empty() && alone) return answer;
    if (why.empty() || alone) return fmt::format("{}: {}", answer, why + subject);
    return fmt::format("{}: {} ({})", answer, why, subject);
  }

  std::string all() {
    out_ = verdict() + "\n";
    findings();
    summary();
    if (!options_.hint.empty()) out_ += fmt::format("hint: {}\n", options_.hint);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string paint(const std::string& text, const fmt::text_style& style) const {
    return options_.colour ? fmt::format(style, "{}", text) : text;
  }

  // --- a finding ---

  // The first in full; the others in a line each, unless everything is wanted.
  void findings() {
    const auto& all = report_.result.findings;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (n == 0 || options_.verbose) {
        finding(all[n]);
      } else {
        if (n == 1) out_ += "\n";
        out_ += fmt::format("also{}: {}: {}\n", all[n].violates ? "" : ", reported only",
                            finding_title(all[n]), all[n].message);
      }
    }
    if (first_violation(report_.result) != nullptr && !options_.command.empty())
      out_ += fmt::format("replay: {}\n", options_.command);
  }

  void finding(const Finding& f) {
    out_ += "\n";
    if (!f.violates) out_ += fmt::format("reported only: {}\n", finding_title(f));
    out_ += f.message + "\n";
    source_lines(f);
    if (f.endless)
      for (const std::string& line : f.endless->unfinished) out_ += fmt::format("  {}\n", line);
    for (const WitnessLaunch& launch : f.witness.launches) {
      const bool last = &launch == &f.witness.launches.back();
      if (last || options_.verbose) {
        table(launch);
        if (last && f.endless && !f.endless->cycle.empty()) out_ += "the steps marked * repeat for ever\n";
      } else {
        out_ += fmt::format("{}: CTAs finish in the order {}\n", launch_name(launch), finish_order_text(launch));
      }
    }
    if (!f.other.launches.empty()) {
      out_ += "\nthe other order:\n";
      for (const WitnessLaunch& launch : f.other.launches) table(launch);
    }
    if (!f.repair.empty()) out_ += fmt::format("repair: {}\n", f.repair);
  }

  void source_lines(const Finding& f) {
    std::vector<std::string> lines;
    for (const SourceRef& ref : f.lines)
      if (ref.line != 0) lines.push_back(fmt::format("{}:{}", ref.file, ref.line));
    std::erase_if(lines, [&](const std::string& line) { return f.message.find(line) != std::string::npos || in_a_note(f, line); });
    if (!lines.empty()) out_ += fmt::format("at {}\n", fmt::join(lines, " and "));
    inlined_lines(f);
  }

  // From where the functions were called that the finding's lines are in.
  void inlined_lines(const Finding& f) {
    if (f.witness.launches.empty()) return;
    std::set<std::string> shown;
    for (const WitnessEvent& e : f.witness.launches.back().events) {
      if (e.inlined.empty() || std::ranges::find(f.lines, SourceRef{e.file, e.line}) == f.lines.end()) continue;
      const std::string text = fmt::format("{}:{} is {}\n", e.file, e.line, e.inlined);
      if (shown.insert(text).second) out_ += text;
    }
  }

  [[nodiscard]] static bool in_a_note(const Finding& f, const std::string& text) {
    return std::ranges::any_of(f.witness.launches, [&](const WitnessLaunch& launch) {
      return std::ranges::any_of(launch.events, [&](const WitnessEvent& e) { return e.why_missed.find(text) != std::string::npos; });
    });
  }

  [[nodiscard]] static std::string launch_name(const WitnessLaunch& launch) {
    const std::set<std::uint32_t> together(launch.launch_of.begin(), launch.launch_of.end());
    if (together.size() > 1) return fmt::format("replay {}, launches {} together", launch.replay, fmt::join(together, ", "));
    return launch.launch == 1 ? fmt::format("replay {}", launch.replay)
                              : fmt::format("replay {}, launch {}", launch.replay, launch.launch);
  }

  // --- events ---

  void table(const WitnessLaunch& launch) {
    const std::vector<Row> all = rows_of(launch);
    const std::vector<Row> rows = rows_worth_showing(all, options_.verbose);
    if (rows.empty()) return;
    out_ += fmt::format("\n{}, kernel {}{}:\n", launch_name(launch), launch.kernel,
                        launch.ordered ? ", in this order" : "; no order of execution explains it");
    gutter_ = gutter_width(rows);
    const std::map<ThreadId, std::size_t> widths = column_widths(launch, rows);
    if (widths.empty()) {
      blocks(launch, rows);
    } else {
      columns(launch, rows, widths);
    }
    if (rows.size() < all.size())
      out_ += fmt::format("({} of other threads not shown; -v shows them)\n",
                          counted(all.size() - rows.size(), "event"));
    if (launch.finish_order.size() > 1)
      out_ += fmt::format("CTAs finish in the order {}\n", finish_order_text(launch));
  }

  // Of each thread that has a row; none if they don't fit side by side, even with wrapped lines.
  [[nodiscard]] std::map<ThreadId, std::size_t> column_widths(const WitnessLaunch& launch,
                                                              const std::vector<Row>& rows) const {
    std::map<ThreadId, std::size_t> widths;
    for (const Row& row : rows) {
      std::size_t& width =
          widths.try_emplace(row.thread, launch.threads[row.thread].size() + column_gap).first->second;
      width = std::max(width, row.text.size() + column_gap);
    }
    const std::size_t room = options_.width > gutter_ ? options_.width - gutter_ : 0;
    const std::size_t share = room / std::max<std::size_t>(1, widths.size());
    if (share < narrowest_column) return {};
    shrink(widths, room, share);
    return widths;
  }

  // Columns wider than their share give what they have too much, evenly.
  static void shrink(std::map<ThreadId, std::size_t>& widths, std::size_t room, std::size_t share) {
    std::size_t narrow = 0, wide = 0;
    for (const auto& [thread, width] : widths) width <= share ? narrow += width : ++wide;
    for (auto& [thread, width] : widths)
      if (width > share) width = std::min(width, (room - narrow) / wide);
  }

  // "* 12  splitk_serial.cpp:41  "
  static std::size_t gutter_width(const std::vector<Row>& rows) {
    std::size_t line = 0;
    for (const Row& row : rows) line = std::max(line, row.line.size());
    return 7 + line + 2;
  }

  void gutter(const Row& row) {
    const std::string text =
        fmt::format("{} {:>4} {:<{}}", row.involved ? '*' : ' ', row.number == 0 ? "" : std::to_string(row.number), row.line, gutter_ - 7);
    out_ += row.involved ? paint(text, fmt::fg(fmt::terminal_color::red)) : text;
  }

  void columns(const WitnessLaunch& launch, const std::vector<Row>& rows,
               const std::map<ThreadId, std::size_t>& widths) {
    std::string header(gutter_, ' ');
    for (const auto& [thread, width] : widths) header += fmt::format("{:<{}}", launch.threads[thread], width);
    add_line(header);
    for (const Row& row : rows) {
      gutter(row);
      std::size_t before = 0;
      for (const auto& [thread, width] : widths)
        if (thread < row.thread) before += width;
      cell(row.text, before, widths.at(row.thread) - column_gap);
      note(row);
    }
  }

  // The first line stands behind the gutter.
  void cell(const std::string& text, std::size_t indent, std::size_t width) {
    std::size_t gutter = 0;
    for (const std::string& line : wrapped(text, width)) {
      add_line(std::string(gutter + indent, ' ') + line);
      gutter = gutter_;
    }
  }

  // Each run of rows of one thread under its name.
  void blocks(const WitnessLaunch& launch, const std::vector<Row>& rows) {
    ThreadId current = no_thread;
    for (const Row& row : rows) {
      if (row.thread != current) add_line(fmt::format("  {}", launch.threads[row.thread]));
      current = row.thread;
      gutter(row);
      add_line(row.text);
      note(row);
    }
  }

  void note(const Row& row) {
    if (!row.note.empty())
      add_line(fmt::format("{:>6} {}", "", paint("^ " + row.note, fmt::fg(fmt::terminal_color::yellow))));
  }

  // Without blanks at its end.
  void add_line(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out_ += line + "\n";
  }

  // --- summary ---

  void summary() {
    const CheckResult& result = report_.result;
    const SearchStats& s = result.search;
    if (result.engine == "view")
      out_ += fmt::format("\nexplored: {}, {}, {}", counted(s.states, "state"), counted(s.steps, "move"),
                          counted(s.graphs, "end state"));
    else
      out_ += fmt::format("\nexplored: {}, {}, {}, {}", counted(s.graphs, "graph"), counted(s.steps, "step"),
                          counted(s.states, "state"), counted(s.finish_orders, "CTA finish order"));
    if (s.blocked != 0) out_ += fmt::format(", {} that never end", s.blocked);
    out_ += fmt::format("; {:.2f} s\n", result.seconds);
    if (!report_.subject.empty())
      out_ += fmt::format("under: model {}, engine {}, races {}, loop bound {}\n",
                          spelling(report_.options.model), result.engine.empty() ? "none" : result.engine,
                          spelling(report_.options.races), report_.options.loop_bound);
    if (result.verdict != Verdict::inconclusive && !result.reason.empty())
      out_ += fmt::format("note: {}\n", result.reason);
    for (const std::string& assumption : result.assumptions) out_ += fmt::format("assumes: {}\n", assumption);
    if (options_.verbose)
      for (const std::string& state : result.final_states) out_ += fmt::format("final state: {}\n", state);
  }

  const Report& report_;
  const TextOptions& options_;
  std::string out_;
  std::size_t gutter_ = 0;  // characters before the first thread's column
};

}  // namespace

std::string verdict_line(const Report& report, const TextOptions& options) {
  return TextReport(report, options).verdict();
}

std::string to_text(const Report& report, const TextOptions& options) {
  return TextReport(report, options).all();
}

}  // namespace fencewise
