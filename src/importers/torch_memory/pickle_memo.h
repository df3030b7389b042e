// SPDX-License-Identifier: Apache-2.0
//
// Values of a pickle as they stand on its stack, and its memo: what was written
// once and is referred to by a number from then on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/column.h"
#include "base/string_pool.h"

namespace stepscope::torch_memory {

enum class ValueType : uint8_t {
  kOther,  // a tuple, bytes, a set, a number that does not fit
  kNone,
  kBool,
  kInt,
  kFloat,
  kText,
  kList,
  kDict,
};

struct Value {
  static constexpr uint32_t kNoMemo = 0xffffffffu;

  Value() : number(0) {}
  explicit Value(ValueType t) : type(t), number(0) {}

  ValueType type = ValueType::kOther;
  uint32_t memo = kNoMemo;  // where it was memoised last
  union {
    int64_t number;
    double real;
    StringId text;
    uint32_t handle;  // of a list or a dict; 0: nothing was put into it
  };
};

class PickleMemo {
 public:
  // Handles and ids of texts have so many bits.
  static constexpr uint32_t kPayloadBits = 28;
  static constexpr uint32_t kPayloadMask = (1u << kPayloadBits) - 1;
  static constexpr uint64_t kMostSlots = kPayloadMask * uint64_t{8};

  size_t size() const { return slots_.size(); }
  // How many more are taken without asking for memory.
  size_t room() const { return slots_.capacity() - slots_.size(); }
  // False when memory is refused.
  [[nodiscard]] bool Grow(size_t size) {
    return slots_.ReserveMore(size - slots_.size()) && slots_.Resize(size);
  }

  // What stands for a value. Its payload may be too large: see Fits().
  static uint32_t Pack(const Value& value) {
    return (static_cast<uint32_t>(value.type) + 1) << kPayloadBits |
           PayloadOf(value);
  }
  static bool Fits(const Value& value) {
    return PayloadOf(value) <= kPayloadMask;
  }
  // False: nothing was put there.
  bool Get(uint64_t index, Value& value) const {
    const uint32_t packed =
        index < slots_.size() ? slots_[static_cast<size_t>(index)] : 0;
    if (packed == 0) return false;
    value = Value(static_cast<ValueType>((packed >> kPayloadBits) - 1));
    value.memo = static_cast<uint32_t>(index);
    if (value.type == ValueType::kText)
      value.text = StringId{packed & kPayloadMask};
    else if (value.type > ValueType::kText)
      value.handle = packed & kPayloadMask;
    else
      value.type = ValueType::kOther;  // numbers are never memoised by Python
    return true;
  }
  // REQUIRES: index < size(). Whether a text stood there until now.
  bool Set(size_t index, uint32_t packed) {
    constexpr auto kText = static_cast<uint32_t>(ValueType::kText) + 1;
    const bool was_text = slots_[index] >> kPayloadBits == kText;
    slots_[index] = packed;
    return was_text;
  }
  // REQUIRES: room() > 0.
  void AppendReserved(uint32_t packed) { slots_.AppendReserved(packed); }

 private:
  static uint32_t PayloadOf(const Value& value) {
    return value.type == ValueType::kText  ? value.text.v
           : value.type > ValueType::kText ? value.handle
                                           : 0;
  }

  // By index: four bits of type + 1, then the handle or the id of a text; 0:
  // nothing. There is one for nearly every dict of the file.
  Column<uint32_t> slots_;
};

}  // namespace stepscope::torch_memory
