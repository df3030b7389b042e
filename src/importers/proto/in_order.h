// SPDX-License-Identifier: Apache-2.0
//
// InOrder: takes the first fields of a message off it, if they come in the
// order in which they are asked for, which is that of their numbers wherever
// protobuf wrote them. It stops at whatever is any different; Message reads the
// rest, so that nothing depends on the order.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "importers/proto/wire.h"

namespace stepscope::proto {

// Every call looks at the next field, whose tag is below 128 if it is the one
// that is asked for. At the end of a message that is a byte of what follows,
// and what seems to be a field is then found to reach beyond the end.
class InOrder {
 public:
  // Bytes behind the end that a call may look at: a tag and a varint.
  static constexpr ptrdiff_t kLookahead = 2 + kMaxVarint;

  // `readable`: where what may be looked at ends, at or behind the message.
  InOrder(Bytes message, const uint8_t* readable)
      : at_(message.data()), end_(message.data() + message.size()) {
    if (readable - end_ < kLookahead) [[unlikely]] {
      begin_ = at_;
      at_ = kNothing;
    }
  }

  bool Number(uint32_t tag, uint64_t* out) {
    if (*at_ != tag) return false;
    const uint8_t* p = at_ + 1;
    uint64_t value = 0;
    if (!QuickShort(p, &value) && !QuickVarint(p, &value)) return false;
    if (p > end_) return false;
    at_ = p;
    *out = value;
    return true;
  }
  // The same for what is below 128 as a rule.
  bool Small(uint32_t tag, uint64_t* out) {
    if (at_[1] >= 0x80) return Number(tag, out);
    if (*at_ != tag || at_ + 2 > end_) return false;
    *out = at_[1];
    at_ += 2;
    return true;
  }
  // The same for what has nine bytes as a rule: Unix times in nanoseconds.
  bool Time(uint32_t tag, uint64_t* out) {
    if (*at_ != tag) return false;
    uint64_t word;
    std::memcpy(&word, at_ + 1, sizeof(word));
    if ((~word & kGoesOn) != 0 || at_[9] >= 0x80 || at_ + 10 > end_)
      return Number(tag, out);
    *out = CloseUp(word) | static_cast<uint64_t>(at_[9]) << 56;
    at_ += 10;
    return true;
  }
  // The same for a field from number 16 on, whose tag has two bytes.
  bool HighNumber(uint32_t tag, uint64_t* out) {
    if (at_[0] != ((tag & 0x7f) | 0x80) || at_[1] != tag >> 7) return false;
    const uint8_t* p = at_ + 2;
    uint64_t value = 0;
    if (!QuickVarint(p, &value) || p > end_) return false;
    at_ = p;
    *out = value;
    return true;
  }
  // Bytes that are all there.
  bool Sub(uint32_t tag, Bytes* out) {
    if (*at_ != tag) return false;
    const uint8_t* p = at_ + 1;
    uint64_t size = 0;
    if (!QuickSmall(p, &size) || p > end_ ||
        size > static_cast<uint64_t>(end_ - p))
      return false;
    *out = {p, static_cast<size_t>(size)};
    at_ = p + size;
    return true;
  }
  bool Text(uint32_t tag, std::string_view* out) {
    Bytes bytes;
    if (!Sub(tag, &bytes)) return false;
    *out = proto::Text(bytes);
    return true;
  }

  // What has not been taken.
  Bytes rest() const { return {at_ == kNothing ? begin_ : at_, end_}; }

 private:
  // Where no tag is found, for messages that end too close to `readable`.
  static constexpr uint8_t kNothing[kLookahead] = {};

  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* begin_ = nullptr;
};

}  // namespace stepscope::proto
