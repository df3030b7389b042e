// SPDX-License-Identifier: Apache-2.0
//
// Pb: writes protobuf messages field by field, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "importers/proto/wire.h"

namespace stepscope::proto {

class Pb {
 public:
  Pb& Int(uint32_t number, int64_t value) {
    Key(number, Wire::kVarint);
    Number(static_cast<uint64_t>(value));
    return *this;
  }
  Pb& Text(uint32_t number, std::string_view text) {
    Key(number, Wire::kBytes);
    Number(text.size());
    bytes_ += text;
    return *this;
  }
  Pb& Sub(uint32_t number, const Pb& message) {
    return Text(number, message.bytes_);
  }
  Pb& Double(uint32_t number, double value) {
    return Fixed(number, Wire::kFixed64, &value, sizeof(value));
  }
  Pb& Float(uint32_t number, float value) {
    return Fixed(number, Wire::kFixed32, &value, sizeof(value));
  }
  Pb& Raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }

  const std::string& str() const { return bytes_; }
  Bytes bytes() const {
    return {reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size()};
  }

 private:
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void Key(uint32_t number, Wire wire) { Number(Tag(number, wire)); }
  Pb& Fixed(uint32_t number, Wire wire, const void* value, size_t size) {
    Key(number, wire);
    bytes_.append(static_cast<const char*>(value), size);
    return *this;
  }

  std::string bytes_;
};

inline Bytes AsBytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace stepscope::proto
