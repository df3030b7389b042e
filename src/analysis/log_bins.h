// SPDX-License-Identifier: Apache-2.0
//
// Bins of whole numbers that are as wide as the numbers are large.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace stepscope {

// Bins that ascend with the value: below 2^(kSubBits + 1) one value each,
// above that 2^kSubBits to each doubling.
template <unsigned kSubBits, typename T>
struct LogBins {
  static constexpr size_t kCount = (8 * sizeof(T) + 1 - kSubBits) << kSubBits;

  static unsigned ShiftOf(uint64_t value) {
    constexpr uint64_t kLeast = uint64_t{1} << kSubBits;
    return static_cast<unsigned>(std::bit_width(value | kLeast)) -
           (kSubBits + 1);
  }
  static size_t Of(uint64_t value) {
    const unsigned shift = ShiftOf(value);
    return (size_t{shift} << kSubBits) + static_cast<size_t>(value >> shift);
  }
  // How far the values of a bin are shifted: it holds 2^shift of them.
  static unsigned Shift(size_t bin) {
    const size_t doubling = bin >> kSubBits;
    return doubling < 2 ? 0 : static_cast<unsigned>(doubling - 1);
  }
  static uint64_t Least(size_t bin) {
    const unsigned shift = Shift(bin);
    return uint64_t{bin - (size_t{shift} << kSubBits)} << shift;
  }
};

}  // namespace stepscope
