#include "kernels/core/simt/run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "kernels/core/error.h"
#include "kernels/core/printer.h"
#include "kernels/core/simt/machine.h"
#include "kernels/core/validate.h"

namespace fencewise {
namespace {

constexpr std::uint64_t max_buffer_bytes = std::uint64_t{1} << 31;

void check_launch(const Kernel& kernel, const RunConfig& config) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("kernel '{}': {}", kernel.name, what));
  };
  if (config.block.count() == 0 || config.block.count() > max_threads_per_cta)
    fail(fmt::format("a block has 1 to {} threads, not {}", max_threads_per_cta, config.block.count()));
  if (config.grid.count() == 0 || config.grid.count() > std::numeric_limits<std::uint32_t>::max())
    fail(fmt::format("a grid of {} blocks cannot run", config.grid.count()));
  const auto buffers = std::count_if(kernel.arrays.begin(), kernel.arrays.end(), [](const ArrayDecl& a) {
    return a.space != StateSpace::shared && a.space != StateSpace::local;
  });
  if (static_cast<std::size_t>(buffers) != config.buffers.size())
    fail(fmt::format("{} buffers are given for {} global arrays", config.buffers.size(), buffers));
  for (const auto& buffer : config.buffers)
    if (buffer.size() >= max_buffer_bytes) fail("a buffer is larger than 2 GiB");
  if (kernel.params.size() != config.params.size())
    fail(fmt::format("{} parameters are given; it has {}", config.params.size(), kernel.params.size()));
}

// Blocks in ascending order, each taken by the next free worker. After a fault only blocks before the faulty one still run:
// one of them may fail as well, and the lowest block's fault is the result.
class BlockQueue {
 public:
  explicit BlockQueue(std::uint64_t blocks) : end_(blocks) {}
  // No value: none left.
  std::optional<std::uint64_t> take() {
    const std::uint64_t block = next_.fetch_add(1);
    return block < end_ ? std::optional(block) : std::nullopt;
  }
  void stop_at(std::uint64_t block) {
    std::uint64_t end = end_;
    while (block < end && !end_.compare_exchange_weak(end, block)) {
    }
  }

 private:
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> end_;
};

void work(simt::Machine& machine, BlockQueue& queue, std::exception_ptr& failure) {
  try {
    while (const auto block = queue.take())
      if (!machine.run_block(*block)) queue.stop_at(*block);
  } catch (...) {
    failure = std::current_exception();
    queue.stop_at(0);
  }
}

// Keeps the first `most_printed` bytes.
void cut(std::vector<PrintedText>& printed) {
  std::size_t bytes = 0;
  const auto first_beyond = std::find_if(printed.begin(), printed.end(), [&](const PrintedText& p) {
    return (bytes += p.text.size()) > most_printed;
  });
  if (first_beyond == printed.end()) return;
  first_beyond->text = "(more was printed)\n";
  printed.erase(first_beyond + 1, printed.end());
}

RunResult collect(const std::vector<std::unique_ptr<simt::Machine>>& machines) {
  RunResult result;
  for (const auto& machine : machines) {
    result.counters += machine->counters();
    result.races.insert(result.races.end(), machine->races().begin(), machine->races().end());
    result.printed.insert(result.printed.end(), machine->printed().begin(), machine->printed().end());
    if (machine->fault() && (!result.fault || machine->fault()->block < result.fault->block))
      result.fault = machine->fault();
  }
  std::stable_sort(result.races.begin(), result.races.end(),
                   [](const RaceReport& a, const RaceReport& b) { return a.block < b.block; });
  std::stable_sort(result.printed.begin(), result.printed.end(),
                   [](const PrintedText& a, const PrintedText& b) { return a.block < b.block; });
  cut(result.printed);
  if (result.races.size() > max_race_reports) result.races.resize(max_race_reports);
  return result;
}

const char* name(RaceReport::Kind kind) {
  switch (kind) {
    case RaceReport::Kind::read_after_write: return "read after write";
    case RaceReport::Kind::write_after_write: return "write after write";
    case RaceReport::Kind::write_after_read: return "write after read";
  }
  return "?";
}

}  // namespace

RunResult run(const Kernel& kernel, const RunConfig& config) {
  validate(kernel);
  check_launch(kernel, config);
  const simt::Program program = simt::decode(kernel, config);
  const std::uint64_t wanted = program.blocks_in_order ? 1 : std::max(1U, config.workers);
  const std::uint64_t workers = std::min(wanted, config.grid.count());
  std::vector<std::unique_ptr<simt::Machine>> machines;
  for (std::uint64_t w = 0; w < workers; ++w)
    machines.push_back(std::make_unique<simt::Machine>(program, config));
  BlockQueue queue(config.grid.count());
  std::vector<std::exception_ptr> failures(workers);
  std::vector<std::thread> threads;
  for (std::uint64_t w = 1; w < workers; ++w)
    threads.emplace_back([&, w] { work(*machines[w], queue, failures[w]); });
  work(*machines[0], queue, failures[0]);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return collect(machines);
}

std::string to_string(const Fault& fault, const Kernel& kernel) {
  const std::string where = print(fault.where, kernel);
  return fmt::format("{}{}thread {} of block {}: {}", where, where.empty() ? "" : ": ", fault.thread,
                     fault.block, fault.message);
}

std::string to_string(const RaceReport& race, const Kernel& kernel) {
  // Without columns: compilers count those of calls differently.
  const auto line = [&](SourceLine where) {
    where.column = 0;
    return print(where, kernel);
  };
  return fmt::format("{}: block {}, thread {} (warp {}), {} word {}: {} after {} (warp {})", name(race.kind),
                     race.block, race.thread, race.warp, kernel[race.array].name, race.word,
                     line(race.where), line(race.other), race.other_warp);
}

}  // namespace fencewise
