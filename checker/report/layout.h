// The events of a witness as rows of a table: what each row says, and who reads from whom, by row number.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"

namespace fencewise {

// One event, or the two halves of an atomic, or the two of a barrier; or what is printed.
struct Row {
  std::size_t number = 0;  // from 1, as shown; of what is printed 0, and not shown
  ThreadId thread = no_thread;
  std::string line;  // "splitk_serial.cpp:41", without its folder; may be empty
  // "ld.weak ws[1] = in[1] from #2", "st.weak ws[1] := in[1]", "atom.relaxed.gpu.add sem = 0 from start, := 1"
  std::string text;
  std::string note;  // of a stale read: what it missed and why; may be empty
  bool involved = false;
  std::vector<std::size_t> sources;  // rows that it reads from or missed
};

// "2, 0, 1"; of launches that overlap "launch 2 CTA 0, launch 1 CTA 0".
[[nodiscard]] std::string finish_order_text(const WitnessLaunch& launch);

[[nodiscard]] std::vector<Row> rows_of(const WitnessLaunch& launch);

// Without `everything`: the rows of the threads involved, and what they read from or missed.
[[nodiscard]] std::vector<Row> rows_worth_showing(const std::vector<Row>& rows, bool everything);

// The text in lines of at most `width` characters where words allow it; what follows the first is indented.
[[nodiscard]] std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace fencewise
