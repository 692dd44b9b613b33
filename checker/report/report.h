// A check as a reader sees it: what was checked, how, and what came out. text.h, json.h and dot.h show it.
#pragma once

#include <map>
#include <string>

#include "checker/check.h"

namespace fencewise {

struct Report {
  // Name of a protocol, or a file as named on the command line. Empty: a result alone, and the text says
  // nothing of what was checked, nor with which options.
  std::string subject;
  std::map<std::string, std::string> params;  // as --param takes them
  std::string variant;                        // empty: the base
  CheckOptions options;
  CheckResult result;
};

}  // namespace fencewise
