#include "checker/explore/view/endless.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "checker/explore/view/view_explorer.h"
#include "checker/properties/waiting.h"
#include "kernels/core/each_instruction.h"
#include "kernels/core/error.h"
#include "kernels/core/printer.h"

namespace fencewise::view {
namespace {

// Rounds until the run repeats: what is known settles in a few.
constexpr std::size_t most_rounds = 1000;
// With symmetry, until everybody plays his own part again.
constexpr std::size_t most_rounds_by_other_names = 64;

// Where a round ends.
struct Mark {
  Stored state;
  std::size_t events = 0, moves = 0, states = 0;

  // Whether the run may go on from `later` as it did from here.
  [[nodiscard]] bool repeats_at(const Mark& later) const {
    return state.control == later.state.control && knows_as_much(later.state.table, state.table);
  }
};

}  // namespace

// Moves of a run, and what each state on its way allows. Without symmetry.
class ViewExplorer::Rerun {
 public:
  Rerun(ViewExplorer& e, Retrace& trace) : e_(e), m_(e.machine_), state_(e.first_of_retrace(trace)), trace_(trace) {}
  ~Rerun() { m_.retrace_into(nullptr); }
  Rerun(const Rerun&) = delete;
  Rerun& operator=(const Rerun&) = delete;

  [[nodiscard]] bool start() {
    if (m_.settle(state_) != Trouble::none) return false;
    e_.normal_.apply(state_);
    return true;
  }
  // No choice: what is newest.
  [[nodiscard]] bool move(ThreadId thread, std::optional<std::uint32_t> choice) {
    note_who_could_move();
    if (thread >= state_.threads.size()) return false;
    moved.push_back(thread);
    choices.push_back(0);
    if (state_.threads[thread].status == Status::spinning) return !choice;
    Trouble trouble = Trouble::none;
    if (!m_.prepare(state_, thread, trouble) || trouble != Trouble::none) return false;
    const std::uint32_t options = m_.options(state_, thread);
    choices.back() = choice.value_or(options - 1);
    if (choices.back() >= options) return false;
    if (m_.take(state_, {thread, choices.back()}).trouble != Trouble::none) return false;
    e_.normal_.apply(state_);
    return true;
  }
  [[nodiscard]] Mark mark() const { return {e_.normal_.stored(state_), trace_.events.size(), moved.size(), could.size()}; }

  // By member: able in each state from the first one named on.
  [[nodiscard]] std::vector<bool> able(std::size_t from_state) const {
    std::vector<bool> result(e_.schedulers_.members(), true);
    for (std::size_t n = from_state; n < could.size(); ++n)
      for (std::size_t m = 0; m < result.size(); ++m) result[m] = result[m] && could[n][m];
    return result;
  }
  [[nodiscard]] std::vector<bool> moves(std::size_t from_move) const {
    std::vector<bool> result(e_.schedulers_.members(), false);
    for (std::size_t n = from_move; n < moved.size(); ++n)
      e_.schedulers_.each_of(moved[n], [&](Schedulers::Member m) { result[m] = true; });
    return result;
  }
  [[nodiscard]] Schedulers::Standing standing() const {
    Schedulers::Standing s;
    for (const Thread& t : state_.threads) {
      s.finished.push_back(t.status == Status::exited);
      s.stepped.push_back(t.stepped);
    }
    return s;
  }
  [[nodiscard]] bool ended() const { return m_.ended(state_); }
  [[nodiscard]] const State& state() const { return state_; }
  void note_who_could_move() {
    std::vector<bool> here(e_.schedulers_.members(), false);
    for (ThreadId t = 0; t < state_.threads.size(); ++t)
      if (can_move(t)) e_.schedulers_.each_of(t, [&](Schedulers::Member m) { here[m] = true; });
    could.push_back(std::move(here));
  }

  std::vector<ThreadId> moved;
  std::vector<std::uint32_t> choices;   // [move]
  std::vector<std::vector<bool>> could;  // [state before a move][member]

 private:
  [[nodiscard]] bool can_move(ThreadId t) {
    if (state_.threads[t].status == Status::spinning || state_.threads[t].status == Status::visible) return true;
    if (state_.threads[t].status != Status::waiting) return false;
    State scratch = state_;
    Trouble trouble = Trouble::none;
    return m_.prepare(scratch, t, trouble);
  }

  ViewExplorer& e_;
  Machine& m_;
  State state_;
  Retrace& trace_;
};

std::optional<Endless> ViewExplorer::endless(const Path& way_in, const std::vector<ThreadId>& cycle) {
  if (machine_.approximation() != exactly) return std::nullopt;
  if (!symmetry_) return endless(way_in, [&](std::size_t round) { return round < most_rounds ? cycle : std::vector<ThreadId>(); });
  Path named;
  std::vector<std::vector<ThreadId>> rounds;
  if (!by_launch_names(way_in, cycle, named, rounds)) return std::nullopt;
  ViewExplorer plain(context_, exactly, std::nullopt, replays_, schedule_, reductions_, budget_, stats_);
  return plain.endless(named, [&](std::size_t round) { return round < rounds.size() ? rounds[round] : std::vector<ThreadId>(); });
}

// The same moves as the launch numbers the threads.
bool ViewExplorer::by_launch_names(const Path& way_in, const std::vector<ThreadId>& cycle, Path& named,
                                   std::vector<std::vector<ThreadId>>& rounds) {
  Retrace unused;
  State state = first_of_retrace(unused);
  const auto move = [&](Move m, bool newest) {
    if (state.threads[m.thread].status == Status::spinning) {
      named.push_back({machine_.original(state, m.thread), 0});
      return newest;
    }
    Trouble trouble = Trouble::none;
    if (!machine_.prepare(state, m.thread, trouble) || trouble != Trouble::none) return false;
    if (newest) m.option = machine_.options(state, m.thread) - 1;
    named.push_back({machine_.original(state, m.thread), m.option});
    const Machine::Taken taken = machine_.take(state, m);
    if (!taken.idle || !reductions_.idle) normal_.apply(state);  // else it counts as the same state
    return taken.trouble == Trouble::none;
  };
  bool goes = machine_.settle(state) == Trouble::none;
  normal_.apply(state);
  for (const Move& m : way_in) goes = goes && move(m, false);
  const std::size_t in = named.size();
  while (goes && !cycle.empty() && rounds.size() < most_rounds_by_other_names) {
    const std::size_t from = named.size();
    for (const ThreadId t : cycle) goes = goes && move({t, 0}, true);
    rounds.emplace_back();
    for (std::size_t n = from; n < named.size(); ++n) rounds.back().push_back(named[n].thread);
  }
  named.resize(in);
  machine_.retrace_into(nullptr);
  return goes;
}

std::optional<Endless> ViewExplorer::endless(const Path& way_in, const std::function<std::vector<ThreadId>(std::size_t)>& round) {
  Endless found;
  Rerun run(*this, found.trace);
  if (!run.start()) return std::nullopt;
  for (const Move& move : way_in)
    if (!run.move(move.thread, move.option)) return std::nullopt;
  std::vector<Mark> marks{run.mark()};
  std::optional<Mark> repeats;
  const bool stuck = round(0).empty();
  for (std::size_t n = 0; !stuck && !repeats; ++n) {
    const std::vector<ThreadId> threads = round(n);
    if (threads.empty()) return std::nullopt;
    for (const ThreadId t : threads)
      if (!run.move(t, std::nullopt)) return std::nullopt;
    const Mark now = run.mark();
    const auto like = std::find_if(marks.rbegin(), marks.rend(), [&](const Mark& m) { return m.repeats_at(now); });
    if (like != marks.rend()) repeats = *like;
    marks.push_back(now);
  }
  if (stuck) run.note_who_could_move();
  const Mark from = repeats.value_or(marks.back());
  const std::vector<bool> moves = run.moves(from.moves), able = run.able(from.states);
  const std::vector<bool> promised = schedulers_.promised(run.standing());
  if (run.ended() || (stuck && able[Schedulers::grid])) return std::nullopt;
  if (schedulers_.wronged(promised, moves, able)) return std::nullopt;

  found.cycle_from = from.events;
  for (std::size_t n = 0; n < run.moved.size(); ++n) {
    if (n < from.moves)
      found.run.way_in.push_back({run.moved[n], run.choices[n]});
    else
      found.run.cycle.push_back(run.moved[n]);
  }
  const State& state = run.state();
  found.exited.resize(context_.image.ctas);
  found.actions = state.sequence;
  for (ThreadId t = 0; t < state.threads.size(); ++t) {
    const Thread& thread = state.threads[t];
    if (thread.status == Status::exited) {
      ++found.exited[context_.image.cta_of[t]];
      continue;
    }
    Endless::Unfinished u;
    u.thread = t;
    u.status = thread.status;
    u.at = {thread.state.block, thread.state.index};
    if (u.status == Status::at_barrier) u.gathered = machine_.gathered(state, t);
    u.moves = moves[schedulers_.of(u.thread)];
    u.could_move = able[schedulers_.of(u.thread)];
    if (!u.moves && u.could_move)
      schedulers_.each_of(u.thread, [&](Schedulers::Member m) {
        if (m != Schedulers::grid && !moves[m] && moves[schedulers_.group_of(m)]) u.left = m;
      });
    found.unfinished.push_back(u);
  }
  return found;
}

// --- What is said of it ---

namespace {

std::string counted_names(std::vector<std::string> names) {
  constexpr std::size_t most = 3;
  const std::size_t all = names.size();
  if (all > most) names.resize(most - 1);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (all > most) return fmt::format("{} and {} more", text, all - names.size());
  if (all > 1) text.replace(text.rfind(", "), 2, " and ");
  return text;
}

class Telling {
 public:
  Telling(const LaunchContext& context, const Endless& endless, const Schedule& schedule)
      : c_(context), endless_(endless), schedule_(schedule), schedulers_(context.image, schedule.progress) {}

  Finding finding(LaunchNumber number) {
    Finding f;
    const bool goes_round = std::any_of(endless_.unfinished.begin(), endless_.unfinished.end(), [](const auto& u) { return u.moves; });
    f.kind = goes_round ? FindingKind::livelock : FindingKind::stuck;
    f.launch = number.replay;
    f.endless = endless_.run;
    std::vector<std::string> names;
    std::set<std::uint32_t> waiting;
    std::vector<std::string> left;
    for (const auto& u : endless_.unfinished) {
      if (u.status == Status::waiting) {
        if (waiting.insert(c_.image.cta_of[u.thread]).second)
          f.endless->unfinished.push_back(
              schedule_.resident == 0
                  ? fmt::format("CTA {} waits for an earlier launch", c_.image.cta_of[u.thread])
                  : fmt::format("CTA {} waits for a place: at most {} are resident", c_.image.cta_of[u.thread], schedule_.resident));
        continue;
      }
      f.endless->unfinished.push_back(line_of(u));
      if (u.moves || (!goes_round && names.empty())) {
        names.push_back(thread_name(c_, u.thread));
        const SourceRef source = source_of(c_, u.thread, u.at);
        if (source.line != 0 && std::find(f.lines.begin(), f.lines.end(), source) == f.lines.end()) f.lines.push_back(source);
      }
      if (u.left) {
        const std::string who = member_name(*u.left, u.thread);
        if (std::find(left.begin(), left.end(), who) == left.end()) left.push_back(who);
      }
    }
    f.threads = names;
    if (goes_round)
      f.message = fmt::format("{} {} round for ever", counted_names(names), names.size() == 1 ? "goes" : "go");
    else if (!names.empty())
      f.message = wait_for_ever();
    if (!left.empty()) f.message += fmt::format(", and {} {} left standing", counted_names(left), left.size() == 1 ? "is" : "are");
    if (!schedule_.progress.all_fair()) f.message += fmt::format(": allowed by the progress model {}", text_of(schedule_.progress));
    if (!waiting.empty())
      f.message += fmt::format(": CTA {} never start{}, since only {} {} resident at a time and none of them exits",
                               fmt::join(waiting, ", "), waiting.size() == 1 ? "s" : "", schedule_.resident,
                               schedule_.resident == 1 ? "is" : "are");
    if (const auto read = first_repeated_access()) f.location = c_.image.memory.name(*read);
    f.witness.launches.push_back(witness(number));
    return f;
  }

 private:
  [[nodiscard]] static Waiting waiting(const Endless::Unfinished& u) { return {u.thread, u.at, u.gathered}; }
  [[nodiscard]] std::string wait_for_ever() const {
    std::vector<Waiting> all;
    for (const auto& u : endless_.unfinished)
      if (u.status != Status::waiting) all.push_back(waiting(u));
    return waits_for_ever(c_, all, endless_.exited[c_.image.cta_of[all.front().thread]]);
  }
  [[nodiscard]] const Kernel& kernel_of(ThreadId t) const { return *c_.image.threads[t].kernel; }
  [[nodiscard]] std::string instruction(const Endless::Unfinished& u) const {
    return print(kernel_of(u.thread).at(u.at), kernel_of(u.thread));
  }
  [[nodiscard]] std::string member_name(Schedulers::Member m, ThreadId thread) const {
    return m == schedulers_.of(thread) ? thread_name(c_, thread) : schedulers_.name(m);
  }

  [[nodiscard]] std::string line_of(const Endless::Unfinished& u) const {
    const std::string who = thread_name(c_, u.thread);
    if (u.moves) return fmt::format("{} repeats '{}'", who, instruction(u));
    if (u.left)
      return fmt::format("{} could go on with '{}', but {} promises {} nothing", who, instruction(u),
                         name(schedulers_.model_for(*u.left)),
                         *u.left == schedulers_.of(u.thread) ? "it" : member_name(*u.left, u.thread));
    if (is_meeting_point(kernel_of(u.thread).at(u.at)))
      return fmt::format("{} waits for lanes of its warp that are behind: they run in lock-step", who);
    return fmt::format("{} waits at {}", who, what_it_waits_at(c_, waiting(u)));
  }

  [[nodiscard]] std::optional<Location> first_repeated_access() const {
    for (std::size_t n = endless_.cycle_from; n < endless_.trace.events.size(); ++n)
      if (endless_.trace.events[n].location.known()) return endless_.trace.events[n].location;
    return std::nullopt;
  }

  [[nodiscard]] static SourceRef source_of(const LaunchContext& c, ThreadId t, InstructionRef at) {
    const Kernel& kernel = *c.image.threads[t].kernel;
    const SourceLine where = kernel.at(at).where;
    return where.line != 0 && where.file < kernel.files.size() ? SourceRef{kernel.files[where.file], where.line} : SourceRef{};
  }

  [[nodiscard]] bool prints() const {
    bool some = false;
    for (const Kernel& kernel : c_.problem.kernels)
      each_instruction(kernel, [&](InstructionRef, const Instruction& i) { some |= std::holds_alternative<Print>(i.operation); });
    return some;
  }

  // The events as they were executed. Of what is printed: until a thread goes round without effect, or memory turns a loop too often.
  [[nodiscard]] WitnessLaunch witness(LaunchNumber number) const {
    WitnessLaunch launch;
    launch.replay = number.replay;
    launch.launch = number.launch;
    name_threads(launch, c_);
    for (const Retrace::PathEvent& e : endless_.trace.events) {
      const Kernel& kernel = kernel_of(e.thread);
      const Instruction& i = kernel.at(e.where);
      WitnessEvent shown;
      shown.thread = e.thread;
      const bool second_half = e.kind == EventKind::write && std::holds_alternative<Atomic>(i.operation);
      shown.po = e.sequence * 2 + static_cast<std::uint32_t>(second_half);
      shown.kind = e.kind;
      show_instruction(shown, kernel, e.where);
      if (e.location.known()) {
        shown.location = c_.image.memory.name(e.location);
        shown.value = c_.terms.to_string(e.value, c_.image.memory[e.location.storage].element);
      }
      shown.involved = launch.events.size() >= endless_.cycle_from;
      launch.events.push_back(std::move(shown));
    }
    if (prints()) add_printed(launch, follow(c_, endless_.trace), endless_.actions);
    for (const auto& [read, write] : endless_.trace.reads_from)
      if (write != no_origin) launch.events[static_cast<std::size_t>(read)].reads_from = static_cast<std::size_t>(write);
    return launch;
  }

  const LaunchContext& c_;
  const Endless& endless_;
  const Schedule& schedule_;
  Schedulers schedulers_;
};

}  // namespace

Finding finding_of(const LaunchContext& context, const Endless& endless, const Schedule& schedule, LaunchNumber number) {
  return Telling(context, endless, schedule).finding(number);
}

}  // namespace fencewise::view
