// JSON reports: what is written is documented and read back; what is not exactly a report is refused, by name.
#include <fstream>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "checker/report/json.h"
#include "kernels/core/error.h"
#include "tests/support/reports.h"

namespace fencewise {
namespace {

using Json = nlohmann::ordered_json;
using testing::verified_report;
using testing::violated_report;

// Every path to a value, elements as [] and names of parameters as <name>.
void collect_keys(const Json& json, const std::string& path, std::set<std::string>& keys) {
  if (json.is_object() && path != "params") {
    for (const auto& [key, value] : json.items())
      collect_keys(value, path.empty() ? key : path + "." + key, keys);
  } else if (json.is_object()) {
    keys.insert("params.<name>");
  } else if (json.is_array()) {
    for (const Json& element : json) collect_keys(element, path + "[]", keys);
  } else {
    // The other execution of an order-dependent finding has the keys of the first.
    const std::string other = "findings[].other.", witness = "findings[].witness.";
    keys.insert(path.starts_with(other) ? witness + path.substr(other.size()) : path);
  }
}

// The keys in the first column of the table of docs/json.md.
std::set<std::string> documented_keys() {
  std::ifstream page(FENCEWISE_SOURCE_DIR "/docs/json.md");
  const std::regex row(R"(^\| `([^`]+)` \|.*)");
  std::set<std::string> keys;
  std::smatch match;
  for (std::string line; std::getline(page, line);)
    if (std::regex_match(line, match, row)) keys.insert(match[1]);
  return keys;
}

// A report in which no list is empty.
Report full_report() {
  Report report = violated_report();
  ExecutionGraph& graph = report.result.findings[0].witness.launches[1].graph;
  graph.fence_sc = {{1, 7}};
  graph.sync = {{1, 7}};
  graph.dep = {{5, 7}};
  report.result.findings[0].other = report.result.findings[0].witness;
  report.result.findings[0].endless = EndlessRun{{{0, 1}}, {1}, {"CTA 1 thread 0 waits"}};
  report.result.findings[0].witness.launches[1].events[0].inlined = "in acquire(), from k.cu:12";
  report.result.findings[0].way_in = {{0, 1}};
  return report;
}

std::string reading_error_of(const std::string& text) {
  try {
    (void)report_from_json(text, "cex.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

// The error after one value of a good report was changed; `pointer` as in RFC 6901.
std::string error_after(const std::string& pointer, const Json& value) {
  Json json = Json::parse(to_json(full_report()));
  json[Json::json_pointer(pointer)] = value;
  return reading_error_of(json.dump());
}

TEST(JsonReport, HasExactlyTheDocumentedKeys) {
  std::set<std::string> written;
  collect_keys(Json::parse(to_json(full_report())), "", written);
  EXPECT_EQ(written, documented_keys());
}

TEST(JsonReport, BeginsWithTheSchemaAndKeepsTheOrderOfKeys) {
  const std::string text = to_json(violated_report());
  EXPECT_TRUE(
      text.starts_with("{\n  \"schema\": \"fencewise-report-1\",\n  \"subject\": \"splitk-serial\",\n"))
      << text.substr(0, 200);
  EXPECT_TRUE(text.ends_with("\"seconds\": 0.25\n}\n"));
}

TEST(JsonReport, WritesNumbersAsNumbersAndChoicesAsText) {
  const Json json = Json::parse(to_json(violated_report()));
  EXPECT_EQ(json["params"]["splits"], 2);
  EXPECT_EQ(json["params"]["order"], "acquire");
}

TEST(JsonReport, SaysTheEventsOfTheFindingsLaunch) {
  const Json finding = Json::parse(to_json(violated_report()))["findings"][0];
  EXPECT_EQ(finding["launch"], 2);
  EXPECT_EQ(finding["finish_order"], Json::parse("[0, 1]"));
  EXPECT_EQ(finding["events"][7]["thread"], "CTA 1 thread 0");
  EXPECT_EQ(finding["events"][7]["reads_from"], 0);
  EXPECT_EQ(finding["events"][7]["missed"], 1);
}

TEST(JsonReport, ReadsBackWhatItWrote) {
  for (const Report& report : {violated_report(), full_report(), verified_report()})
    EXPECT_EQ(to_json(report_from_json(to_json(report), "cex.json")), to_json(report));
}

TEST(JsonReport, KeepsTheGraphForReplay) {
  const Report report = report_from_json(to_json(full_report()), "cex.json");
  const ExecutionGraph& graph = report.result.findings.at(0).witness.launches.at(1).graph;
  EXPECT_EQ(graph.events[3].rmw, 4U);
  EXPECT_EQ(graph.rf[7], 0U);
  EXPECT_EQ(graph.co, (std::vector<Edge>{{0, 1}, {2, 4}, {4, 6}}));
}

TEST(JsonReport, ReadsKeysInAnyOrder) {
  const std::string sorted = nlohmann::json::parse(to_json(full_report())).dump();
  EXPECT_EQ(to_json(report_from_json(sorted, "cex.json")), to_json(full_report()));
}

TEST(JsonReport, RefusesWhatIsNoJson) {
  EXPECT_EQ(reading_error_of(""), "cex.json: no JSON (byte 1)");
  EXPECT_EQ(reading_error_of("{\"schema\": "), "cex.json: no JSON (byte 12)");
  EXPECT_EQ(reading_error_of(std::string(100'000, '[')), "cex.json: nested deeper than 32");
}

TEST(JsonReport, RefusesEveryTruncation) {
  const std::string text = to_json(verified_report());
  for (std::size_t n = 0; n + 2 < text.size(); ++n) EXPECT_NE(reading_error_of(text.substr(0, n)), "accepted") << n;
}

TEST(JsonReport, RefusesAnotherSchema) {
  EXPECT_EQ(reading_error_of("[]"), "cex.json: no report of fencewise: the key 'schema' is missing");
  EXPECT_EQ(error_after("/schema", "fencewise-report-9"),
            "cex.json: schema: unknown 'fencewise-report-9'; expected 'fencewise-report-1'");
}

TEST(JsonReport, RefusesWrongTypesAndUnknownNames) {
  EXPECT_EQ(error_after("/verdict", "maybe"),
            "cex.json: verdict: unknown 'maybe'; expected verified, violated or inconclusive");
  EXPECT_EQ(error_after("/findings/0/violates", 1),
            "cex.json: findings[0].violates: expected true or false, found number");
  EXPECT_EQ(error_after("/findings", 1), "cex.json: findings: expected a list, found number");
  EXPECT_EQ(error_after("/search", nullptr), "cex.json: search: expected an object, found null");
  EXPECT_EQ(error_after("/params/splits", 1.5), "cex.json: params.splits: expected a whole number or a text");
}

TEST(JsonReport, RefusesAbsurdNumbers) {
  EXPECT_EQ(error_after("/findings/0/launch", -1),
            "cex.json: findings[0].launch: expected a number from 0, found -1");
  EXPECT_EQ(error_after("/findings/0/launch", 1'000'000'000),
            "cex.json: findings[0].launch: 1000000000 is too large");
  EXPECT_EQ(error_after("/findings/0/launch", 1.5),
            "cex.json: findings[0].launch: expected a number from 0, found 1.5");
  EXPECT_EQ(error_after("/options/loop_bound", 5'000'000'000U),
            "cex.json: options.loop_bound: 5000000000 is too large");
}

TEST(JsonReport, RefusesIndicesOutsideTheirLists) {
  const std::string launch = "/findings/0/witness/launches/1";
  EXPECT_THAT(error_after(launch + "/events/7/reads_from", 8),
              ::testing::HasSubstr("there is no 8; expected a number below 8"));
  EXPECT_THAT(error_after(launch + "/events/7/thread", 2), ::testing::HasSubstr("there is no 2"));
  EXPECT_THAT(error_after(launch + "/graph/rf/7", 99), ::testing::HasSubstr("there is no 99"));
  EXPECT_THAT(error_after(launch + "/graph/co/0", Json::parse("[0]")),
              ::testing::HasSubstr("expected two events"));
  EXPECT_THAT(error_after(launch + "/finish_order", Json::parse("[0, 0]")),
              ::testing::HasSubstr("CTA 0 finishes twice"));
  EXPECT_THAT(error_after(launch + "/cta_of/0", 7), ::testing::HasSubstr("there is no 7"));
  EXPECT_THAT(error_after(launch + "/graph/events/1/size", 4096), ::testing::HasSubstr("4096 is too large"));
  EXPECT_THAT(error_after(launch + "/graph/events/1/offset", 4294967295U),
              ::testing::HasSubstr("is too large"));
}

TEST(JsonReport, RefusesUnknownAndMissingKeys) {
  EXPECT_EQ(error_after("/surprise", 1), "cex.json: unknown key 'surprise'");
  EXPECT_EQ(error_after("/findings/0/surprise", 1), "cex.json: findings[0]: unknown key 'surprise'");
  Json json = Json::parse(to_json(verified_report()));
  json.erase("search");
  EXPECT_EQ(reading_error_of(json.dump()), "cex.json: the key 'search' is missing");
}

TEST(JsonReport, RefusesEventsThatContradictTheWitness) {
  EXPECT_EQ(error_after("/findings/0/events/7/value", "in[0]"),
            "cex.json: findings[0].events[7].value: contradicts the rest of the file");
  EXPECT_THAT(error_after("/findings/0/witness/launches/1/graph/events/7/kind", "write"),
              ::testing::HasSubstr("events[7] and graph.events[7] differ"));
}

TEST(JsonReport, ReplacesWhatIsNoUtf8) {
  Report report = verified_report();
  report.result.reason = "bad \xff byte";
  EXPECT_NO_THROW((void)report_from_json(to_json(report), "cex.json"));
}

}  // namespace
}  // namespace fencewise
