#include "kernels/frontend/litmus/placement.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/frontend/litmus/words.h"

namespace fencewise::litmus {
namespace {

constexpr std::uint32_t largest_number = 65535;

struct Header {
  const ThreadHeader* syntax = nullptr;
  std::uint32_t cta = 0;
  std::optional<std::uint32_t> cluster;
  std::uint32_t gpu = 0;
};

Header read(const ThreadHeader& syntax, const Diagnostics& diagnostics) {
  std::map<std::string, std::uint32_t> numbers;
  for (const ThreadHeader::Attribute& attribute : syntax.attributes) {
    const Token& name = attribute.name;
    if (name.text != "cta" && name.text != "cluster" && name.text != "gpu") {
      diagnostics.error(name.at, fmt::format("found {}; expected cta, cluster or gpu", quoted(name.text)));
    }
    if (!numbers.emplace(name.text, number_of(attribute.number, largest_number, diagnostics)).second) {
      diagnostics.error(name.at, fmt::format("{} is given twice; expected one number", quoted(name.text)));
    }
  }
  for (const char* needed : {"cta", "gpu"}) {
    if (!numbers.contains(needed)) {
      diagnostics.error(syntax.thread.at,
                        fmt::format("thread {} without a {}; expected '{}@cta 0,gpu 0'",
                                    quoted(syntax.thread.text), needed, syntax.thread.text));
    }
  }
  Header header{&syntax, numbers["cta"], std::nullopt, numbers["gpu"]};
  if (numbers.contains("cluster")) header.cluster = numbers["cluster"];
  return header;
}

void check_order(const std::vector<ThreadHeader>& threads, const Diagnostics& diagnostics) {
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    const Token& name = threads[i].thread;
    const std::uint32_t number = thread_number(name, diagnostics);
    if (number == i) continue;
    diagnostics.error(
        name.at, fmt::format("found thread {}{}; expected P{}, since columns are numbered from P0 in order",
                             quoted(name.text), number < i ? " a second time" : "", i));
  }
}

// Ids that are unique in the machine for pairs (gpu, number), in order of the threads.
class Numbering {
 public:
  explicit Numbering(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
    for (const auto& [gpu, number] : pairs) {
      const auto [owner, fresh] = gpu_of_.emplace(number, gpu);
      as_written_ = as_written_ && (fresh || owner->second == gpu);
      dense_.emplace(std::pair{gpu, number}, static_cast<std::uint32_t>(dense_.size()));
    }
  }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t gpu, std::uint32_t number) const {
    return as_written_ ? number : dense_.at({gpu, number});
  }

 private:
  std::map<std::uint32_t, std::uint32_t> gpu_of_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> dense_;
  bool as_written_ = true;
};

std::vector<CtaId> cta_ids(const std::vector<Header>& headers) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Header& h : headers) pairs.emplace_back(h.gpu, h.cta);
  const Numbering number(pairs);
  std::vector<CtaId> ids;
  for (const Header& h : headers) ids.push_back({number(h.gpu, h.cta)});
  return ids;
}

std::vector<ClusterId> cluster_ids(const std::vector<Header>& headers, const std::vector<CtaId>& ctas) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Header& h : headers) {
    if (h.cluster) pairs.emplace_back(h.gpu, *h.cluster);
  }
  const Numbering number(pairs);
  // CTAs without a cluster come after those with one; if none has one, a CTA's number is its cluster's.
  std::uint32_t first_free = 0;
  for (const Header& h : headers) {
    if (h.cluster) first_free = std::max(first_free, number(h.gpu, *h.cluster) + 1);
  }
  std::vector<ClusterId> ids;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Header& h = headers[i];
    ids.push_back({h.cluster ? number(h.gpu, *h.cluster) : first_free + ctas[i].value});
  }
  return ids;
}

}  // namespace

std::uint32_t thread_number(const Token& name, const Diagnostics& diagnostics) {
  Token number = name;
  if (number.text.starts_with('P')) number.text.erase(0, 1);
  const bool digits =
      !number.text.empty() && number.text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits)
    diagnostics.error(name.at, fmt::format("found {}; expected a thread (P0, P1, ...)", quoted(name.text)));
  if (number.text.size() > 9) return ~0U;  // no test has it
  return number_of(number, 999'999'999, diagnostics);
}

std::vector<Placement> placements(const SyntaxTree& tree, const Diagnostics& diagnostics) {
  if (tree.threads.size() > most_threads) {
    diagnostics.error(
        tree.threads[most_threads].thread.at,
        fmt::format("found {} threads; expected at most {}", tree.threads.size(), most_threads));
  }
  check_order(tree.threads, diagnostics);
  std::vector<Header> headers;
  for (const ThreadHeader& thread : tree.threads) headers.push_back(read(thread, diagnostics));
  const std::vector<CtaId> ctas = cta_ids(headers);
  const std::vector<ClusterId> clusters = cluster_ids(headers, ctas);

  std::vector<Placement> result;
  std::map<CtaId, ClusterId> cluster_of;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Token& thread = headers[i].syntax->thread;
    if (cluster_of.emplace(ctas[i], clusters[i]).first->second != clusters[i]) {
      diagnostics.error(
          thread.at, fmt::format("thread {} puts cta {} into another cluster than before; expected the same",
                                 quoted(thread.text), headers[i].cta));
    }
    result.push_back({ctas[i], clusters[i], DeviceId{headers[i].gpu}});
  }
  return result;
}

}  // namespace fencewise::litmus
