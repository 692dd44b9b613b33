#include "checker/cli/cuda_source.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "checker/cli/files.h"
#include "checker/cli/nvcc.h"
#include "kernels/core/error.h"
#include "kernels/core/validate.h"
#include "kernels/frontend/launchfile/build_problem.h"

namespace fencewise {
namespace {

std::string launch_path(const CudaSource& source) {
  if (!source.launch.empty()) return source.launch;
  std::string beside = std::filesystem::path(source.file).replace_extension(".toml").string();
  std::error_code ignored;
  if (std::filesystem::exists(beside, ignored)) return beside;
  throw InputError(fmt::format(
      "{} needs --launch FILE.toml, which says how its kernels run; `fencewise init {}` writes one",
      source.file, source.file));
}

}  // namespace

bool is_cuda_file(const std::string& file) {
  const std::string suffix = std::filesystem::path(file).extension().string();
  return suffix == ".ptx" || suffix == ".cu";
}

launchfile::Constants constants_of(const std::vector<std::string>& params) {
  launchfile::Constants constants;
  for (const std::string& param : params) {
    const std::size_t equals = std::min(param.find('='), param.size());
    std::int64_t value = 0;
    const char* const end = param.data() + param.size();
    const auto [rest, error] = std::from_chars(param.data() + std::min(equals + 1, param.size()), end, value);
    if (equals == 0 || error != std::errc() || rest != end)
      throw InputError(fmt::format("--param must be of the form name=number; got '{}'", param.substr(0, 60)));
    if (!constants.emplace(param.substr(0, equals), value).second)
      throw InputError(fmt::format("parameter '{}' is given twice", param.substr(0, equals)));
  }
  return constants;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::string ptx_text_of(const std::string& file, const std::vector<std::string>& nvcc_args) {
  if (std::filesystem::path(file).extension() == ".cu") return compile_to_ptx(file, nvcc_args);
  if (!nvcc_args.empty())
    throw InputError(fmt::format("{} is no CUDA file: it takes no --nvcc-args", without_absolute_path(file)));
  return read_file(file);
}

ptx::Program read_program(const std::string& file, const std::vector<std::string>& nvcc_args) {
  std::filesystem::path name = without_absolute_path(file);
  if (name.extension() == ".cu") name.replace_extension(".ptx");
  return ptx::parse_program(ptx_text_of(file, nvcc_args), name.string());
}

Problem problem_of(const CudaSource& source) {
  const std::string path = launch_path(source);
  const Diagnostics diagnostics(without_absolute_path(path));
  launchfile::LaunchFile launch =
      launchfile::parse_launch_file(read_file(path), source.constants, diagnostics);
  if (source.replays) {
    if (*source.replays < 1 || *source.replays > max_replays)
      throw InputError(fmt::format("--replays must be from 1 to {}; got {}", max_replays, *source.replays));
    launch.replays = static_cast<std::uint32_t>(*source.replays);
  }
  const ptx::Program program = read_program(source.file, source.nvcc_args);
  return launchfile::build_problem(launch, program, source.ptx_lines ? ptx::Lines::ptx : ptx::Lines::cuda,
                                   diagnostics);
}

std::map<std::string, std::string> texts_of(const CudaSource& source) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : source.constants) texts[name] = fmt::format("{}", value);
  if (!source.launch.empty()) texts["--launch"] = without_absolute_path(source.launch);
  if (!source.nvcc_args.empty()) texts["--nvcc-args"] = fmt::format("{}", fmt::join(source.nvcc_args, " "));
  if (source.replays) texts["--replays"] = fmt::format("{}", *source.replays);
  if (source.ptx_lines) texts["--ptx-lines"] = "";
  return texts;
}

CudaSource cuda_source_of(const std::string& file, const std::map<std::string, std::string>& texts) {
  const auto number = [&](const std::string& text) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size())
      throw InputError(fmt::format("'{}' of the report is no number", text));
    return value;
  };
  // A report may come from elsewhere: it must not make nvcc run what it likes.
  const auto harmless = [](const std::string& arg) {
    for (const std::string_view prefix :
         {"-D", "-U", "-I", "-O", "-arch=", "--gpu-architecture=", "-std=", "--std=", "-use_fast_math"})
      if (arg.starts_with(prefix)) return true;
    return false;
  };
  CudaSource source;
  source.file = file;
  for (const auto& [name, text] : texts) {
    if (name == "--launch")
      source.launch = text;
    else if (name == "--nvcc-args")
      source.nvcc_args = words(text);
    else if (name == "--replays")
      source.replays = number(text);
    else if (name == "--ptx-lines")
      source.ptx_lines = true;
    else
      source.constants[name] = number(text);
  }
  for (const std::string& arg : source.nvcc_args)
    if (!harmless(arg))
      throw InputError(
          fmt::format("the report asks for nvcc {}; compile the .ptx file yourself, and check that", arg));
  return source;
}

std::string arguments_of(const CudaSource& source) {
  std::string line;
  for (const auto& [name, text] : texts_of(source)) {
    if (!name.starts_with("--")) {
      line += fmt::format(" --param {}={}", name, text);
    } else {
      const std::string quote = text.find(' ') == std::string::npos ? "" : "'";
      line += fmt::format(" {}", name) + (text.empty() ? "" : " " + quote + text + quote);
    }
  }
  return line;
}

}  // namespace fencewise
