// The input is wrong: the one exception type for it. Reported once, in main, with exit 2.
//
// `what()` is one line, lower case, no full stop: "mp.litmus:7:14: unknown scope '.block'; expected .cta, ...".
#pragma once

#include <stdexcept>
#include <string>

namespace fencewise {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Well-formed input that asks for what is not modelled: inconclusive, exit 3, naming it.
class NotModelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// We are wrong. Ends with a code above 3.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace fencewise
