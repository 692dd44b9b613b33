#include "checker/explore/witness_builder.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "checker/properties/missing_order.h"
#include "kernels/core/print_format.h"
#include "kernels/core/printer.h"

namespace fencewise {
namespace {

bool precedes(const PartialExecution& x, const Relations& r, EventId a, EventId b) {
  return r.step(a, b) || x.graph.rf[b] == a ||
         (x.graph.events[a].kind == EventKind::init && x.graph.events[b].kind != EventKind::init);
}

const Kernel& kernel_of(const PartialExecution& x, EventId e) {
  return *x.context().image.threads[x.graph.events[e].thread].kernel;
}

const Instruction& instruction_of(const PartialExecution& x, EventId e) {
  return kernel_of(x, e).at(x.info[e].where);
}

Type type_of(const PartialExecution& x, EventId e) {
  if (x.graph.events[e].kind == EventKind::init)
    return x.context().image.memory[x.graph.events[e].location.storage].element;
  const auto& operation = instruction_of(x, e).operation;
  if (const auto* load = std::get_if<Load>(&operation)) return load->access.type;
  if (const auto* store = std::get_if<Store>(&operation)) return store->access.type;
  if (const auto* atomic = std::get_if<Atomic>(&operation)) return atomic->access.type;
  return Type::u32;
}

void describe_read(const PartialExecution& x, const Relations& r, EventId e,
                   const std::vector<std::size_t>& place, WitnessEvent& event) {
  const EventId source = x.graph.rf[e];
  if (source == no_event) return;
  event.reads_from = place[source];
  std::optional<EventId> missed;
  r.co.each(source, [&](EventId newer) {
    if (newer != x.graph.events[e].rmw && place[newer] < place[e] &&
        (!missed || place[newer] > place[*missed]))
      missed = newer;
  });
  if (!missed || x.graph.events[*missed].thread == x.graph.events[e].thread) return;
  event.missed = place[*missed];
  const OrderLack lack = missing_order(x, *missed, e);
  event.missing = lack.missing;
  event.why_missed = in_words(x, lack);
}

}  // namespace

std::string thread_name(const LaunchContext& context, ThreadId thread) {
  if (thread == no_thread) return "initial memory";
  const ThreadProgram& program = context.image.threads[thread];
  const std::uint32_t launch = context.image.launch_of[thread];
  const std::string of = context.overlaps() ? fmt::format("launch {} ", context.stage.launches[launch].value + 1) : "";
  if (!context.launch_of(thread).placed.empty()) return of + program.kernel->name;
  return fmt::format("{}CTA {} thread {}", of, context.image.cta_of[thread] - context.image.first_cta[launch],
                     program.coordinates.index_in_cta);
}

std::string instruction_text(const PartialExecution& x, EventId e) { return print(instruction_of(x, e), kernel_of(x, e)); }

void show_instruction(WitnessEvent& event, const Kernel& kernel, InstructionRef at) {
  const Instruction& instruction = kernel.at(at);
  event.text = print(instruction, kernel);
  if (instruction.where.line == 0 || instruction.where.file >= kernel.files.size()) return;
  event.file = kernel.files[instruction.where.file];
  event.line = instruction.where.line;
  event.inlined = print_callers(instruction.where, kernel);
}

SourceRef source_of(const PartialExecution& x, EventId e) {
  if (x.graph.events[e].thread == no_thread) return {};
  const SourceLine where = instruction_of(x, e).where;
  const auto& files = kernel_of(x, e).files;
  if (where.line == 0 || where.file >= files.size()) return {};
  return {files[where.file], where.line};
}

std::optional<std::vector<EventId>> execution_order(const PartialExecution& x, const Relations& r) {
  const std::size_t n = x.graph.events.size();
  std::vector<std::size_t> waiting(n, 0);
  for (EventId a = 0; a < n; ++a)
    for (EventId b = 0; b < n; ++b) waiting[b] += static_cast<std::size_t>(a != b && precedes(x, r, a, b));
  std::vector<EventId> order;
  std::vector<bool> done(n, false);
  const auto ready = [&](EventId e) { return !done[e] && waiting[e] == 0; };
  ThreadId current = no_thread;
  const auto cta_of = [&](ThreadId t) { return t == no_thread ? no_thread : x.context().image.cta_of[t]; };
  while (order.size() < n) {
    std::optional<EventId> next;
    const auto rank = [&](EventId e) {
      const Event& event = x.graph.events[e];
      const bool initial = event.kind == EventKind::init;
      return std::tuple(!initial, event.thread != current, cta_of(event.thread) != cta_of(current),
                        event.thread, event.po, e);
    };
    for (EventId e = 0; e < n; ++e)
      if (ready(e) && (!next || rank(e) < rank(*next))) next = e;
    if (!next) return std::nullopt;
    done[*next] = true;
    order.push_back(*next);
    current = x.graph.events[*next].thread;
    for (EventId b = 0; b < n; ++b)
      if (b != *next && precedes(x, r, *next, b)) --waiting[b];
  }
  return order;
}

std::vector<std::uint32_t> finish_order(const PartialExecution& x, const std::vector<EventId>& order) {
  std::vector<std::uint32_t> ctas(x.context().image.ctas);
  std::iota(ctas.begin(), ctas.end(), 0U);
  std::vector<std::size_t> last(ctas.size(), 0);
  for (std::size_t n = 0; n < order.size(); ++n)
    if (const ThreadId t = x.graph.events[order[n]].thread; t != no_thread)
      last[x.context().image.cta_of[t]] = n + 1;
  std::stable_sort(ctas.begin(), ctas.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return last[a] < last[b]; });
  return ctas;
}

void name_threads(WitnessLaunch& launch, const LaunchContext& context) {
  for (std::uint32_t n = 0; n < context.stage.launches.size(); ++n) {
    const std::string& name = context.problem.launches[context.stage.launches[n].value].name;
    if (!launch.kernel.empty()) launch.kernel += ", ";
    const auto first = std::find(context.image.launch_of.begin(), context.image.launch_of.end(), n) - context.image.launch_of.begin();
    launch.kernel += name.empty() ? context.image.threads[static_cast<std::size_t>(first)].kernel->name : name;
  }
  for (ThreadId t = 0; t < context.image.threads.size(); ++t) {
    launch.threads.push_back(thread_name(context, t));
    launch.launch_of.push_back(context.stage.launches[context.image.launch_of[t]].value + 1);
  }
  launch.cta_of = context.image.cta_of;
}

namespace {

std::string text_of(const Print& print, const std::vector<Value>& values, const Terms& terms) {
  if (!print.format) return "printf (format not found)";
  return "printf " + quoted_literal(formatted(print, [&](std::size_t n, Type type) -> Shown {
           if (values[n].is_number()) return values[n].bits();
           return values[n].is_unknown() ? "?" : terms.to_string(values[n], type);
         }));
}

// Behind the thread's events that come before `action`; where there is none, before its first.
std::size_t place_of_print(const WitnessLaunch& launch, ThreadId thread, std::uint32_t action) {
  std::size_t place = 0, first = launch.events.size();
  for (std::size_t n = launch.events.size(); n-- > 0;) {
    if (launch.events[n].thread != thread) continue;
    first = n;
    if (place == 0 && launch.events[n].po < 2 * action) place = n + 1;
  }
  return place == 0 ? first : place;
}

}  // namespace

void add_printed(WitnessLaunch& launch, const PartialExecution& x, std::span<const std::uint32_t> actions) {
  for (ThreadId t = 0; t < x.threads.size(); ++t) {
    const Kernel& kernel = *x.context().image.threads[t].kernel;
    for (const auto& [before, what] : x.threads[t].printed) {
      if (!actions.empty() && before > actions[t]) break;
      const Instruction& instruction = kernel.at(what.where);
      WitnessPrint shown{.thread = t,
                         .before = place_of_print(launch, t, before),
                         .text = text_of(std::get<Print>(instruction.operation), what.values, x.context().terms),
                         .file = {},
                         .line = 0};
      if (instruction.where.line != 0 && instruction.where.file < kernel.files.size()) {
        shown.file = kernel.files[instruction.where.file];
        shown.line = instruction.where.line;
      }
      launch.printed.push_back(std::move(shown));
    }
  }
  std::stable_sort(launch.printed.begin(), launch.printed.end(),
                   [](const WitnessPrint& a, const WitnessPrint& b) { return a.before < b.before; });
}

WitnessLaunch witness_of(const PartialExecution& x, const Relations& r, LaunchNumber number,
                         const std::vector<EventId>& involved) {
  const LaunchContext& context = x.context();
  WitnessLaunch launch;
  launch.replay = number.replay;
  launch.launch = number.launch;
  name_threads(launch, context);

  const std::size_t n = x.graph.events.size();
  auto order = execution_order(x, r);
  launch.ordered = order.has_value();
  if (!order) {
    order.emplace(n);
    std::iota(order->begin(), order->end(), EventId{0});
    std::stable_sort(order->begin(), order->end(), [&](EventId a, EventId b) {
      const auto key = [&](EventId e) {
        return std::tuple(x.graph.events[e].kind != EventKind::init, x.graph.events[e].po,
                          x.graph.events[e].thread);
      };
      return key(a) < key(b);
    });
  }
  launch.finish_order = finish_order(x, *order);
  std::vector<std::size_t> place(n);
  for (std::size_t k = 0; k < n; ++k) place[(*order)[k]] = k;

  for (const EventId e : *order) {
    const Event& event = x.graph.events[e];
    WitnessEvent w;
    w.thread = event.thread;
    w.po = event.po;
    w.kind = event.kind;
    if (event.is_memory()) {
      w.location = context.image.memory.name(event.location);
      w.value = context.terms.to_string(x.info[e].value, type_of(x, e));
    }
    if (event.thread != no_thread) {
      show_instruction(w, kernel_of(x, e), x.info[e].where);
    }
    if (event.is_read()) describe_read(x, r, e, place, w);
    w.involved = std::find(involved.begin(), involved.end(), e) != involved.end();
    launch.events.push_back(std::move(w));

    Event copy = event;
    if (copy.rmw != no_event) copy.rmw = static_cast<EventId>(place[copy.rmw]);
    launch.graph.events.push_back(copy);
    launch.graph.rf.push_back(x.graph.rf[e] == no_event ? no_event
                                                        : static_cast<EventId>(place[x.graph.rf[e]]));
  }
  add_printed(launch, x);
  launch.graph.threads = x.graph.threads;
  const auto renumber = [&](const std::vector<Edge>& edges) {
    std::vector<Edge> out;
    for (const Edge& edge : edges)
      out.push_back({static_cast<EventId>(place[edge.from]), static_cast<EventId>(place[edge.to])});
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  };
  launch.graph.co = renumber(x.graph.co);
  launch.graph.fence_sc = renumber(x.graph.fence_sc);
  launch.graph.sync = renumber(x.graph.sync);
  launch.graph.dep = renumber(x.graph.dep);
  return launch;
}

}  // namespace fencewise
