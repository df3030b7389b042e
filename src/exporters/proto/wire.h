// SPDX-License-Identifier: Apache-2.0
//
// Writing protobuf by hand: varints and tagged fields, as the encoding guide
// of protobuf defines them. Put functions write at `p` and return the end.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

// `writing`, because the importers have a proto::Message of their own.
namespace stepscope::proto {
inline namespace writing {

static_assert(std::endian::native == std::endian::little);

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

inline constexpr size_t kMaxVarintBytes = 10;

constexpr uint32_t Tag(uint32_t field, WireType type) {
  return field << 3 | type;
}

inline char* PutVarint(char* p, uint64_t v) {
  while (v >= 0x80) {
    *p++ = static_cast<char>(v | 0x80);
    v >>= 7;
  }
  *p++ = static_cast<char>(v);
  return p;
}

inline char* PutFixed64(char* p, uint64_t v) {
  std::memcpy(p, &v, sizeof(v));
  return p + sizeof(v);
}

// One message under construction. Clear() keeps the memory.
class Message {
 public:
  // int64 and uint64, enums, bool. Negative values take ten bytes, as in
  // every protobuf.
  Message& Uint(uint32_t field, uint64_t value) {
    Raw(Tag(field, kVarint));
    return Raw(value);
  }
  Message& Int(uint32_t field, int64_t value) {
    return Uint(field, static_cast<uint64_t>(value));
  }
  Message& Fixed(uint32_t field, uint64_t value) {
    char bytes[sizeof(value)];
    PutFixed64(bytes, value);
    Raw(Tag(field, kFixed64));
    bytes_.append(bytes, sizeof(bytes));
    return *this;
  }
  Message& Double(uint32_t field, double value) {
    return Fixed(field, std::bit_cast<uint64_t>(value));
  }
  Message& Fixed32(uint32_t field, uint32_t value) {
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(bytes));
    Raw(Tag(field, kFixed32));
    bytes_.append(bytes, sizeof(bytes));
    return *this;
  }
  Message& Float(uint32_t field, float value) {
    return Fixed32(field, std::bit_cast<uint32_t>(value));
  }
  Message& Text(uint32_t field, std::string_view value) {
    Raw(Tag(field, kBytes));
    Raw(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& Sub(uint32_t field, const Message& message) {
    return Text(field, message.bytes_);
  }
  // The fields of another one.
  Message& Append(const Message& other) {
    bytes_ += other.bytes_;
    return *this;
  }
  // Tag and length of a field of `bytes` bytes, which follow by themselves.
  Message& Head(uint32_t field, uint64_t bytes) {
    Raw(Tag(field, kBytes));
    return Raw(bytes);
  }

  void Clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }
  std::string_view view() const { return bytes_; }

 private:
  Message& Raw(uint64_t varint) {
    char bytes[kMaxVarintBytes];
    bytes_.append(bytes, static_cast<size_t>(PutVarint(bytes, varint) - bytes));
    return *this;
  }

  std::string bytes_;
};

}  // namespace writing
}  // namespace stepscope::proto
