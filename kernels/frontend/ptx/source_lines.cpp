#include "kernels/frontend/ptx/source_lines.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <cxxabi.h>
#include <tao/pegtl.hpp>

#include "kernels/frontend/ptx/number.h"

namespace fencewise::ptx {
namespace {

// --- .section .debug_str: labels, each with a name spelled as byte values ---

namespace strings {
using namespace tao::pegtl;  // NOLINT: the grammar reads as one

struct State {
  std::map<std::string, std::string> names;
  std::string* name = nullptr;
};

struct label : seq<one<'$', '_', '%'>, star<sor<alnum, one<'_', '$'>>>> {};
struct byte : plus<digit> {};
struct bytes : seq<string<'.', 'b', '8'>, star<sor<blank, one<','>, byte>>> {};
struct other : any {};
struct section : until<eof, sor<space, one<':'>, label, bytes, other>> {};

template <typename Rule> struct action : nothing<Rule> {};
template <> struct action<label> {
  template <typename Input> static void apply(const Input& in, State& state) {
    state.name = &state.names[in.string()];
  }
};
template <> struct action<byte> {
  template <typename Input> static void apply(const Input& in, State& state) {
    if (const std::uint64_t c = integer_bits(in.string()); c != 0 && state.name != nullptr)
      *state.name += static_cast<char>(c);
  }
};
}  // namespace strings

std::map<std::string, std::string> debug_strings(const Module& module) {
  strings::State state;
  for (const Section& section : module.sections) {
    if (section.name != ".debug_str") continue;
    tao::pegtl::memory_input<> in(section.text.data(), section.text.data() + section.text.size(),
                                  section.name);
    tao::pegtl::parse<strings::section, strings::action>(in, state);
  }
  return state.names;
}

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().generic_string();
}

// The first place that the function has is in the file that the user compiled.
std::uint32_t first_file(const Function& function) {
  for (const Statement& statement : function.body)
    if (const auto* loc = std::get_if<Loc>(&statement); loc != nullptr && loc->at.line != 0)
      return loc->at.file;
  return 0;
}

std::string shown(const std::string& path, const std::string& home) {
  if (!home.empty() && path.starts_with(home + "/")) return path.substr(home.size() + 1);
  return std::filesystem::path(path).filename().generic_string();
}

}  // namespace

SourceLines::SourceLines(const Module& module, const Function& function)
    : paths_(module.files), names_(debug_strings(module)) {
  if (const auto it = paths_.find(first_file(function)); it != paths_.end()) home_ = folder_of(it->second);
  for (const auto& [number, path] : paths_) {
    index_[number] = static_cast<std::uint32_t>(files_.size());
    files_.push_back(shown(path, home_));
  }
}

bool SourceLines::is_users(std::uint32_t file) const {
  const auto it = paths_.find(file);
  if (it == paths_.end()) return false;
  const std::string folder = folder_of(it->second);
  return folder == home_ || (!home_.empty() && folder.starts_with(home_ + "/"));
}

SourceLine SourceLines::line_of(const SourcePosition& at) const {
  const auto it = index_.find(at.file);
  return it == index_.end() ? SourceLine{} : SourceLine{it->second, at.line, 0};
}

SourceChain SourceLines::chain_of(SourcePosition at) const {
  SourceChain chain;
  for (std::size_t depth = 0; depth < inlined_.size(); ++depth) {
    const auto it = inlined_.find(at);
    if (is_users(at.file) || it == inlined_.end()) break;
    chain.path.push_back(it->second.function);
    at = it->second.call;
  }
  std::reverse(chain.path.begin(), chain.path.end());
  chain.user = line_of(at);
  for (auto it = inlined_.find(at); it != inlined_.end() && chain.callers.size() < inlined_.size(); it = inlined_.find(at)) {
    at = it->second.call;
    chain.callers.push_back({it->second.function, line_of(at)});
  }
  return chain;
}

// A run may leave out places that an earlier one gave; of two calls that inlined to one place the last counts.
// Line 0 says nothing: the place before it stays.
void SourceLines::read(const Loc& loc) {
  if (loc.at.line == 0) return;
  if (loc.inlined_at) {
    const auto name = names_.find(loc.function.substr(0, loc.function.find_first_of("+ \t")));
    inlined_[loc.at] = {*loc.inlined_at, name == names_.end() ? "" : short_name(name->second)};
  }
  current_ = chain_of(loc.at);
}

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;  // "s" would be a type: short
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

namespace {

// Behind the bracket that closes the one at `open`.
std::size_t behind_bracket(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(' || text[at] == '<') ++depth;
    if ((text[at] == ')' || text[at] == '>') && --depth == 0) return at + 1;
  }
  return text.size();
}

// How many characters "<...>" has, which ends the text.
std::size_t arguments_at_end(const std::string& text) {
  int depth = 0;
  for (std::size_t n = 1; n <= text.size(); ++n) {
    const char c = text[text.size() - n];
    if (c == '>' || c == ')') ++depth;
    if ((c == '<' || c == '(') && --depth == 0) return n;
  }
  return 0;
}

}  // namespace

std::string qualified_name(const std::string& name) {
  const std::string text = demangled(name);
  if (text == name) return name;
  std::size_t start = 0, at = 0;
  while (at < text.size()) {
    if (text[at] == '(') {
      const std::size_t behind = behind_bracket(text, at);
      if (text.compare(behind, 2, "::") != 0) return text.substr(start, at - start);
      at = behind;
    } else if (text[at] == '<') {
      at = behind_bracket(text, at);
    } else if (text[at] == ' ') {
      start = ++at;
    } else {
      ++at;
    }
  }
  return text.substr(start);
}

std::string without_template_arguments(const std::string& qualified) {
  return qualified.ends_with('>') ? qualified.substr(0, qualified.size() - arguments_at_end(qualified))
                                  : qualified;
}

// "void f<int>(int*)" is f<int>, "f(int)::s" is s.
std::string short_name(const std::string& name) {
  const std::string text = qualified_name(name);
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '(' || text[at] == '<') {
      at = behind_bracket(text, at);
    } else if (text[at++] == ':') {
      start = at;
    }
  }
  return text.substr(start);
}

}  // namespace fencewise::ptx
