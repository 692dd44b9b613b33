#include "kernels/frontend/litmus/generate.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/core/error.h"
#include "kernels/frontend/litmus/parse.h"
#include "kernels/frontend/litmus/random.h"

namespace fencewise {
namespace litmus {
namespace {

constexpr std::string_view location_names[] = {"x", "y", "z", "u", "v", "w"};

struct Place {
  std::uint32_t cta = 0, cluster = 0, gpu = 0;
};

// One thread as it grows: its lines, and what it has read.
struct Draft {
  std::vector<std::string> lines;
  std::vector<std::string> loaded;  // registers with a value from memory
  std::uint32_t registers = 0;
  std::uint32_t labels = 0;
};

// Random choices are made one a statement: the order of evaluation within a call differs between compilers.
class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& options)
      : random_(seed), options_(options), seed_(seed) {
    locations_ = random_.between(1, options.max_locations);
    if (locations_ == 1 && random_.chance(70)) locations_ = std::min(2U, options.max_locations);
    place_threads(random_.between(options.min_threads, options.max_threads));
  }

  std::string text() {
    drafts_.resize(places_.size());
    std::uint32_t budget =
        std::max<std::uint32_t>(options_.max_operations, static_cast<std::uint32_t>(drafts_.size()));
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const auto others =
          static_cast<std::uint32_t>(drafts_.size() - i - 1);  // which need one operation each
      const std::uint32_t most = std::min(options_.max_instructions, budget - others);
      const std::uint32_t count = random_.between(random_.chance(75) ? std::min(2U, most) : 1, most);
      budget -= count;
      grow(drafts_[i], count);
    }
    if (options_.barriers && random_.chance(20)) add_barrier();
    return fmt::format("PTX gen-{}\n{{\n{}}}\n{}{}\n", seed_, initials(), table(),
                       condition());  // one of these is random
  }

 private:
  // --- Placement ---

  void place_threads(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i > 0 && random_.chance(35)) {
        places_.push_back(places_[random_.below(i)]);  // in the same CTA
        continue;
      }
      Place place;
      place.cta = i;
      place.gpu = options_.several_gpus && random_.chance(15) ? 1 : 0;
      place.cluster = i;
      if (i > 0 && options_.clusters && random_.chance(40)) {
        const Place& neighbour = places_[random_.below(i)];
        place.cluster = neighbour.cluster;
        place.gpu = neighbour.gpu;
      }
      places_.push_back(place);
    }
  }

  // --- Threads ---

  void grow(Draft& draft, std::uint32_t operations) {
    std::string open_label;  // of a branch that is not closed yet
    for (std::uint32_t i = 0; i < operations; ++i) {
      if (i > 0 && options_.fences && random_.chance(35)) draft.lines.push_back(fence());
      if (open_label.empty() && options_.branches && !draft.loaded.empty() && random_.chance(20))
        open_label = branch(draft);
      operation(draft);
      if (!open_label.empty() && random_.chance(50)) close(draft, open_label);
    }
    if (!open_label.empty()) close(draft, open_label);
  }

  std::string branch(Draft& draft) {
    const std::string label = fmt::format("LC{:02}", draft.labels++);
    constexpr std::string_view kinds[] = {"beq", "bne", "bne", "blt", "bge"};
    const std::string_view kind = random_.pick(kinds);
    const std::string subject = any_loaded(draft);
    const std::uint32_t constant = random_.below(3);
    draft.lines.push_back(fmt::format("{} {}, {}, {}", kind, subject, constant, label));
    return label;
  }
  static void close(Draft& draft, std::string& label) {
    draft.lines.push_back(label + ":");
    label.clear();
  }

  void operation(Draft& draft) {
    const std::uint32_t kind = random_.below(100);
    if (options_.atomics && kind < 20) {
      atomic(draft);
    } else if (options_.atomics && kind < 26) {
      red(draft);
    } else if (kind < 63) {
      store(draft);
    } else {
      load(draft);
    }
  }

  void load(Draft& draft) {
    constexpr std::string_view orders[] = {"weak", "relaxed", "relaxed", "acquire", "acquire"};
    const std::string semantics = plain_semantics(random_.pick(orders));
    const std::string target = fresh(draft);
    draft.lines.push_back(fmt::format("ld.{} {}, {}", semantics, target, location()));
    draft.loaded.push_back(target);
  }

  void store(Draft& draft) {
    constexpr std::string_view orders[] = {"weak", "relaxed", "relaxed", "release", "release"};
    const std::string stored = value(draft);
    const std::string semantics = plain_semantics(random_.pick(orders));
    draft.lines.push_back(fmt::format("st.{} {}, {}", semantics, location(), stored));
  }

  void atomic(Draft& draft) {
    constexpr std::string_view operations[] = {"add", "exch", "exch", "cas"};
    const std::string_view op = random_.pick(operations);
    const std::string first = op == "cas" ? fmt::format("{}", random_.below(2)) : value(draft);
    const std::string second = op == "cas" ? ", " + value(draft) : "";
    const std::string target = fresh(draft);
    const std::string semantics = atomic_semantics();
    draft.lines.push_back(
        fmt::format("atom.{}.{} {}, {}, {}{}", semantics, op, target, location(), first, second));
    draft.loaded.push_back(target);
  }

  void red(Draft& draft) {
    constexpr std::string_view operations[] = {"add", "add", "or"};
    const std::string_view op = random_.pick(operations);
    const std::string operand = value(draft);
    const std::string semantics = atomic_semantics();
    draft.lines.push_back(fmt::format("red.{}.{} {}, {}", semantics, op, location(), operand));
  }

  std::string fence() {
    constexpr std::string_view two_sided[] = {"sc", "acq_rel"};
    constexpr std::string_view all[] = {"sc", "acq_rel", "acquire", "release"};
    const std::string_view order = options_.one_sided_fences ? random_.pick(all) : random_.pick(two_sided);
    return fmt::format("fence.{}.{}", order, scope());
  }

  // A constant, or something computed from a register that was loaded (also where the result doesn't depend on it).
  std::string value(Draft& draft) {
    if (!options_.dependencies || draft.loaded.empty() || !random_.chance(35))
      return fmt::format("{}", random_.between(1, 2));
    const std::string source = any_loaded(draft);
    const std::uint32_t shape = random_.below(3);
    if (shape == 0) return source;
    const std::string computed = fresh(draft);
    if (shape == 1) {
      draft.lines.push_back(fmt::format("add {}, {}, 1", computed, source));
    } else {
      draft.lines.push_back(fmt::format("sub {}, {}, {}", computed, source, source));
      draft.lines.push_back(fmt::format("add {}, {}, 1", computed, computed));
    }
    return computed;
  }

  // --- A barrier that two or more threads of one CTA meet at, in the middle of each ---

  void add_barrier() {
    std::map<std::uint32_t, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < places_.size(); ++i) members[places_[i].cta].push_back(i);
    for (const auto& [cta, threads] : members) {
      if (threads.size() < 2) continue;
      const std::string count = random_.chance(30) ? fmt::format(", 0, {}", threads.size()) : "";
      const std::size_t arriver = !count.empty() && random_.chance(30) ? threads.front() : places_.size();
      for (const std::size_t thread : threads) {
        std::vector<std::string>& lines = drafts_[thread].lines;
        const auto at =
            static_cast<std::ptrdiff_t>(random_.below(static_cast<std::uint32_t>(lines.size() + 1)));
        lines.insert(lines.begin() + at,
                     fmt::format("bar.cta.{} 0{}", thread == arriver ? "arrive" : "sync", count));
      }
      return;
    }
  }

  // --- Words ---

  std::string scope() {
    constexpr std::string_view plain[] = {"cta", "gpu", "gpu", "sys"};
    constexpr std::string_view all[] = {"cta", "cluster", "gpu", "sys"};
    return std::string(options_.clusters ? random_.pick(all) : random_.pick(plain));
  }
  std::string plain_semantics(std::string_view order) {
    if (options_.volatiles && random_.chance(10)) return "volatile";
    return order == "weak" ? "weak" : fmt::format("{}.{}", order, scope());
  }
  std::string atomic_semantics() {
    constexpr std::string_view orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    const std::string_view order = random_.pick(orders);
    return fmt::format("{}.{}", order, scope());
  }
  std::string location() { return std::string(location_names[random_.below(locations_)]); }
  static std::string fresh(Draft& draft) { return fmt::format("r{}", draft.registers++); }
  std::string any_loaded(const Draft& draft) {
    return draft.loaded[random_.below(static_cast<std::uint32_t>(draft.loaded.size()))];
  }

  // --- The file ---

  std::string initials() const {
    std::string text;
    for (std::uint32_t i = 0; i < locations_; ++i) text += fmt::format("{} = 0;\n", location_names[i]);
    return text;
  }

  std::string table() const {
    std::vector<std::string> headers;
    std::size_t rows = 0;
    for (const Place& place : places_) {
      const std::string cluster = options_.clusters ? fmt::format(",cluster {}", place.cluster) : "";
      headers.push_back(fmt::format("P{}@cta {}{},gpu {}", headers.size(), place.cta, cluster, place.gpu));
    }
    for (const Draft& draft : drafts_) rows = std::max(rows, draft.lines.size());
    std::string text = fmt::format(" {} ;\n", fmt::join(headers, " | "));
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::string> cells;
      for (const Draft& draft : drafts_) cells.push_back(row < draft.lines.size() ? draft.lines[row] : "");
      text += fmt::format(" {} ;\n", fmt::join(cells, " | "));
    }
    return text;
  }

  // A conjunction of a few values that registers and locations may have.
  std::string condition() {
    std::vector<std::string> subjects;
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      for (const std::string& reg : drafts_[i].loaded) subjects.push_back(fmt::format("P{}:{}", i, reg));
    }
    for (std::uint32_t i = 0; i < locations_; ++i) subjects.push_back(std::string(location_names[i]));
    std::vector<std::string> terms;
    const auto count =
        random_.between(1, std::min<std::uint32_t>(3, static_cast<std::uint32_t>(subjects.size())));
    while (terms.size() < count) {
      const std::uint32_t i = random_.below(static_cast<std::uint32_t>(subjects.size()));
      constexpr std::string_view comparisons[] = {"==", "==", "==", "!="};
      const std::string_view comparison = random_.pick(comparisons);
      terms.push_back(fmt::format("{} {} {}", subjects[i], comparison, random_.below(3)));
      subjects.erase(subjects.begin() + i);
    }
    constexpr std::string_view quantifiers[] = {"exists", "exists", "~exists", "forall"};
    const std::string_view connective = random_.chance(80) ? " /\\ " : " \\/ ";
    return fmt::format("{} ({})", random_.pick(quantifiers), fmt::join(terms, connective));
  }

  Random random_;
  GeneratorOptions options_;
  std::uint64_t seed_;
  std::uint32_t locations_ = 1;
  std::vector<Place> places_;
  std::vector<Draft> drafts_;
};

void check(const GeneratorOptions& o) {
  const auto limit = [](const char* what, std::uint32_t value, std::uint32_t least, std::uint32_t most) {
    if (value < least || value > most)
      throw InputError(fmt::format("random tests with {} {}; expected {} to {}", value, what, least, most));
  };
  limit("threads", o.min_threads, 1, 16);
  limit("threads", o.max_threads, o.min_threads, 16);
  limit("operations a thread", o.max_instructions, 1, 64);
  limit("locations", o.max_locations, 1, static_cast<std::uint32_t>(std::size(location_names)));
}

}  // namespace
}  // namespace litmus

std::string generate_litmus_text(std::uint64_t seed, const GeneratorOptions& options) {
  litmus::check(options);
  return litmus::Generator(seed, options).text();
}

Problem generate_litmus(std::uint64_t seed, const GeneratorOptions& options) {
  return parse_litmus(generate_litmus_text(seed, options), fmt::format("gen-{}.litmus", seed));
}

}  // namespace fencewise
