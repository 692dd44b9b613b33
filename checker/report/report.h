// A check as a reader sees it: what was checked, how, and what came out. text.h, json.h and dot.h show it.
#pragma once

#include <map>
#include <string>

#include "checker/check.h"

namespace fencewise {

struct Report {
  std::string subject;                        // name of a protocol, or a file as named on the command line
  std::map<std::string, std::string> params;  // as --param takes them
  std::string variant;                        // empty: the base
  CheckOptions options;
  CheckResult result;
};

}  // namespace fencewise
