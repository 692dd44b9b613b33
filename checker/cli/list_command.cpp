#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "checker/cli/commands.h"
#include "checker/cli/output.h"
#include "checker/cli/subject.h"
#include "protocols/protocol.h"

namespace fencewise {
namespace {

std::string json_list() {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Protocol& protocol : catalogue()) {
    Json json;
    json["name"] = protocol.name;
    json["summary"] = protocol.summary;
    json["parameters"] = Json::object();
    for (const Parameter& p : protocol.parameters) json["parameters"][p.name] = text_of(p, p.standard);
    json["variants"] = Json::array();
    for (const Variant& v : protocol.variants)
      if (!v.name.empty()) json["variants"].push_back(v.name);
    list.push_back(std::move(json));
  }
  return list.dump(2) + "\n";
}

}  // namespace

int list_command(const Options& options) {
  if (options.list_json) {
    print_out(json_list());
    return exit_verified;
  }
  std::size_t width = 0;
  for (const Protocol& protocol : catalogue()) width = std::max(width, protocol.name.size());
  for (const Protocol& protocol : catalogue())
    print_out(fmt::format("{:<{}}  {}\n", protocol.name, width, protocol.summary));
  return exit_verified;
}

}  // namespace fencewise
