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

// What follows the lower bits of the time.
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

// The time of a packet in two parts: the lower bits, and those above, which
// seldom change since the times of a track ascend. So the bytes of the upper
// part and the tail behind them are ready made as one, with room for what
// comes before: a packet is one store or two, and stores decide.
inline constexpr int kLowTimeBits = 28;

struct TimedTail {
  // Tag and length of the packet, tag of its time and four bytes of that.
  static constexpr size_t kHeadBytes = 7;
  static constexpr size_t kMaxBytes = 48;

  // For times with these upper bits. Where they are 0, the time ends with a
  // byte that it could do without, which every reader of varints takes.
  void Set(uint64_t upper, const Tail& tail) {
    static_assert(kMaxBytes >=
                  kHeadBytes + (63 - kLowTimeBits + 6) / 7 + Tail::kMaxBytes);
    char* const rest = proto::PutVarint(bytes + kHeadBytes, upper);
    std::memcpy(rest, tail.bytes, sizeof(tail.bytes));
    size = static_cast<uint64_t>(rest - bytes) + tail.size;
    bytes[0] = proto::Tag(kTracePacket, proto::kBytes);
    bytes[1] = static_cast<char>(size - 2);
    bytes[2] = proto::Tag(kTimestamp, proto::kVarint);
    // None of the four is the last one of its varint.
    std::memset(bytes + 3, 0x80, kHeadBytes - 3);
  }

  char bytes[kMaxBytes] = {};
  uint64_t size = 0;  // of the packet
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
    limit_ = p_ + kStretch - TimedTail::kMaxBytes;
  }

  // A packet whose time has the upper bits that the tail was set for.
  [[gnu::always_inline]] void Put(int64_t time, const TimedTail& tail) {
    if (p_ > limit_) [[unlikely]] {
      Suspend();
      Resume();
    }
    // Seven bits into each byte: what is above moves up by two, then by one.
    uint64_t low =
        static_cast<uint64_t>(time) & ((uint64_t{1} << kLowTimeBits) - 1);
    low += (low & 0xfffc000) * 3;
    low += low & 0x3f803f80;
    using Words [[gnu::vector_size(32)]] = uint64_t;
    Words words;
    std::memcpy(&words, tail.bytes, sizeof(words));
    words |= Words{low << 24, 0, 0, 0};
    std::memcpy(p_, &words, sizeof(words));
    if (tail.size > sizeof(words)) [[unlikely]]
      std::memcpy(p_ + sizeof(words), tail.bytes + sizeof(words),
                  TimedTail::kMaxBytes - sizeof(words));
    p_ += tail.size;
  }

 private:
  static constexpr size_t kStretch = size_t{16} << 10;

  OutBuffer& out_;
  char* p_ = nullptr;
  char* limit_ = nullptr;
};

}  // namespace stepscope::perfetto
