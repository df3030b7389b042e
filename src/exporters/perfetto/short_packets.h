// SPDX-License-Identifier: Apache-2.0
//
// Packets that say no more than a time and what many have in common, which is
// ready made: the loop whose speed counts. Lengths are one byte each.
//
//   packet = length { time, tail = sequence, flags, event = length { ... } }
//
// Between Resume and Suspend nobody else may write to the buffer. Everything
// is inline, so that the state of a local object stays in registers: in memory
// the next place to write would be known a store and a load later.
#pragma once

#include <cstdint>
#include <cstring>

#include "exporters/out_buffer.h"
#include "exporters/perfetto/fields.h"
#include "exporters/proto/wire.h"

namespace stepscope::perfetto {

// What follows the time.
struct Tail {
  // Sequence, flags, event; of the event type, name, category and track.
  static constexpr size_t kMaxBytes = 32;

  void Add(uint64_t value) {
    size = static_cast<uint64_t>(proto::PutVarint(bytes + size, value) - bytes);
  }
  void AddBytes(const Tail& other) {
    std::memcpy(bytes + size, other.bytes, other.size);
    size += other.size;
  }

  char bytes[kMaxBytes] = {};
  uint64_t size = 0;
};

class ShortPackets {
 public:
  explicit ShortPackets(OutBuffer& out) : out_(out) { Resume(); }
  ~ShortPackets() { Suspend(); }
  ShortPackets(const ShortPackets&) = delete;
  ShortPackets& operator=(const ShortPackets&) = delete;

  [[gnu::always_inline]] void Suspend() { out_.Commit(p_); }
  [[gnu::always_inline]] void Resume() {
    p_ = out_.Reserve(kStretch);
    limit_ = p_ + kStretch - kMaxBytes;
  }

  [[gnu::always_inline]] void Put(uint64_t time, const Tail& tail) {
    if (p_ > limit_) [[unlikely]] {
      Suspend();
      Resume();
    }
    if (time >> kLowBits != high_) [[unlikely]] {
      if (time >> kLowBits == 0) {
        PutGeneral(time, tail);
        return;
      }
      SetHigh(time >> kLowBits);
    }
    // Seven bits into each byte: what is above moves up by two, then by one.
    uint64_t low = time & ((uint64_t{1} << kLowBits) - 1);
    low += (low & 0xfffc000) * 3;
    low += low & 0x3f803f80;
    const uint64_t head = head_ + (tail.size << 8) + (low << 24);
    std::memcpy(p_, &head, sizeof(head));
    std::memcpy(p_ + 7, &high_bytes_, sizeof(high_bytes_));
    char* const rest = p_ + 7 + high_size_;
    std::memcpy(rest, tail.bytes, sizeof(tail.bytes));
    p_ = rest + tail.size;
  }

 private:
  static constexpr size_t kStretch = size_t{16} << 10;
  static constexpr size_t kMaxBytes = 64;
  // Of a time; those above seldom change, since the times of a track ascend.
  static constexpr int kLowBits = 28;
  static constexpr uint64_t kHead =
      proto::Tag(kTracePacket, proto::kBytes) |
      proto::Tag(kTimestamp, proto::kVarint) << 16;

  [[gnu::always_inline]] void SetHigh(uint64_t high) {
    char bytes[proto::kMaxVarintBytes] = {};
    high_ = high;
    high_size_ = static_cast<size_t>(proto::PutVarint(bytes, high) - bytes);
    std::memcpy(&high_bytes_, bytes, sizeof(high_bytes_));
    // None of the four bytes is the last one of its varint.
    head_ = kHead + ((high_size_ + 5) << 8) + (uint64_t{0x80808080} << 24);
  }
  [[gnu::always_inline]] void PutGeneral(uint64_t time, const Tail& tail) {
    std::memcpy(p_, &kHead, sizeof(kHead));
    char* const rest = proto::PutVarint56(p_ + 3, time);
    p_[1] = static_cast<char>(static_cast<uint64_t>(rest - p_) - 2 + tail.size);
    std::memcpy(rest, tail.bytes, sizeof(tail.bytes));
    p_ = rest + tail.size;
  }

  OutBuffer& out_;
  char* p_ = nullptr;
  char* limit_ = nullptr;
  uint64_t high_ = ~uint64_t{0};  // no time has these
  uint64_t high_bytes_ = 0;       // up to six of them, as a varint goes on
  size_t high_size_ = 0;
  uint64_t head_ = 0;             // with the length but for the tail's
};

}  // namespace stepscope::perfetto
