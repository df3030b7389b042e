// SPDX-License-Identifier: Apache-2.0
//
// Column<T>: a large array of plain values. Unlike std::vector it does not
// touch memory before it is written and asks for huge pages, which decides the
// load time of a 100 M event trace. Movable, single owner; or a view of values
// that lie in a mapped file.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace stepscope {

// Maps `bytes` of zeroed memory; null for 0 bytes or when there is none.
void* MapColumn(size_t bytes);
void UnmapColumn(void* data, size_t bytes);
// The same memory with room for more; its pages move and are not copied. Null
// where memory is refused; then the old is as it was.
void* GrowColumn(void* data, size_t bytes, size_t new_bytes);

template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  ~Column() {
    if (capacity_ > 0) UnmapColumn(data_, capacity_ * sizeof(T));
  }
  // Values that lie elsewhere, outlive the column and are never written to:
  // only the constant members may be used, and those that add values, which
  // copy all first.
  static Column Borrow(std::span<const T> values) {
    Column column;
    column.data_ = const_cast<T*>(values.data());
    column.size_ = values.size();
    return column;
  }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> view() const { return {data_, size_}; }
  std::span<T> span() { return {data_, size_}; }

  // Sets the size; new values are zero. False when memory is refused.
  [[nodiscard]] bool Resize(size_t size) {
    if (size > capacity_ && !Reserve(size)) return false;
    // What lies beyond the size is zero at all times.
    if (size < size_) {
      std::memset(static_cast<void*>(data_ + size), 0,
                  (size_ - size) * sizeof(T));
    }
    size_ = size;
    return true;
  }
  [[nodiscard]] bool Append(const T& value) {
    if (size_ >= capacity_ && !ReserveMore(1)) return false;
    data_[size_++] = value;
    return true;
  }
  // REQUIRES: capacity() > size().
  void AppendReserved(const T& value) { data_[size_++] = value; }
  // Appends a zero, to be filled in where it lies. Null when memory is refused.
  [[nodiscard]] T* AppendZero() {
    if (size_ >= capacity_ && !ReserveMore(1)) return nullptr;
    return &data_[size_++];
  }
  [[nodiscard]] bool AppendAll(std::span<const T> values) {
    if (!ReserveMore(values.size())) return false;
    if (!values.empty())
      std::memcpy(data_ + size_, values.data(), values.size_bytes());
    size_ += values.size();
    return true;
  }
  // Room for so many values behind those that are here. Grows by doubling at
  // least, however often it is called.
  [[nodiscard]] bool ReserveMore(size_t count) {
    if (size_ <= capacity_ && count <= capacity_ - size_) return true;
    if (count > static_cast<size_t>(-1) - size_) return false;
    constexpr size_t kFirstCapacity = 1024;
    return Reserve(std::max({size_ + count, capacity_ * 2, kFirstCapacity}));
  }
  [[nodiscard]] bool Reserve(size_t capacity) {
    if (capacity <= capacity_) return true;
    if (capacity > static_cast<size_t>(-1) / sizeof(T)) return false;
    const bool borrowed = capacity_ == 0 && size_ > 0;
    capacity = std::max(capacity, size_);
    void* const data = GrowColumn(borrowed ? nullptr : data_,
                                  capacity_ * sizeof(T), capacity * sizeof(T));
    if (data == nullptr) return false;
    if (borrowed) std::memcpy(data, data_, size_ * sizeof(T));
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
    return true;
  }
  void swap(Column& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace stepscope
