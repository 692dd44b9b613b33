// Where results go: stdout, or files named on the command line ("-" is stdout).
#pragma once

#include <string>

#include "checker/cli/options.h"
#include "checker/report/report.h"
#include "checker/report/text.h"

namespace fencewise {

// Throws InputError where `path` can't be written. Called before a search, so that a long one is not in vain.
void require_writable(const std::string& path);
void write_output(const std::string& path, const std::string& text);
void print_out(const std::string& text);  // to stdout
void finish_output();                     // throws InputError if stdout took not everything

// True if --json -, --csv - or --dot - takes stdout, so that no text may go there.
[[nodiscard]] bool stdout_is_taken(const Options& options);

// Colour on terminals only, and not where NO_COLOR is set; the terminal's width.
[[nodiscard]] TextOptions text_options(const Options& options);

// Text, JSON and DOT as the options ask.
void show_report(const Report& report, const Options& options, const TextOptions& text);

}  // namespace fencewise
