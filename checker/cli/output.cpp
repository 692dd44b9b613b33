#include "checker/cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "checker/report/dot.h"
#include "checker/report/json.h"
#include "kernels/core/error.h"

namespace fencewise {
namespace {

constexpr unsigned narrowest = 60, widest = 240;

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(fmt::format("can't write {}: {}", path, std::strerror(errno)));
}

unsigned terminal_width(unsigned otherwise) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
  return std::clamp<unsigned>(size.ws_col, narrowest, widest);
}

bool colour_is_welcome() {
  const char* const no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): before any thread
  return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

void require_writable(const std::string& path) {
  if (path.empty() || path == "-") return;
  if (path.starts_with('-')) throw InputError(fmt::format("expected a file to write, found '{}'; ./{} is one", path, path));
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path, ignored);
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) refuse(path);
  close(file);
  if (!existed) std::filesystem::remove(path, ignored);
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") return print_out(text);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) refuse(path);
}

void print_out(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) refuse("the result to stdout");
}

bool stdout_is_taken(const Options& options) { return options.json == "-" || options.csv == "-" || options.dot == "-"; }

TextOptions text_options(const Options& options) {
  TextOptions text;
  text.colour = colour_is_welcome();
  text.verbose = options.verbose;
  text.width = terminal_width(text.width);
  return text;
}

void show_report(const Report& report, const Options& options, const TextOptions& text) {
  if (!options.json.empty()) write_output(options.json, to_json(report));
  if (!options.dot.empty()) write_output(options.dot, to_dot(report));
  if (stdout_is_taken(options)) return;
  print_out(options.quiet ? verdict_line(report, text) + "\n" : to_text(report, text));
}

}  // namespace fencewise
