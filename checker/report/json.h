// A report as JSON, and back. docs/json.md documents every key.
//
// The same report gives the same bytes, except for `seconds`. What `to_json` writes, `report_from_json` reads: it refuses
// whatever is not exactly a report, so that a corrupted counterexample is told at the door and not by an engine.
#pragma once

#include <string>
#include <string_view>

#include "checker/report/report.h"

namespace fencewise {

inline constexpr std::string_view report_schema = "fencewise-report-1";

// Ends with a line end.
[[nodiscard]] std::string to_json(const Report& report);

// `name` is the file's, for messages. Throws InputError: "cex.json: findings[0].kind: unknown kind 'rice'".
// The engine's reason is kept; the command lines are not part of a report.
[[nodiscard]] Report report_from_json(std::string_view text, const std::string& name);

}  // namespace fencewise
