// SPDX-License-Identifier: Apache-2.0
#include "importers/torch_memory/record_matcher.h"

#include <bit>
#include <cstring>

#include "importers/torch_memory/pickle_opcodes.h"

namespace stepscope::torch_memory {
namespace {

// What is read at once without looking where the bytes end: a key, and a value
// that is no text.
constexpr std::ptrdiff_t kLongestItem = 24;

uint64_t EightBytes(const uint8_t* at) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

uint32_t FourBytes(const uint8_t* at) {
  return static_cast<uint32_t>(EightBytes(at));
}

}  // namespace

size_t RecordMatcher::Match(const uint8_t* code, const uint8_t* end,
                            const PickleMemo& memo, StringPool& strings) {
  if (end - code < kLongestItem) return 0;
  at_ = code + 1;
  end_ = end;
  first_memo_ = memo.size();
  memo_count_ = 0;
  dict_.memo = Value::kNoMemo;
  if (!ReadMemoised(dict_) || *at_ != kMark) return 0;
  ++at_;
  for (size_t item = 0;; ++item) {
    if (end_ - at_ < kLongestItem) return 0;
    if (*at_ == kSetItems) {
      count_ = item;
      return item == 0 ? 0 : static_cast<size_t>(at_ - code);
    }
    if (item == kMostItems || !ReadKey(item, memo) ||
        !ReadValue(items_[2 * item + 1], memo, strings))
      return 0;
  }
}

bool RecordMatcher::ReadKey(size_t item, const PickleMemo& memo) {
  const Key& key = keys_[item];
  if ((EightBytes(at_) & key.mask) != key.bytes) return LearnKey(item, memo);
  at_ += key.size;
  return true;
}

bool RecordMatcher::LearnKey(size_t item, const PickleMemo& memo) {
  const bool wide = *at_ == kLongBinGet;
  if (!wide && *at_ != kBinGet) return false;
  Value text;
  if (!memo.Get(wide ? FourBytes(at_ + 1) : at_[1], text) ||
      text.type != ValueType::kText)
    return false;
  items_[2 * item] = text;
  Key& key = keys_[item];
  key.size = wide ? 5 : 2;
  key.mask = (uint64_t{1} << (8 * key.size)) - 1;
  key.bytes = EightBytes(at_) & key.mask;
  at_ += key.size;
  return true;
}

bool RecordMatcher::ReadValue(Value& value, const PickleMemo& memo,
                              StringPool& strings) {
  switch (*at_) {
    case kBinGet:
      if (!memo.Get(at_[1], value)) return false;
      at_ += 2;
      return true;
    case kLongBinGet:
      if (!memo.Get(FourBytes(at_ + 1), value)) return false;
      at_ += 5;
      return true;
    case kShortBinUnicode:
      at_ += 2;
      return ReadText(at_[-1], value, strings);
    case kBinUnicode:
      at_ += 5;
      return ReadText(FourBytes(at_ - 4), value, strings);
    case kEmptyList:
      ++at_;
      value = Value(ValueType::kList);
      return ReadMemoised(value);
    case kNone:
      ++at_;
      value = Value(ValueType::kNone);
      return true;
    case kNewTrue:
    case kNewFalse:
      value = Value(ValueType::kBool);
      value.number = *at_++ == kNewTrue;
      return true;
    default: {
      value = Value(ValueType::kInt);
      const size_t size = ReadInt(at_, value.number);
      at_ += size;
      return size > 0;
    }
  }
}

bool RecordMatcher::ReadText(size_t size, Value& value, StringPool& strings) {
  constexpr size_t kLongestText = 256;
  if (size > kLongestText ||
      end_ - at_ < static_cast<std::ptrdiff_t>(size) + kLongestItem)
    return false;
  value = Value(ValueType::kText);
  value.text = strings.Intern({reinterpret_cast<const char*>(at_), size});
  at_ += size;
  return ReadMemoised(value);
}

// Memoises a value if the next opcode does. False: not as Python numbers them.
bool RecordMatcher::ReadMemoised(Value& value) {
  const size_t next = first_memo_ + memo_count_;
  switch (*at_) {
    case kMemoize:
      ++at_;
      break;
    case kBinPut:
      if (at_[1] != next) return false;
      at_ += 2;
      break;
    case kLongBinPut:
      if (FourBytes(at_ + 1) != next) return false;
      at_ += 5;
      break;
    default:
      return true;
  }
  if (!PickleMemo::Fits(value)) return false;
  value.memo = static_cast<uint32_t>(next);
  memos_[memo_count_++] = PickleMemo::Pack(value);
  return true;
}

Value RecordMatcher::Finish(uint32_t handle, PickleMemo& memo) const {
  Value dict = dict_;
  dict.handle = handle;
  for (size_t i = 0; i < memo_count_; ++i) memo.AppendReserved(memos_[i]);
  if (dict.memo != Value::kNoMemo) memo.Set(dict.memo, PickleMemo::Pack(dict));
  return dict;
}

}  // namespace stepscope::torch_memory
