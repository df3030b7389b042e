// SPDX-License-Identifier: Apache-2.0
//
// For tests that repeat something for the sake of scale or of statistics.
#pragma once

namespace stepscope {

// How often: the whole of it, or a part in a tree of a sanitizer. That one
// looks for wrong accesses on every path, and statistics are the same in both
// trees.
template <typename T>
constexpr T WholeOrPart(T whole, [[maybe_unused]] T part) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return part;
#else
  return whole;
#endif
}

}  // namespace stepscope
