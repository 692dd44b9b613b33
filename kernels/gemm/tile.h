// Pieces that the tiled kernels share: the tile's place in the matrices, a thread's results in registers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/core/builder.h"

namespace fencewise::gemm {

struct Matrices {
  Array a, b, c;
  Val n, depth;

  explicit Matrices(KernelBuilder& k)
      : a(k.global("A", Type::f32)),
        b(k.global("B", Type::f32)),
        c(k.global("C", Type::f32)),
        n(k.param("n", Type::u32)),
        depth(k.param("depth", Type::u32)) {}
};

// A thread's part of C: rows x columns accumulators, zero at first.
class Results {
 public:
  Results(KernelBuilder& k, int rows, int columns) : k_(k), columns_(columns) {
    for (int i = 0; i < rows * columns; ++i) sums_.push_back(k.var("acc", Type::f32, 0.0F));
  }
  [[nodiscard]] const Val& at(int row, int column) const {
    return sums_[static_cast<std::size_t>(row * columns_ + column)];
  }
  void add(int row, int column, const Val& a, const Val& b) {
    k_.set(at(row, column), k_.fma(a, b, at(row, column)));
  }
  // sum += a x b, all of them.
  void add_outer_product(const std::vector<Val>& a, const std::vector<Val>& b) {
    for (int i = 0; i < static_cast<int>(a.size()); ++i)
      for (int j = 0; j < static_cast<int>(b.size()); ++j)
        add(i, j, a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)]);
  }
  // Four neighbours in a row.
  [[nodiscard]] std::vector<Val> quad(int row, int column) const {
    return {at(row, column), at(row, column + 1), at(row, column + 2), at(row, column + 3)};
  }

 private:
  KernelBuilder& k_;
  int columns_;
  std::vector<Val> sums_;
};

// Appends b to a.
inline void append(std::vector<Val>& a, const std::vector<Val>& b) { a.insert(a.end(), b.begin(), b.end()); }

}  // namespace fencewise::gemm
