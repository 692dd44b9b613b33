// The rows of a table that `check` makes: variants, or shapes, several at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "checker/cli/in_order.h"
#include "checker/cli/interrupt.h"
#include "checker/cli/options.h"
#include "checker/cli/progress_line.h"

namespace fencewise {

// `check(n)` for each row, and `take(n, row)` in their order. No row: it was interrupted before, or `check` gave none.
// `what` the status line counts.
template <class Row>
void each_row(std::size_t count, const char* what, const Options& options, const std::function<std::optional<Row>(std::size_t)>& check,
              const std::function<void(std::size_t, std::optional<Row>)>& take) {
  JobsDone progress(!options.quiet, what, count);
  std::size_t done = 0;
  in_order<std::optional<Row>>(
      count, workers_of(options),
      [&](std::size_t n) { return stop_on_interrupt().load(std::memory_order_relaxed) ? std::nullopt : check(n); },
      [&](std::size_t n, std::optional<Row> row) {
        ++done;
        progress.wipe();
        take(n, std::move(row));
      },
      [&] { progress.show(done); });
}

}  // namespace fencewise
