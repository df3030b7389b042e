// SPDX-License-Identifier: Apache-2.0
//
// Whole numbers of 128 bits, which sums of nanoseconds may need.
#pragma once

#include <algorithm>
#include <string>

namespace stepscope {

__extension__ using WideInteger = __int128;
__extension__ using UnsignedWideInteger = unsigned __int128;

inline std::string WideText(UnsignedWideInteger value) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

inline std::string WideText(WideInteger value) {
  if (value >= 0) return WideText(static_cast<UnsignedWideInteger>(value));
  return "-" + WideText(-static_cast<UnsignedWideInteger>(value));
}

}  // namespace stepscope
