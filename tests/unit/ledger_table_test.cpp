// Tables as text, JSON and CSV; charts; and the tables in docs/ledgers.md.
#include <functional>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "kernels/core/error.h"
#include "kernels/ledger/ledgers.h"
#include "kernels/ledger/runnable.h"

namespace fencewise {
namespace {

Ledger sample() {
  return {"sample",
          {{"n", "2"}},
          {{"things",
            "Two things",
            {{"name", "name"}, {"count", "count"}, {"share", "share"}, {"good", "good"}},
            {{"α, β", std::uint64_t{7}, Cell(0.5), true}, {"c", std::uint64_t{1000}, Cell(), false}},
            {"A note."}}},
          {{"Counts <all>", "things", {"a", "c"}, {{"count", {7, 1000}}, {"other", {3, -1}}}}}};
}

TEST(LedgerTable, AlignsWordsLeftAndNumbersRight) {
  EXPECT_EQ(to_text(sample()),
            "Two things\n"
            "name  count  share  good\n"
            "----  -----  -----  ----\n"
            "α, β      7   0.50  yes\n"
            "c      1000         no\n"
            "A note.\n");
}

TEST(LedgerTable, KeepsTypesInJson) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json["ledger"], "sample");
  EXPECT_EQ(json["inputs"]["n"], "2");
  const auto& rows = json["tables"]["things"];
  EXPECT_EQ(rows[0], (nlohmann::json{{"name", "α, β"}, {"count", 7}, {"share", 0.5}, {"good", true}}));
  EXPECT_TRUE(rows[1]["share"].is_null());
}

TEST(LedgerTable, QuotesCommasInCsv) {
  EXPECT_EQ(to_csv(sample()),
            "# Two things\n"
            "name,count,share,good\n"
            "\"α, β\",7,0.50,yes\n"
            "c,1000,,no\n");
}

TEST(BarChart, DrawsABarForEveryValueThatIsThere) {
  const std::string svg = to_svg(sample().charts);
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("Counts &lt;all&gt;"), std::string::npos);
  EXPECT_NE(svg.find("<title>c count: 1000 things</title>"), std::string::npos);
  EXPECT_EQ(svg.find("c other"), std::string::npos) << "no value, no bar";
  EXPECT_EQ(svg, to_svg(sample().charts)) << "same data, same bytes";
}

// It stood on the topmost number of the axis, whose line is at 54.
TEST(BarChart, WritesTheUnitOnTheLegendsLine) {
  const std::string svg = to_svg(sample().charts);
  EXPECT_NE(svg.find(R"(y="42.0" text-anchor="end" font-size="11">things</text>)"), std::string::npos);
  EXPECT_NE(svg.find(R"(y="58.0" text-anchor="end" font-size="11">1000</text>)"), std::string::npos);
}

TEST(BarChart, ShowsAMeasurementOnlyWhereThereIsOne) {
  const auto speed = [](const char* device) {
    return gemm_ledger({.sizes = {128}, .device = device}).charts.at(1);
  };
  EXPECT_EQ(speed("a6000").series.size(), 2U);
  EXPECT_EQ(speed("a6000").title, "Model against measurement, RTX A6000");
  EXPECT_EQ(speed("h100").series.size(), 1U);
  EXPECT_EQ(speed("h100").title, "Predicted on H100 SXM");
}

const std::map<std::string, std::function<Ledger()>>& ledgers() {
  static const std::map<std::string, std::function<Ledger()>> all{
      {"banks", [] { return banks_ledger(); }},         {"sync", [] { return sync_ledger(); }},
      {"reduction", [] { return reduction_ledger(); }}, {"gemm", [] { return gemm_ledger(); }},
      {"tiles", [] { return tiles_ledger(); }},         {"splitk", [] { return splitk_ledger(); }}};
  return all;
}

TEST(Ledgers, FillEveryCellOfTheirTables) {
  for (const auto& [name, make] : ledgers()) {
    const Ledger ledger = make();
    EXPECT_EQ(ledger.name, name);
    for (const Table& table : ledger.tables)
      for (const auto& row : table.rows)
        EXPECT_EQ(row.size(), table.columns.size()) << name << " " << table.key;
    EXPECT_TRUE(nlohmann::json::accept(to_json(ledger)));
  }
}

TEST(RunnableKernels, RunRightWithTheirStandardParameters) {
  for (const RunnableKernel& kernel : runnable_kernels()) {
    PreparedRun prepared = prepare(kernel, {});
    const RunResult result = run(prepared);
    EXPECT_FALSE(result.fault) << kernel.name;
    EXPECT_TRUE(prepared.is_right(prepared)) << kernel.name;
    EXPECT_EQ(result.counters.race_count > 0, kernel.name == "reverse-no-barrier") << kernel.name;
  }
}

TEST(RunnableKernels, NameWhatIsWrongWithAParameter) {
  const auto message = [](const std::vector<std::string>& given) {
    try {
      static_cast<void>(prepare(*find_runnable("splitk-gemv"), given));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message({"splits"}), "--param takes name=value, not 'splits'");
  EXPECT_EQ(message({"n=4"}),
            "splitk-gemv has no parameter 'n'; it has rows, columns, splits, threads, rows_per_warp");
  EXPECT_EQ(message({"splits=many"}), "parameter splits must be a whole number below 2^63, not 'many'");
  EXPECT_EQ(message({"splits=0"}), "splits must be from 1 to 65535, not 0");
  EXPECT_EQ(find_runnable("reduction-7"), nullptr);
}

}  // namespace
}  // namespace fencewise
