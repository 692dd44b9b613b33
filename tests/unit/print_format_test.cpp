// printf's formats: what they take, and the text they make.
#include "kernels/core/print_format.h"

#include <bit>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencewise {
namespace {

using ::testing::ElementsAre;

std::string shown(std::string_view format, std::vector<Shown> arguments) {
  return formatted(format, [&](std::size_t n) { return arguments.at(n); });
}

TEST(PrintFormat, TakesArgumentsAsAVariadicFunctionIsPassedThem) {
  const FormatArgument s32{Type::s32, false}, u32{Type::u32, false}, s64{Type::s64, false},
      u64{Type::u64, false}, f64{Type::f64, false}, text{Type::u64, true};
  EXPECT_THAT(arguments_of("%d %5.1f%% %-8s|%llu%x%c%p%hhd"),
              ElementsAre(s32, f64, text, u64, u32, s32, u64, s32));
  EXPECT_THAT(arguments_of("%*.*ld"), ElementsAre(s32, s32, s64));
  EXPECT_THAT(arguments_of("50 %y, %"), ElementsAre()) << "these are no conversions";
}

TEST(PrintFormat, ShowsNumbersAsCDoes) {
  EXPECT_EQ(shown("%d|%5u|%-4d|%+d|%04x", {~std::uint64_t{0}, 7U, 3U, 3U, 0xabU}), "-1|    7|3   |+3|00ab");
  EXPECT_EQ(shown("%u %lld", {~std::uint64_t{0}, ~std::uint64_t{0}}), "4294967295 -1");
  EXPECT_EQ(shown("%.2f %g", {std::bit_cast<std::uint64_t>(1.0), std::bit_cast<std::uint64_t>(0.5)}),
            "1.00 0.5");
  EXPECT_EQ(shown("[%*d] [%.*f]", {4U, 1U, 1U, std::bit_cast<std::uint64_t>(2.25)}), "[   1] [2.2]");
  EXPECT_EQ(shown("%c%c%p", {111U, 107U, 0x10U}), "ok0x10");
}

TEST(PrintFormat, PutsTextsAndWhatIsNoNumberInTheirPlace) {
  EXPECT_EQ(shown("[%6s] [%.2s]", {"flag", "flag"}), "[  flag] [fl]");
  EXPECT_EQ(shown("sum %5d", {"in[0] + in[1]"}), "sum in[0] + in[1]");
  EXPECT_EQ(shown("100%% of %y, %", {}), "100% of %y, %");
}

TEST(PrintFormat, IsNeverWiderThanAThousand) {
  EXPECT_EQ(shown("%99999999999999999999d", {7U}).size(), 1000U);
  EXPECT_EQ(shown("%.99999999999999999999d", {7U}).size(), 1000U);
  EXPECT_EQ(shown("%*d", {0x7fff'ffffU, 7U}).size(), 1000U);
  EXPECT_EQ(shown("%.*f", {~std::uint64_t{0}, std::bit_cast<std::uint64_t>(0.5)}), "0.500000") << "a negative precision is none";
}

TEST(PrintFormat, TakesWhateverIsWritten) {
  constexpr std::string_view letters = "%%%%-+ #0123456789.*hlzjtcdiouxXpeEfFgGaAsy";
  std::mt19937_64 random(1);
  for (int n = 0; n < 20'000; ++n) {
    std::string format;
    for (std::uint64_t length = random() % 12; length > 0; --length) format += letters[random() % letters.size()];
    EXPECT_NO_THROW((void)formatted(format, [&](std::size_t argument) {
      return argument % 3 == 2 ? Shown("x") : Shown(random());
    })) << format;
  }
}

TEST(PrintFormat, QuotesWhatCannotBeSeen) {
  EXPECT_EQ(quoted_literal("a\"\\\n\t\x01"), R"("a\"\\\n\t\x01")");
}

}  // namespace
}  // namespace fencewise
