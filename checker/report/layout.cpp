#include "checker/report/layout.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/core/type.h"

namespace fencewise {
namespace {

// Up to here all rows are shown.
constexpr std::size_t few_rows = 40;

bool is_type_or_space(std::string_view part) {
  return parse_type(part).has_value() || part == "shared" || part == "global" || part == "local";
}

// "atom.relaxed.gpu.add" of "@%p atom.relaxed.gpu.add.u32 %old, sem[0], 1": what tells operations apart.
std::string mnemonic(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  text = text.substr(0, text.find(' '));
  std::string kept;
  for (;;) {
    const std::string_view part = text.substr(0, text.find('.'));
    if (!is_type_or_space(part)) kept += fmt::format("{}{}", kept.empty() ? "" : ".", part);
    if (part.size() == text.size()) return kept;
    text.remove_prefix(part.size() + 1);
  }
}

// A shared array's CTA is the reader's own: "flag[0]" of "flag[0] of CTA 2".
std::string_view without_cta(std::string_view location) {
  return location.substr(0, location.find(" of CTA "));
}

// Columns are dear: the folder is in the finding's message.
std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_memory(EventKind kind) {
  return kind == EventKind::init || kind == EventKind::read || kind == EventKind::write;
}

// The event that the next one completes: an atomic's read by its write, a barrier's arrival by its wait.
bool completes(const WitnessEvent& first, const WitnessEvent& second, const WitnessLaunch& launch,
               std::size_t at) {
  if (first.thread != second.thread || first.thread == no_thread) return false;
  if (first.kind == EventKind::arrive && second.kind == EventKind::wait) return first.text == second.text;
  if (first.kind != EventKind::read || second.kind != EventKind::write) return false;
  // A run that never ends has no graph; the halves of an atomic are one action.
  if (launch.graph.events.empty()) return first.po % 2 == 0 && second.po == first.po + 1;
  return at + 1 < launch.graph.events.size() && launch.graph.events[at].rmw == at + 1;
}

class RowBuilder {
 public:
  explicit RowBuilder(const WitnessLaunch& launch) : launch_(launch), row_of_(launch.events.size()) {}

  std::vector<Row> build() {
    number_rows();
    std::vector<Row> rows;
    auto print = launch_.printed.begin();
    for (std::size_t n = 0; n <= launch_.events.size(); ++n) {
      for (; print != launch_.printed.end() && print->before == n; ++print) rows.push_back(row(*print));
      if (n < launch_.events.size() && starts_row(n)) rows.push_back(row(n));
    }
    return rows;
  }

 private:
  void number_rows() {
    std::size_t number = 0;
    for (std::size_t n = 0; n < launch_.events.size(); ++n) {
      if (launch_.events[n].thread == no_thread) continue;
      row_of_[n] = starts_row(n) ? ++number : number;
    }
  }

  [[nodiscard]] bool starts_row(std::size_t n) const {
    if (launch_.events[n].thread == no_thread) return false;
    return n == 0 || !completes(launch_.events[n - 1], launch_.events[n], launch_, n - 1);
  }

  [[nodiscard]] Row row(std::size_t n) const {
    const WitnessEvent& event = launch_.events[n];
    const bool pair =
        n + 1 < launch_.events.size() && !starts_row(n + 1) && launch_.events[n + 1].thread != no_thread;
    Row row;
    row.number = row_of_[n];
    row.thread = event.thread;
    row.line = line_of(event);
    row.text =
        pair && event.kind == EventKind::read ? atomic_text(event, launch_.events[n + 1]) : text(event, pair);
    row.note = note(event);
    row.involved = event.involved || (pair && launch_.events[n + 1].involved);
    for (const auto& source : {event.reads_from, event.missed})
      if (source && row_of_[*source] != 0) row.sources.push_back(row_of_[*source]);
    return row;
  }

  [[nodiscard]] static Row row(const WitnessPrint& print) {
    Row row;
    row.thread = print.thread;
    row.line = line_of(print);
    row.text = print.text;
    return row;
  }

  template <class Shown> static std::string line_of(const Shown& shown) {
    return shown.line == 0 ? "" : fmt::format("{}:{}", base_name(shown.file), shown.line);
  }

  [[nodiscard]] std::string text(const WitnessEvent& event, bool pair) const {
    if (!is_memory(event.kind)) return pair ? event.text : fmt::format("{}{}", event.text, half(event));
    const std::string access = fmt::format("{} {}", mnemonic(event.text), without_cta(event.location));
    if (event.value.empty()) return access;  // of a launch too large for its graph
    if (event.kind == EventKind::write) return fmt::format("{} := {}", access, event.value);
    return fmt::format("{} = {}{}", access, event.value, origin(event));
  }

  // A bar.sync whose arrival and wait are apart.
  static std::string_view half(const WitnessEvent& event) {
    if (event.kind == EventKind::wait) return " passes";
    return event.kind == EventKind::arrive && event.text.find("arrive") == std::string::npos ? " arrives"
                                                                                             : "";
  }

  [[nodiscard]] std::string atomic_text(const WitnessEvent& read, const WitnessEvent& write) const {
    return fmt::format("{} {} = {}{}, := {}", mnemonic(read.text), without_cta(read.location), read.value,
                       origin(read), write.value);
  }

  [[nodiscard]] std::string origin(const WitnessEvent& event) const {
    if (!event.reads_from) return {};
    return fmt::format(" from {}", name_of(*event.reads_from));
  }

  // "#3", or where memory as the launch found it is meant.
  [[nodiscard]] std::string name_of(std::size_t event) const {
    return row_of_[event] == 0 ? "start" : fmt::format("#{}", row_of_[event]);
  }

  [[nodiscard]] std::string note(const WitnessEvent& event) const {
    if (!event.missed) return event.why_missed;
    const WitnessEvent& newer = launch_.events[*event.missed];
    const std::string missed =
        fmt::format("misses {} ({} := {})", name_of(*event.missed), newer.location, newer.value);
    return event.why_missed.empty() ? missed : fmt::format("{}: {}", missed, event.why_missed);
  }

  const WitnessLaunch& launch_;
  std::vector<std::size_t> row_of_;  // [event], 0: memory as the launch found it
};

}  // namespace

std::string finish_order_text(const WitnessLaunch& launch) {
  const bool together = std::adjacent_find(launch.launch_of.begin(), launch.launch_of.end(), std::not_equal_to<>()) !=
                        launch.launch_of.end();
  if (!together) return fmt::format("{}", fmt::join(launch.finish_order, ", "));
  // CTAs are counted through all launches.
  std::map<std::uint32_t, std::uint32_t> launch_of_cta, first_cta;
  for (ThreadId t = 0; t < launch.threads.size(); ++t) {
    launch_of_cta[launch.cta_of[t]] = launch.launch_of[t];
    const auto first = first_cta.try_emplace(launch.launch_of[t], launch.cta_of[t]).first;
    first->second = std::min(first->second, launch.cta_of[t]);
  }
  std::string text;
  for (const std::uint32_t cta : launch.finish_order) {
    const std::uint32_t number = launch_of_cta.at(cta);
    text += fmt::format("{}launch {} CTA {}", text.empty() ? "" : ", ", number, cta - first_cta.at(number));
  }
  return text;
}

std::vector<Row> rows_of(const WitnessLaunch& launch) { return RowBuilder(launch).build(); }

std::vector<Row> rows_worth_showing(const std::vector<Row>& rows, bool everything) {
  std::set<ThreadId> threads;
  for (const Row& row : rows)
    if (row.involved) threads.insert(row.thread);
  if (everything || threads.empty() || rows.size() <= few_rows) return rows;
  std::set<std::size_t> wanted;
  for (const Row& row : rows) {
    if (!threads.contains(row.thread)) continue;
    wanted.insert(row.sources.begin(), row.sources.end());
  }
  std::vector<Row> kept;
  for (const Row& row : rows)
    if (threads.contains(row.thread) || wanted.contains(row.number)) kept.push_back(row);
  return kept;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const bool starts = lines.back().find_first_not_of(' ') == std::string::npos;
    if (!starts && lines.back().size() + 1 + word.size() > width) {
      lines.push_back("  " + word);
    } else {
      lines.back() += (starts ? "" : " ") + word;
    }
    at = end + 1;
  }
  return lines;
}

}  // namespace fencewise
