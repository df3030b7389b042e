// SPDX-License-Identifier: Apache-2.0
//
// RecordMatcher: nearly all of a snapshot are dicts with the same keys in the
// same order. A key stands there as its number in the memo, so that the bytes
// that were a key in one dict are compared with those of the next, and nothing
// has to be looked up, pushed or marked. Whatever is different is left to the
// Pickle, opcode by opcode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/string_pool.h"
#include "importers/torch_memory/pickle_memo.h"

namespace stepscope::torch_memory {

class RecordMatcher {
 public:
  static constexpr size_t kMostItems = 16;

  // Matches a dict from its kEmptyDict on: keys from the memo; numbers, texts,
  // None, empty lists and what is in the memo as values. Returns its bytes up
  // to its kSetItems, or 0: it is something else, or goes on behind `end`.
  // Changes nothing outside but that texts are interned.
  size_t Match(const uint8_t* code, const uint8_t* end, const PickleMemo& memo,
               StringPool& strings);

  // Of the last match: key, value, key, value.
  std::span<const Value> items() const {
    return std::span(items_).first(2 * count_);
  }
  // Memoises what was, and the dict first, for which `handle` stands now.
  // Returns the dict. REQUIRES: memo is as it was, and has room for
  // kMostItems + 1.
  Value Finish(uint32_t handle, PickleMemo& memo) const;

  // A text of the memo was replaced: bytes may mean another key.
  void Forget() { keys_.fill({}); }

 private:
  // The opcode that gets a key from the memo, as little-endian bytes.
  struct Key {
    uint64_t bytes = 1;
    uint64_t mask = 0;  // with the above: equal to none
    size_t size = 0;
  };

  bool ReadKey(size_t item, const PickleMemo& memo);
  bool LearnKey(size_t item, const PickleMemo& memo);
  bool ReadValue(Value& value, const PickleMemo& memo, StringPool& strings);
  bool ReadText(size_t size, Value& value, StringPool& strings);
  bool ReadMemoised(Value& value);

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  size_t first_memo_ = 0;
  size_t memo_count_ = 0;
  size_t count_ = 0;
  Value dict_{ValueType::kDict};
  std::array<Key, kMostItems> keys_;
  std::array<Value, 2 * kMostItems> items_;
  std::array<uint32_t, kMostItems + 1> memos_;  // packed
};

}  // namespace stepscope::torch_memory
