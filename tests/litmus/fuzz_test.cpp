// The fuzz target of the litmus reader without a fuzzer: where there is no clang, its seeds and our tests, mangled at random.
// Deterministic; tests/fuzz/litmus_fuzz.cpp says what must hold, `./run fuzz litmus_fuzz` searches for longer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/frontend/litmus/generate.h"
#include "kernels/frontend/litmus/random.h"
#include "tests/support/differential.h"
#include "tests/support/process.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
#include "tests/fuzz/litmus_fuzz.cpp"  // NOLINT(bugprone-suspicious-include): the target itself

namespace fencewise {
namespace {

using litmus::Random;
using namespace std::string_view_literals;

std::vector<std::string> seeds() {
  const std::filesystem::path source = FENCEWISE_SOURCE_DIR;
  std::vector<std::string> texts;
  for (const auto& folder : {source / "tests" / "fuzz" / "corpus" / "litmus", source / "tests" / "litmus"})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".litmus") texts.push_back(testing::contents_of(entry.path().string()));
  for (std::uint64_t seed = 0; seed < 50; ++seed) texts.push_back(generate_litmus_text(seed, {}));
  std::sort(texts.begin(), texts.end());  // a folder has no order
  return texts;
}

// What the reader looks for, and what it doesn't expect.
constexpr std::string_view tokens[] = {"PTX",
                                       "{",
                                       "}",
                                       ";",
                                       "|",
                                       ":",
                                       ",",
                                       "=",
                                       "==",
                                       "!=",
                                       "<=",
                                       "(",
                                       ")",
                                       "/\\",
                                       "\\/",
                                       "~",
                                       "not",
                                       "exists",
                                       "~exists",
                                       "forall",
                                       "filter",
                                       "locations",
                                       "[",
                                       "]",
                                       "final",
                                       "with",
                                       "@",
                                       "cta",
                                       "gpu",
                                       "cluster",
                                       "aliases",
                                       "generic",
                                       "surface",
                                       "P0",
                                       "P1:r0",
                                       "r0",
                                       "x",
                                       "&x",
                                       "LC00",
                                       "LC00:",
                                       "goto LC00",
                                       "bne r0, 0, LC00",
                                       "ld.weak r0, x",
                                       "st.release.gpu x, 1",
                                       "atom.acq_rel.sys.cas r0, x, 0, 1",
                                       "red.relaxed.cta.add x, 1",
                                       "fence.sc.gpu",
                                       "fence.proxy.alias",
                                       "bar.cta.sync 0",
                                       "bar.cta.arrive 0, 1, 2",
                                       "membar.gl",
                                       "(*",
                                       "*)",
                                       "<<",
                                       ">>",
                                       "\"",
                                       "\n",
                                       "\r\n",
                                       "\t",
                                       "\0"sv,
                                       "-1",
                                       "18446744073709551616",
                                       "9223372036854775807",
                                       "\xff",
                                       "\xEF\xBB\xBF"};

std::size_t place(Random& random, const std::string& text) {
  return random.below(static_cast<std::uint32_t>(text.size() + 1));
}

void mangle(std::string& text, Random& random, const std::vector<std::string>& all) {
  const std::size_t at = place(random, text);
  const std::size_t length = std::min<std::size_t>(random.between(1, 12), text.size() - at);
  switch (random.below(7)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, random.pick(tokens)); break;
    case 2: text.insert(place(random, text), text.substr(at, length)); break;
    case 3: text.resize(at); break;
    case 4: text.insert(at, 1, static_cast<char>(random.below(256))); break;
    case 5:
      if (at < text.size())
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << random.below(8)));
      break;
    default: {  // the rest of another one
      const std::string& other = all[random.below(static_cast<std::uint32_t>(all.size()))];
      text = text.substr(0, at) + other.substr(place(random, other));
    }
  }
}

void run(const std::string& text) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(
                                   text.data()),  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
                               text.size());
}

TEST(LitmusReader, SurvivesItsSeeds) {
  for (const std::string& text : seeds()) run(text);
}

TEST(LitmusReader, SurvivesMangledTests) {
  const std::vector<std::string> all = seeds();
  const std::uint64_t rounds = testing::small_scale() ? 4'000 : 40'000;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Random random(round);
    std::string text = all[random.below(static_cast<std::uint32_t>(all.size()))];
    for (std::uint32_t n = random.between(1, 8); n > 0; --n) mangle(text, random, all);
    SCOPED_TRACE(round);
    run(text);
  }
}

// Nesting, repetition and length: the reader takes time and memory in proportion, and refuses what is too much.
TEST(LitmusReader, IsLinearInHostileTexts) {
  const std::string head = "PTX t\n{\nx = 0;\n}\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\n";
  const auto repeated = [](std::string_view part, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += part;
    return text;
  };
  const std::size_t large = testing::small_scale() ? 200'000 : 900'000;
  for (const std::string_view part : {"(", "~", "not ", "r0 == 1 /\\ ", "((r0 == 1) \\/ ", "1 + ", "-"})
    run(head + "exists " + repeated(part, large));
  for (const std::string_view part : {" st.weak x, 1 ;\n", " ;\n", " LC00: ;\n", "|", " goto LC00 ;\n"})
    run(head + repeated(part, large));
  for (const std::string_view part : {"x = 0; ", "P0:r0 = 1; ", "(* ", "<< ", "\""})
    run("PTX t\n{\n" + repeated(part, large));
  for (const std::string_view part : {" P0@cta 0,gpu 0 |"sv, "a"sv, "\n"sv, "\0"sv})
    run("PTX t\n{}\n" + repeated(part, large));
  run(std::string(2'000'000, 'x'));
  run("");
}

}  // namespace
}  // namespace fencewise
