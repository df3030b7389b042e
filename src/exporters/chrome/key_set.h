// SPDX-License-Identifier: Apache-2.0
//
// The keys of one JSON object. Parsers keep one of several members with the
// same key, which would lose the others: a repeated key is given a number.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace stepscope::chrome {

class KeySet {
 public:
  void Clear();
  bool Contains(std::string_view key) const;
  // Adds and returns `key`, or `key (2)`, `key (3)`, ... if it is taken. Keys
  // are in escaped form.
  std::string Add(std::string_view key);

 private:
  static constexpr size_t kMaxList = 32;
  // Nearly all objects are small: a list is faster than hashing.
  std::vector<std::string> list_;
  std::unordered_set<std::string> set_;  // all keys, once there are many
  size_t size_ = 0;                      // entries of list_ in use
};

}  // namespace stepscope::chrome
