#include "checker/explore/view/stored_states.h"

#include <algorithm>
#include <cstring>

#include "checker/explore/view/knowledge_table.h"
#include "checker/explore/view/mutation.h"

namespace fencewise::view {

std::string StoredStates::control_key(const Control& control) {
  std::string key;
  const auto add = [&](std::uint32_t begin, std::uint32_t end) {
    const std::uint32_t piece = bytes_.number({control.bytes.data() + begin, end - begin});
    key.append(reinterpret_cast<const char*>(&piece), sizeof piece);
  };
  if (!reductions_.collapse) {
    add(0, control.ends.back());
    return key;
  }
  key.reserve(control.ends.size() * sizeof(std::uint32_t));
  std::uint32_t begin = 0;
  for (const std::uint32_t end : control.ends) add(std::exchange(begin, end), end);
  return key;
}

StoredStates::Met StoredStates::add(const Stored& state, const std::function<bool(Id)>& may_be_replaced) {
  auto& [control, same_control] = *by_control_.try_emplace(control_key(state.control)).first;
  const auto mutation = static_cast<Mutation>(reductions_.mutation);
  const KnowledgeTable& t = state.table;
  const Table pieces{words_.number(t.columns), words_.number(t.records), words_.number(t.rows), words_.number(t.sets)};
  for (const Id known : same_control) {
    const Table& stored = states_[known].table;
    if (stored == pieces || (reductions_.subsume && knows_as_much(t, table(stored))) ||
        (mutation == Mutation::less_known_is_dropped && knows_as_much(table(stored), t)))
      return {known, false, {}};
  }
  Met met{static_cast<Id>(states_.size()), true, {}};
  if (reductions_.subsume)
    std::erase_if(same_control, [&](Id known) {
      if (!may_be_replaced(known) || !knows_as_much(table(states_[known].table), t)) return false;
      met.replaced.push_back(known);
      return true;
    });
  same_control.push_back(met.id);
  states_.push_back({&control, pieces});
  return met;
}

State StoredStates::state(Id id, const State& like) const {
  const std::string& key = *states_[id].control;
  std::string bytes;
  for (std::size_t at = 0; at < key.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t piece = 0;
    std::memcpy(&piece, key.data() + at, sizeof piece);
    bytes.append(bytes_[piece].data(), bytes_[piece].size());
  }
  State state = decode_control(bytes, like);
  read_table(table(states_[id].table), state);
  return state;
}

void StoredStates::clear() { *this = StoredStates(reductions_); }

}  // namespace fencewise::view
