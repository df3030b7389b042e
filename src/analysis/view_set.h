// SPDX-License-Identifier: Apache-2.0
//
// Which tables: a set of views. Each table has one of its own.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace stepscope {

class ViewSet {
 public:
  static constexpr size_t kMost = 256;

  constexpr ViewSet() = default;
  static constexpr ViewSet One(size_t index) {
    ViewSet set;
    set.words_[index / 64] = uint64_t{1} << index % 64;
    return set;
  }
  // A bit for each of the first 64: the mask of <stepscope/c.h>.
  static constexpr ViewSet OfMask(uint64_t mask) {
    ViewSet set;
    set.words_[0] = mask;
    return set;
  }
  static constexpr ViewSet All() { return ~ViewSet(); }

  constexpr size_t size() const {
    size_t count = 0;
    for (const uint64_t word : words_)
      count += static_cast<size_t>(std::popcount(word));
    return count;
  }
  constexpr explicit operator bool() const { return *this != ViewSet(); }
  constexpr bool operator==(const ViewSet&) const = default;
  constexpr ViewSet& operator|=(const ViewSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr ViewSet& operator&=(const ViewSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  constexpr ViewSet operator~() const {
    ViewSet set;
    for (size_t i = 0; i < words_.size(); ++i) set.words_[i] = ~words_[i];
    return set;
  }
  friend constexpr ViewSet operator|(ViewSet a, const ViewSet& b) {
    return a |= b;
  }
  friend constexpr ViewSet operator&(ViewSet a, const ViewSet& b) {
    return a &= b;
  }

 private:
  std::array<uint64_t, kMost / 64> words_ = {};
};

}  // namespace stepscope
