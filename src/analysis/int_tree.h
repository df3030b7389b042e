// SPDX-License-Identifier: Apache-2.0
//
// IntTree: nested lists of whole numbers out of JSON, which is how shapes are
// written down: [[8, 3, 32, 32], [16, 3, 3, 3], [], [[4], [4]]]. Of an object
// the values count, in order, with their keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct IntTree {
  bool is_list = false;
  int64_t value = 0;           // of a number; 0 for any other scalar
  std::string text;            // of a string, or of the key in an object
  std::vector<IntTree> items;  // of a list or an object

  // The item of an object with that key, or null.
  const IntTree* Find(std::string_view key) const;
  // The numbers of a list that holds nothing else.
  std::optional<std::vector<int64_t>> Numbers() const;
};

// Nothing if the text is not JSON, or nested deeper than any shape is.
std::optional<IntTree> ParseIntTree(std::string_view json);

}  // namespace stepscope
