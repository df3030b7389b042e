// SPDX-License-Identifier: Apache-2.0
//
// InOrder: takes the first fields of a message off it, if they come in the
// order in which they are asked for, which is that of their numbers wherever
// protobuf wrote them. It stops at whatever is any different; Message reads the
// rest, so that nothing depends on the order.
#pragma once

#include <cstdint>
#include <string_view>

#include "importers/proto/wire.h"

namespace stepscope::proto {

class InOrder {
 public:
  // `readable`: where what may be looked at ends, at or behind the message.
  InOrder(Bytes message, const uint8_t* readable)
      : at_(message.data()), end_(message.data() + message.size()) {
    stop_ = readable - end_ >= kMaxVarint ? end_ : at_;
  }

  // The number of the next field, if its tag is this; tags are below 128.
  bool Number(uint32_t tag, uint64_t* out) {
    if (at_ >= stop_ || *at_ != tag) return false;
    const uint8_t* p = at_ + 1;
    uint64_t value = 0;
    if (!QuickVarint(p, &value) || p > end_) return Stop();
    at_ = p;
    *out = value;
    return true;
  }
  // The same for what is below 128 as a rule.
  bool Small(uint32_t tag, uint64_t* out) {
    if (end_ - at_ < 2 || at_[1] >= 0x80) return Number(tag, out);
    if (at_ >= stop_ || *at_ != tag) return false;
    *out = at_[1];
    at_ += 2;
    return true;
  }
  bool Text(uint32_t tag, std::string_view* out) {
    if (at_ >= stop_ || *at_ != tag) return false;
    const uint8_t* p = at_ + 1;
    uint64_t size = 0;
    if (!QuickSmall(p, &size) || p > end_ ||
        size > static_cast<uint64_t>(end_ - p))
      return Stop();
    *out = proto::Text({p, static_cast<size_t>(size)});
    at_ = p + size;
    return true;
  }

  // What has not been taken.
  Bytes rest() const { return {at_, end_}; }

 private:
  bool Stop() {
    stop_ = at_;
    return false;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* stop_;  // nothing is taken from here on
};

}  // namespace stepscope::proto
