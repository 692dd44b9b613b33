// A vector whose copies share their elements until one of them is written: copying it allocates nothing per element.
//
// Copies may go to different threads; one copy belongs to one thread at a time. A reference to write by ends with the next copy.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace fencewise::view {

template <class T> class SharedVector {
 public:
  SharedVector() = default;
  explicit SharedVector(std::size_t size) : elements_(size) {}

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  void resize(std::size_t size) { elements_.resize(size); }
  T& emplace_back() { return *elements_.emplace_back(std::make_shared<T>()); }

  [[nodiscard]] const T& operator[](std::size_t n) const { return elements_[n] ? *elements_[n] : nothing(); }
  // To read where the vector is not const.
  [[nodiscard]] const T& read(std::size_t n) const { return (*this)[n]; }
  // To write: the element is this vector's own from here on.
  [[nodiscard]] T& operator[](std::size_t n) {
    std::shared_ptr<T>& element = elements_[n];
    if (!element)
      element = std::make_shared<T>();
    else if (element.use_count() != 1)
      element = std::make_shared<T>(*element);
    return *element;
  }
  // Whether nobody has written the element since one vector was copied from the other.
  [[nodiscard]] bool shares(std::size_t n, const SharedVector& other) const {
    return n < other.size() && elements_[n] == other.elements_[n];
  }
  // Element `from` of another vector, which it may not be asked for again.
  void take(std::size_t n, SharedVector& other, std::size_t from) { elements_[n] = std::move(other.elements_[from]); }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    Iterator(const SharedVector& vector, std::size_t n) : vector_(&vector), n_(n) {}
    const T& operator*() const { return (*vector_)[n_]; }
    Iterator& operator++() {
      ++n_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.n_ == b.n_; }

   private:
    const SharedVector* vector_;
    std::size_t n_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  static const T& nothing() {
    static const T none{};
    return none;
  }
  std::vector<std::shared_ptr<T>> elements_;  // null: T()
};

}  // namespace fencewise::view
