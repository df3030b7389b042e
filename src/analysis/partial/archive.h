// SPDX-License-Identifier: Apache-2.0
//
// How a partial becomes bytes and bytes a partial: the same list of fields
// (fields.h) is gone through by a writer or by a reader, so that the two
// cannot disagree. Whole numbers are of variable length, seven bits to a byte,
// signed ones with their sign in the lowest bit; doubles are eight bytes, low
// byte first; text and lists begin with their length.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace stepscope {

class PartialWriter {
 public:
  static constexpr bool kReads = false;

  std::string Take() { return std::move(bytes_); }

  void Number(uint64_t& value) {
    uint64_t rest = value;
    for (; rest >= 0x80; rest >>= 7)
      bytes_ += static_cast<char>((rest & 0x7f) | 0x80);
    bytes_ += static_cast<char>(rest);
  }
  void Real(double& value) {
    const auto bits = std::bit_cast<uint64_t>(value);
    for (unsigned i = 0; i < 64; i += 8)
      bytes_ += static_cast<char>(bits >> i & 0xff);
  }
  void Text(std::string& value) {
    uint64_t size = value.size();
    Number(size);
    bytes_ += value;
  }
  // The length of a list.
  size_t Length(size_t size) {
    uint64_t number = size;
    Number(number);
    return size;
  }
  bool failed() const { return false; }

 private:
  std::string bytes_;
};

// Bytes that are no partial make it fail: it then gives zeros and nothing.
class PartialReader {
 public:
  static constexpr bool kReads = true;

  explicit PartialReader(std::string_view bytes) : bytes_(bytes) {}

  void Number(uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) return Fail();
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      if (shift == 63 && byte > 1) return Fail();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return;
    }
    Fail();
  }
  void Real(double& value) {
    value = 0;
    if (bytes_.size() < 8) return Fail();
    uint64_t bits = 0;
    for (unsigned i = 0; i < 8; ++i)
      bits |= uint64_t{static_cast<uint8_t>(bytes_[i])} << (8 * i);
    bytes_.remove_prefix(8);
    value = std::bit_cast<double>(bits);
  }
  void Text(std::string& value) {
    const size_t size = Length(0);
    value.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  // Each element of a list takes a byte at least: a length beyond the bytes
  // that are left is none, and nothing is made of it.
  size_t Length(size_t) {
    uint64_t size = 0;
    Number(size);
    if (size <= bytes_.size()) return static_cast<size_t>(size);
    Fail();
    return 0;
  }
  void Fail() {
    failed_ = true;
    bytes_ = {};
  }
  bool failed() const { return failed_; }
  // Read to the end, and everything fitted.
  bool done() const { return !failed_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

template <typename Archive, typename Value>
void Whole(Archive& archive, Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    auto number = static_cast<uint64_t>(value);
    archive.Number(number);
    if constexpr (Archive::kReads) value = static_cast<Value>(number);
  } else if constexpr (std::is_signed_v<Value>) {
    const auto bits = static_cast<uint64_t>(int64_t{value});
    uint64_t folded = bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0);
    archive.Number(folded);
    if constexpr (Archive::kReads) {
      const uint64_t sign = (folded & 1) != 0 ? ~uint64_t{0} : 0;
      value = static_cast<Value>(static_cast<int64_t>(folded >> 1 ^ sign));
    }
  } else {
    uint64_t number = value;
    archive.Number(number);
    if constexpr (Archive::kReads) value = static_cast<Value>(number);
  }
}

}  // namespace stepscope
