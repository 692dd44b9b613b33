// Values of registers and memory: numbers, or terms over symbols.
//
// Data are symbols, so that a verdict holds for all inputs. A Value is a number (64 bits) or the id of a term in a
// Terms table, where equal terms have equal ids (hash-consing), so values compare in O(1).
// Sums are kept as multisets: integer sums always, float sums in the domain `multisets`; in the domain `expressions` a
// float sum is the tree of its additions (commutative, not associative, as IEEE has it), but for values that say where they were
// read (`placed`): added in ascending order of their places they are a multiset again, which then stands for that order. Products of integers, min, max, and, or
// and xor are multisets, or sets, too: the order of such atomics is not seen.
// Three special terms: *poison* (memory nobody wrote; anything computed from it is poison), *free* (a clock: any value, each
// time; anything computed from it is free too) and *unknown* (a read whose source is not chosen yet; anything computed from
// it is unknown).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/core/instruction.h"
#include "kernels/core/problem.h"

namespace fencewise {

class Value {
 public:
  constexpr Value() = default;
  static constexpr Value number(std::uint64_t bits) { return Value(bits, 0); }
  static constexpr Value of_term(std::uint32_t term) { return Value(0, term); }  // as Terms numbers it
  [[nodiscard]] constexpr bool is_number() const { return term_ == 0; }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }   // of a number
  [[nodiscard]] constexpr std::uint32_t term() const { return term_; }   // of a term; 0 for numbers
  [[nodiscard]] constexpr bool is_unknown() const { return term_ == 1; }
  friend constexpr bool operator==(const Value&, const Value&) = default;
  friend constexpr auto operator<=>(const Value&, const Value&) = default;

 private:
  friend class Terms;
  constexpr Value(std::uint64_t bits, std::uint32_t term) : bits_(bits), term_(term) {}
  std::uint64_t bits_ = 0;
  std::uint32_t term_ = 0;
};

// A table that several threads read was asked for something that is not in it.
struct Frozen {};

class Terms {
 public:
  explicit Terms(ValueDomain domain = ValueDomain::multisets);

  // While frozen, several threads may use it, and a term that is new throws Frozen.
  void freeze(bool frozen) { frozen_ = frozen; }

  // The same name gives the same symbol. `place`: of the element that it is named after, among its buffer's.
  [[nodiscard]] Value symbol(const std::string& name, std::uint64_t place = 0);
  // A value that was read from the element after which the symbol `element` is named.
  [[nodiscard]] Value placed(Value element, Value v);
  // Poison that says where it came from ("ws[2]").
  [[nodiscard]] Value poison(const std::string& origin);
  // A value that may be anything, of that origin. Two of one origin are equal as Values and need not be equal numbers.
  [[nodiscard]] Value free(const std::string& origin);
  [[nodiscard]] static Value unknown() { return Value(0, 1); }

  [[nodiscard]] bool is_poison(Value v) const { return v.term() > 1 && nodes_[v.term()].kind == Kind::poison; }
  [[nodiscard]] bool is_free(Value v) const { return v.term() > 1 && nodes_[v.term()].kind == Kind::free; }
  [[nodiscard]] std::string origin_of_poison(Value v) const { return nodes_[v.term()].name; }

  // Result of an instruction. Numbers compute as the machine does (division by zero gives all ones, as PTX's integer
  // division does in practice).
  [[nodiscard]] Value apply(const Arithmetic& instruction, Value a, Value b, Value c);
  // New contents of a location under an atomic (cas: `a` expected, `b` new). No value: a cas that fails.
  // Unknown where a cas can't be decided yet. Throws NotModelled for a cas on symbols that are not equal.
  [[nodiscard]] std::optional<Value> atomic(AtomicOp op, Type type, Value old, Value a, Value b);
  [[nodiscard]] Value add(Type type, Value a, Value b);
  [[nodiscard]] Value binary(Arith op, Type type, Value a, Value b);
  // No value: not decided (a comparison of different terms).
  [[nodiscard]] std::optional<bool> compare(Compare op, Type type, Value a, Value b) const;

  // Renames symbols: those with a term in `replacement` become its value, a symbol.
  [[nodiscard]] Value substitute(Value v, const std::unordered_map<std::uint32_t, Value>& replacement);

  // Calls f(symbol, context) for each symbol in a term; `context` tells how it occurs there (hash of coefficients and operations).
  void each_symbol(Value v, const std::function<void(std::uint32_t symbol, std::uint64_t context)>& f) const;

  // "3", "1.5", "in[0] + in[1] + 2", "poison (ws[2])".
  [[nodiscard]] std::string to_string(Value v, Type type) const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

 private:
  enum class Kind : std::uint8_t { number, unknown, poison, free, symbol, placed, sum, operation };
  struct Node {
    Kind kind = Kind::number;
    Arith op = Arith::mov;
    Type type = Type::u32;
    std::uint64_t bits = 0;                          // constant of a sum; place of a symbol, or of what is placed
    std::string name;                                // symbol, poison, free
    std::vector<std::pair<std::uint32_t, std::uint64_t>> parts;  // sum: (term, coefficient or count), by term
    std::vector<Value> operands;                     // operation; what is placed: element, value
  };
  [[nodiscard]] Value intern(Node node);
  [[nodiscard]] std::optional<Value> special(Value a, Value b, Value c) const;
  [[nodiscard]] bool sums_are_multisets(Type type) const;
  [[nodiscard]] Value gathered(Node node, Type asked);
  [[nodiscard]] Value sum(Type type, Value a, std::uint64_t factor_a, Value b, std::uint64_t factor_b);
  // No value: it is no sum of placed values in ascending order.
  [[nodiscard]] std::optional<Value> sum_in_order(Type type, Value a, Value b);
  void add_parts(Node& into, Type type, Value v, std::uint64_t factor) const;
  [[nodiscard]] std::vector<Value> flattened(Arith op, Type type, const std::vector<Value>& operands) const;
  [[nodiscard]] Value operation(Arith op, Type type, std::vector<Value> operands);

  void visit(std::uint32_t term, std::uint64_t context,
             const std::function<void(std::uint32_t, std::uint64_t)>& f) const;

  ValueDomain domain_;
  bool frozen_ = false;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::uint32_t> index_;  // key of a node -> id
};

// Arithmetic on numbers alone; shared with every executor.
[[nodiscard]] std::uint64_t compute(const Arithmetic& instruction, std::uint64_t a, std::uint64_t b, std::uint64_t c);
[[nodiscard]] bool compare_numbers(Compare op, Type type, std::uint64_t a, std::uint64_t b);
[[nodiscard]] std::optional<std::uint64_t> compute_atomic(AtomicOp op, Type type, std::uint64_t old, std::uint64_t a,
                                                          std::uint64_t b);

}  // namespace fencewise
