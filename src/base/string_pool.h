// SPDX-License-Identifier: Apache-2.0
//
// Byte-exact interned strings with dense 32-bit ids. Id 0 is the empty string.
// Interning is single-threaded; reading is thread-safe once interning is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace stepscope {

struct StringId {
  uint32_t v = 0;
  friend bool operator==(StringId, StringId) = default;
  friend auto operator<=>(StringId, StringId) = default;
};

class StringPool {
 public:
  StringPool();
  ~StringPool();
  StringPool(StringPool&&) noexcept;
  StringPool& operator=(StringPool&&) noexcept;

  // The pool of strings that lie elsewhere and outlive it, by id, with what
  // hash() said of each. REQUIRES: all differ, the first is empty.
  static StringPool Borrow(std::vector<std::string_view> views,
                           std::vector<uint64_t> hashes);

  StringId Intern(std::string_view text);
  // A pool with the same strings under the same ids, to which more can be
  // added on another thread. Their text stays here: this pool must live on.
  StringPool Fork() const;
  // The id of `text`, or the empty string's if it is not here.
  StringId Find(std::string_view text) const;

  std::string_view view(StringId id) const { return views_[id.v]; }
  // 64-bit content hash, for joins across pools.
  uint64_t hash(StringId id) const { return hashes_[id.v]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }

 private:
  StringId InternHashed(std::string_view text);
  std::string_view Copy(std::string_view text);
  void Grow();
  void FillSlots(size_t count);

  std::vector<std::string_view> views_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_;  // open addressing: id + 1, 0 empty
  // Ids of late by a few bytes of the text: most that is interned has just
  // been before, and comparing is cheaper than hashing. 0: none.
  std::vector<uint32_t> recent_;
  std::vector<std::unique_ptr<char[]>> arena_;
  size_t arena_left_ = 0;
};

}  // namespace stepscope
