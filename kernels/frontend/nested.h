// Rules of a PEGTL grammar that contain themselves, to a bounded depth: so that no input overflows the stack.
#pragma once

#include <cstdint>

#include <tao/pegtl.hpp>

namespace fencewise {

// What is raised where a text is nested too deeply.
struct nesting_limit : tao::pegtl::failure {};

// Matches Rule one level deeper than what stands around it. The state counts the levels in its member `nesting`.
template <std::uint32_t deepest, typename Rule> struct nested_up_to {
  using rule_t = nested_up_to;
  using subs_t = tao::pegtl::type_list<Rule>;

  template <tao::pegtl::apply_mode A, tao::pegtl::rewind_mode M, template <typename...> class Action,
            template <typename...> class Control, typename Input, typename State>
  static bool match(Input& in, State& state) {
    if (state.nesting == deepest) Control<nesting_limit>::raise(in, state);
    ++state.nesting;
    const bool matched = Control<Rule>::template match<A, M, Action, Control>(in, state);
    --state.nesting;
    return matched;
  }
};

}  // namespace fencewise
