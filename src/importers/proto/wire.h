// SPDX-License-Identifier: Apache-2.0
//
// Message: walks the fields of one protobuf message without copying, throwing
// or recursing, and says where damage begins. A field that claims more bytes
// than its message has is handed out clipped, so that the readable part of a
// truncated file is read; the walk then ends with ok() false.
//
// A case of a switch on tag() holds number and wire type together: a field
// with a wrong wire type falls into `default` like an unknown one.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace stepscope::proto {

using Bytes = std::span<const uint8_t>;

enum class Wire : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

// As on the wire, if the number is below 16.
constexpr uint32_t Tag(uint32_t number, Wire wire) {
  return number << 3 | static_cast<uint32_t>(wire);
}
constexpr uint32_t Varint(uint32_t number) {
  return Tag(number, Wire::kVarint);
}
constexpr uint32_t Delimited(uint32_t number) {
  return Tag(number, Wire::kBytes);
}
constexpr uint32_t Fixed64(uint32_t number) {
  return Tag(number, Wire::kFixed64);
}
constexpr uint32_t Fixed32(uint32_t number) {
  return Tag(number, Wire::kFixed32);
}

inline std::string_view Text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The varint at `p`; moves `p` behind it. False, with `p` where it was, if it
// does not end before `end` or has more than ten bytes.
inline bool ReadVarint(const uint8_t*& p, const uint8_t* end, uint64_t* out) {
  if (p < end && *p < 0x80) [[likely]] {
    *out = *p++;
    return true;
  }
  uint64_t value = 0;
  const uint8_t* at = p;
  for (uint32_t shift = 0; shift < 70 && at < end; shift += 7) {
    const uint8_t byte = *at++;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      p = at;
      *out = value;
      return true;
    }
  }
  return false;
}

inline constexpr ptrdiff_t kMaxVarint = 10;               // bytes
inline constexpr uint64_t kGoesOn = 0x8080808080808080u;  // by byte

// Groups of 7 bits, closed up in pairs; the highest bit of a byte is ignored.
inline uint64_t CloseUp(uint64_t word) {
  word = (word & 0x007f007f007f007fu) | (word & 0x7f007f007f007f00u) >> 1;
  word = (word & 0x00003fff00003fffu) | (word & 0x3fff00003fff0000u) >> 2;
  return (word & 0x000000000fffffffu) | (word & 0x0fffffff00000000u) >> 4;
}

// As ReadVarint for up to four bytes, which most ids have. False, and nothing
// else, if there are more. REQUIRES: four bytes from `p` on.
inline bool QuickShort(const uint8_t*& p, uint64_t* out) {
  uint32_t word;
  std::memcpy(&word, p, sizeof(word));  // little-endian, as the machine is
  const uint32_t last = ~word & static_cast<uint32_t>(kGoesOn);
  if (last == 0) return false;
  p += (std::countr_zero(last) >> 3) + 1;
  word &= last ^ (last - 1);
  word = (word & 0x007f007fu) | (word >> 1 & 0x3f803f80u);
  *out = (word & 0x3fffu) | (word >> 2 & 0x0fffc000u);
  return true;
}

// As ReadVarint, eight bytes at a time and without an end. REQUIRES: kMaxVarint
// bytes from `p` on.
inline bool QuickVarint(const uint8_t*& p, uint64_t* out) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));  // little-endian, as the machine is
  // The first byte that has no successor, as its highest bit.
  const uint64_t last = ~word & kGoesOn;
  const uint8_t* const from = p;
  p += last == 0 ? 8 : (std::countr_zero(last) >> 3) + 1;
  *out = CloseUp(word & (last ^ (last - 1)));
  if (last != 0) [[likely]]
    return true;
  *out |= static_cast<uint64_t>(*p & 0x7f) << 56;
  if (*p++ < 0x80) return true;
  *out |= static_cast<uint64_t>(*p & 0x7f) << 63;
  if (*p++ < 0x80) return true;
  p = from;
  return false;
}

// The same for what is below 128 as a rule: tags, lengths and ids.
inline bool QuickSmall(const uint8_t*& p, uint64_t* out) {
  if (*p < 0x80) [[likely]] {
    *out = *p++;
    return true;
  }
  return QuickShort(p, out) || QuickVarint(p, out);
}

class Message {
 public:
  explicit Message(Bytes bytes) : Message(bytes, bytes.data() + bytes.size()) {}
  // `readable`: where what may be looked at ends, at or behind the message.
  // Most varints are then read in one go.
  Message(Bytes bytes, const uint8_t* readable)
      : at_(bytes.data()),
        end_(bytes.data() + bytes.size()),
        readable_(readable),
        field_(at_) {}

  // Moves to the next field. False at the end, and at damage.
  bool Next() {
    if (at_ == end_) return false;
    field_ = at_;
    uint64_t tag = 0;
    if (!Read(&tag) || tag < 8 || tag > UINT32_MAX) return Damaged();
    tag_ = static_cast<uint32_t>(tag);
    switch (static_cast<Wire>(tag & 7)) {
      case Wire::kVarint:
        return Read(&value_) || Damaged();
      case Wire::kBytes: {
        uint64_t size = 0;
        if (!Read(&size)) return Damaged();
        const uint8_t* const data = at_;
        if (size > static_cast<uint64_t>(end_ - at_)) [[unlikely]] {
          cut_ = true;
          ok_ = false;
          size = static_cast<uint64_t>(end_ - at_);
        }
        at_ += size;
        bytes_ = {data, static_cast<size_t>(size)};
        return true;
      }
      case Wire::kFixed64:
        return Fixed(8);
      case Wire::kFixed32:
        return Fixed(4);
    }
    return Damaged();  // groups and what does not exist
  }

  uint32_t tag() const { return tag_; }
  uint32_t number() const { return tag_ >> 3; }
  // Of a varint or fixed field.
  uint64_t value() const { return value_; }
  int64_t sint() const { return static_cast<int64_t>(value_); }
  double real() const { return std::bit_cast<double>(value_); }
  float real32() const {
    return std::bit_cast<float>(static_cast<uint32_t>(value_));
  }
  // Of a length-delimited field.
  Bytes bytes() const { return bytes_; }
  std::string_view text() const { return Text(bytes_); }
  // The field claimed more bytes than there are; the rest of it is missing.
  bool cut() const { return cut_; }

  // False once something could not be read.
  bool ok() const { return ok_; }
  // Where the current field, or what could not be read, begins.
  const uint8_t* field() const { return field_; }

 private:
  bool Read(uint64_t* out) {
    if (at_ < end_ && *at_ < 0x80) [[likely]] {
      *out = *at_++;
      return true;
    }
    if (readable_ - at_ >= kMaxVarint) [[likely]]
      return QuickVarint(at_, out) && at_ <= end_;
    return ReadVarint(at_, end_, out);
  }
  bool Damaged() {
    ok_ = false;
    at_ = end_;
    return false;
  }
  bool Fixed(uint32_t size) {
    if (static_cast<uint64_t>(end_ - at_) < size) return Damaged();
    value_ = 0;
    std::memcpy(&value_, at_, size);  // little-endian, as the machine is
    at_ += size;
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* readable_;
  const uint8_t* field_;
  uint32_t tag_ = 0;
  bool ok_ = true;
  bool cut_ = false;
  uint64_t value_ = 0;
  Bytes bytes_;
};

// The values of a repeated number, packed or not: of `message`'s field.
template <typename Visit>
void ForEachVarint(const Message& message, Visit visit) {
  if ((message.tag() & 7) == static_cast<uint32_t>(Wire::kVarint)) {
    visit(message.value());
    return;
  }
  const uint8_t* p = message.bytes().data();
  const uint8_t* const end = p + message.bytes().size();
  for (uint64_t value = 0; p < end && ReadVarint(p, end, &value);) visit(value);
}

}  // namespace stepscope::proto
