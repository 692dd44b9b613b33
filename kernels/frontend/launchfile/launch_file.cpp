#include "kernels/frontend/launchfile/launch_file.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include <fmt/format.h>

// toml++ asserts, in places, what a malformed file can break (3.3: "[ ="), and then reports it all the same. Neither
// abort there (with assertions) nor let the compiler assume it (without).
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "kernels/core/validate.h"

namespace fencewise::launchfile {
namespace {

constexpr std::size_t most_streams = 1024;

Position position_of(const toml::source_region& region) {
  return {static_cast<std::uint32_t>(region.begin.line), static_cast<std::uint32_t>(region.begin.column)};
}

// Reads one table, by its keys; a key that nobody asks for is an error.
class Reader {
 public:
  Reader(const Constants& overrides, const Diagnostics& diagnostics)
      : overrides_(overrides), diagnostics_(diagnostics) {}

  LaunchFile read(const toml::table& root) {
    allow(root, {"replays", "domain", "constants", "buffers", "launch", "check"});
    if (const auto* node = root.get("constants")) read_constants(table_of(*node));
    for (const auto& [name, value] : overrides_)
      if (!declared_.contains(name))
        diagnostics_.error(
            {1, 1}, fmt::format("found no constant {} in [constants]; expected one of that name to override",
                                fencewise::quoted(name)));
    if (const auto* node = root.get("replays")) file_.replays = replays_of(*node);
    if (const auto* node = root.get("domain")) file_.domain = domain_of(*node);
    if (const auto* node = root.get("buffers"))
      for (const auto& [key, value] : table_of(*node)) file_.buffers.push_back(buffer(key, value));
    if (const auto* node = root.get("launch"))
      for (const auto& launch : array_of(*node, "[[launch]] tables"))
        file_.launches.push_back(this->launch(table_of(launch)));
    if (const auto* node = root.get("check")) read_checks(table_of(*node));
    if (file_.launches.empty())
      diagnostics_.error({1, 1},
                         "found no launch; expected [[launch]] with its kernel, grid, block and args");
    return std::move(file_);
  }

 private:
  // --- what a node must be ---

  [[noreturn]] void wrong(const toml::node& node, std::string_view expected) const {
    diagnostics_.error(position_of(node.source()),
                       fmt::format("found {}; expected {}", kind_of(node), expected));
  }

  static std::string kind_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return fencewise::quoted(text->get());
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (node.is_table()) return "a table";
    if (node.is_array()) return "a list";
    return "another kind of value";
  }

  const toml::table& table_of(const toml::node& node) const {
    if (const auto* table = node.as_table()) return *table;
    wrong(node, "a table");
  }
  const toml::array& array_of(const toml::node& node, const char* expected) const {
    if (const auto* array = node.as_array()) return *array;
    wrong(node, expected);
  }
  Token text_of(const toml::node& node, const char* expected) const {
    if (const auto* text = node.as_string()) return {text->get(), position_of(node.source())};
    wrong(node, expected);
  }

  void allow(const toml::table& table, std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : table)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        diagnostics_.error(
            position_of(key.source()),
            fmt::format("found {}; expected {}", fencewise::quoted(key.str()), fmt::join(keys, ", ")));
  }

  // A word of a table.
  template <class T>
  T choice(const toml::node& node, std::initializer_list<std::pair<std::string_view, T>> table) const {
    std::string words;
    for (const auto& [word, meaning] : table) words += fmt::format("{}{}", words.empty() ? "" : ", ", word);
    const Token text = text_of(node, words.c_str());
    for (const auto& [word, meaning] : table)
      if (text.text == word) return meaning;
    wrong(node, words);
  }

  // --- numbers and expressions ---

  // Where the first character of a quoted text stands.
  static Position inside(Position quote) { return {quote.line, quote.column + 1}; }

  Node expression(const Token& text) const {
    return parse_expression(text.text, inside(text.at), diagnostics_);
  }

  Numeric numeric(const toml::node& node) const {
    const Position at = position_of(node.source());
    if (const auto* integer = node.as_integer()) return {integer->get(), at};
    if (const auto* real = node.as_floating_point()) return {real->get(), at};
    if (node.is_string()) return {expression(text_of(node, "")), at};
    wrong(node, "a number, or an expression in quotes");
  }

  std::int64_t integer(const toml::node& node) const {
    const Numeric number = numeric(node);
    if (const auto* value = std::get_if<std::int64_t>(&number.value)) return *value;
    if (const auto* formula = std::get_if<Node>(&number.value))
      return evaluate(*formula, file_.constants, diagnostics_);
    wrong(node, "a whole number");
  }

  // --- the tables ---

  // In the order of the file, so that a constant may use those above it.
  void read_constants(const toml::table& table) {
    std::vector<std::pair<const toml::key*, const toml::node*>> entries;
    for (const auto& [key, value] : table) entries.emplace_back(&key, &value);
    const auto before = [](const auto& a, const auto& b) {
      return std::pair(a.first->source().begin.line, a.first->source().begin.column) <
             std::pair(b.first->source().begin.line, b.first->source().begin.column);
    };
    std::sort(entries.begin(), entries.end(), before);
    for (const auto& [key, value] : entries) {
      const std::string name(key->str());
      declared_.insert(name);
      const auto given = overrides_.find(name);
      file_.constants[name] = given != overrides_.end() ? given->second : integer(*value);
    }
  }

  std::uint32_t replays_of(const toml::node& node) const {
    const std::int64_t replays = integer(node);
    if (replays < 1 || replays > max_replays) wrong(node, fmt::format("1 to {} replays", max_replays));
    return static_cast<std::uint32_t>(replays);
  }

  ValueDomain domain_of(const toml::node& node) const {
    return choice<ValueDomain>(
        node, {{"multisets", ValueDomain::multisets}, {"expressions", ValueDomain::expressions}});
  }

  BufferEntry buffer(const toml::key& key, const toml::node& node) const {
    const toml::table& table = table_of(node);
    allow(table, {"type", "length", "role", "initial", "own"});
    BufferEntry entry;
    entry.name = {std::string(key.str()), position_of(key.source())};
    if (const auto* type = table.get("type")) entry.type = type_of(*type);
    if (const auto* length = table.get("length")) entry.length = numeric(*length);
    if (const auto* role = table.get("role"))
      entry.role = choice<Role>(
          *role, {{"input", Role::input}, {"output", Role::output}, {"workspace", Role::workspace}});
    if (const auto* initial = table.get("initial")) read_initial(*initial, entry);
    if (const auto* own = table.get("own")) {
      if (!own->is_boolean()) wrong(*own, "true or false");
      entry.own = own->as_boolean()->get();
    }
    return entry;
  }

  Type type_of(const toml::node& node) const {
    const char* expected = "u8, u16, u32, u64, s8, s16, s32, s64, f32 or f64";
    const auto type = parse_type(text_of(node, expected).text);
    if (!type || *type == Type::pred) wrong(node, expected);
    return *type;
  }

  void read_initial(const toml::node& node, BufferEntry& entry) const {
    using Kind = InitialContents::Kind;
    if (const auto* list = node.as_array()) {
      entry.initial = Kind::values;
      for (const auto& value : *list) entry.values.push_back(numeric(value));
      if (entry.values.empty()) wrong(node, "at least one value");
    } else {
      entry.initial = choice<Kind>(node, {{"zero", Kind::zero},
                                          {"iota", Kind::iota},
                                          {"symbols", Kind::symbols},
                                          {"any", Kind::any},
                                          {"unwritten", Kind::unwritten}});
    }
  }

  // A number, or up to three.
  std::array<std::optional<Numeric>, 3> extent(const toml::node& node) const {
    std::array<std::optional<Numeric>, 3> result;
    const auto* list = node.as_array();
    if (list == nullptr) {
      result[0] = numeric(node);
    } else {
      if (list->empty() || list->size() > 3) wrong(node, "one to three numbers");
      for (std::size_t n = 0; n < list->size(); ++n) result[n] = numeric((*list)[n]);
    }
    return result;
  }

  Argument argument(const toml::node& node) const {
    Argument argument;
    argument.at = position_of(node.source());
    if (const auto* list = node.as_array()) {
      std::vector<Argument> fields;
      for (const auto& field : *list) fields.push_back(this->argument(field));
      argument.value = std::move(fields);
    } else if (const auto* typed = node.as_table()) {
      if (typed->size() != 1) wrong(node, "one type with its value, such as { u64 = 5 }");
      const auto field = typed->begin();
      argument.type = parse_type(field->first.str());
      if (!argument.type || *argument.type == Type::pred)
        wrong(node, "a type with its value, such as { u64 = 5 }");
      argument.value = numeric(field->second);
    } else if (const auto* text = node.as_string(); text != nullptr && text->get().starts_with('&')) {
      Numeric place{parse_expression(std::string_view(text->get()).substr(1),
                                     {argument.at.line, argument.at.column + 2}, diagnostics_),
                    argument.at};
      argument.value = std::move(place);
    } else {
      argument.value = numeric(node);
    }
    return argument;
  }

  LaunchEntry launch(const toml::table& table) const {
    allow(table, {"kernel", "grid", "block", "shared", "args", "stream", "after"});
    LaunchEntry entry;
    entry.at = position_of(table.source());
    if (const auto* kernel = table.get("kernel")) entry.kernel = text_of(*kernel, "a kernel's name");
    if (const auto* grid = table.get("grid")) entry.grid = extent(*grid);
    if (const auto* block = table.get("block")) entry.block = extent(*block);
    if (const auto* shared = table.get("shared")) entry.dynamic_shared = numeric(*shared);
    if (const auto* args = table.get("args"))
      for (const auto& arg : array_of(*args, "a list of arguments")) entry.arguments.push_back(argument(arg));
    if (const auto* stream = table.get("stream")) entry.stream = below(*stream, most_streams, "a stream's number");
    if (const auto* after = table.get("after")) entry.after = earlier_launches(*after);
    return entry;
  }

  std::uint32_t below(const toml::node& node, std::size_t end, std::string_view what) const {
    const std::int64_t number = integer(node);
    if (number < 0 || std::cmp_greater_equal(number, end))
      diagnostics_.error(position_of(node.source()),
                         end == 0 ? fmt::format("found {}; expected {}, and there is none", number, what)
                                  : fmt::format("found {}; expected {} from 0 to {}", number, what, end - 1));
    return static_cast<std::uint32_t>(number);
  }

  // "after": one launch or a list of them, counted from 0 as they stand in the file.
  std::vector<std::uint32_t> earlier_launches(const toml::node& node) const {
    const std::size_t end = file_.launches.size();
    constexpr std::string_view what = "a launch before this one";
    if (!node.is_array()) return {below(node, end, what)};
    std::vector<std::uint32_t> launches;
    for (const auto& launch : array_of(node, "a list of launches")) launches.push_back(below(launch, end, what));
    return launches;
  }

  void read_checks(const toml::table& table) {
    allow(table, {"each_launch", "each_replay", "end", "restored"});
    read_formulas(table, "each_launch", When::each_launch);
    read_formulas(table, "each_replay", When::each_replay);
    read_formulas(table, "end", When::plan_end);
    if (const auto* restored = table.get("restored"))
      for (const auto& name : array_of(*restored, "a list of buffers"))
        file_.restored.push_back(text_of(name, "a buffer's name"));
  }

  void read_formulas(const toml::table& table, std::string_view key, When when) {
    const auto* node = table.get(key);
    if (node == nullptr) return;
    const auto add = [&](const toml::node& formula) {
      const Token text = text_of(formula, "a formula in quotes");
      file_.checks.push_back({text.text, expression(text), when});
    };
    if (node->is_string()) return add(*node);
    for (const auto& formula : array_of(*node, "a list of formulas")) add(formula);
  }

  const Constants& overrides_;
  const Diagnostics& diagnostics_;
  std::set<std::string> declared_;
  LaunchFile file_;
};

// toml++ 3.3 runs into undefined behaviour at some characters beyond ASCII where a key may stand. Names and formulas
// need none; comments may have them.
void require_ascii(std::string_view text, const Diagnostics& diagnostics) {
  Position at{1, 1};
  char quote = 0;
  bool comment = false;
  for (const char c : text) {
    if (c == '\n') {
      at = {at.line + 1, 1};
      quote = 0;
      comment = false;
      continue;
    }
    if (comment) continue;
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80)
      diagnostics.error(at, fmt::format("found byte {:#x}; expected ASCII outside of comments", byte));
    if (quote != 0 ? c == quote : c == '"' || c == '\'') quote = quote != 0 ? '\0' : c;
    comment = c == '#' && quote == 0;
    ++at.column;
  }
}

}  // namespace

LaunchFile parse_launch_file(std::string_view text, const Constants& overrides,
                             const Diagnostics& diagnostics) {
  require_ascii(text, diagnostics);
  try {
    return Reader(overrides, diagnostics).read(toml::parse(text, diagnostics.file()));
  } catch (const toml::parse_error& error) {
    std::string what(error.description());
    if (what.starts_with("Error ")) what[0] = 'e';
    diagnostics.error(position_of(error.source()), fmt::format("found what is no TOML: {}", what));
  }
}

}  // namespace fencewise::launchfile
