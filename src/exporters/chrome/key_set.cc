// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/key_set.h"

namespace stepscope::chrome {

void KeySet::Clear() {
  size_ = 0;
  set_.clear();
}

bool KeySet::Contains(std::string_view key) const {
  if (!set_.empty()) return set_.contains(std::string(key));
  for (size_t i = 0; i < size_; ++i)
    if (list_[i] == key) return true;
  return false;
}

std::string KeySet::Add(std::string_view key) {
  std::string unique(key);
  for (int n = 2; Contains(unique); ++n)
    unique = std::string(key) + " (" + std::to_string(n) + ")";
  if (!set_.empty()) {
    set_.insert(unique);
  } else if (size_ < kMaxList) {
    // Strings are reused, so that their memory is.
    if (size_ == list_.size()) list_.emplace_back();
    list_[size_++] = unique;
  } else {
    set_.insert(list_.begin(), list_.end());
    set_.insert(unique);
  }
  return unique;
}

}  // namespace stepscope::chrome
