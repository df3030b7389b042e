// SPDX-License-Identifier: Apache-2.0
#include "format/event_codec.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "format/crc32c.h"
#include "format/event_unpack.h"

namespace stepscope::format {
namespace {

// Rebuilds the slots, so that a round trip can be compared as bytes.
struct Rebuild {
  std::vector<Slot> slots;
  uint32_t first = 0;
  void Events(uint32_t slot, const EventBatch& batch) {
    for (uint32_t i = 0; i < batch.count; ++i)
      slots.at(slot - first + i) = {batch.base + batch.from[i], batch.dur[i],
                                    batch.site[i]};
  }
  void Side(uint32_t slot, const Slot& header, const uint8_t* payload,
            uint32_t n) {
    slots.at(slot - first) = header;
    if (n > 0)
      std::memcpy(&slots.at(slot - first + 1), payload, n * sizeof(Slot));
  }
};

struct Packed {
  std::vector<uint8_t> bytes;
  uint16_t version = 0;
  uint32_t controls = 0;
};

Packed Pack(const std::vector<Slot>& slots, uint64_t base) {
  const auto count = static_cast<uint32_t>(slots.size());
  Packed packed;
  packed.version = VersionOf(BlockKind::kEvents);
  packed.bytes.resize(MaxPackedBytes(count));
  const PackedCounts counts =
      EncodeSlots(slots.data(), count, base, packed.bytes.data());
  EXPECT_LE(counts.bytes, packed.bytes.size());
  packed.bytes.resize(counts.bytes);
  packed.bytes.shrink_to_fit();  // so that ASan sees a read past the end
  packed.controls = counts.controls;
  return packed;
}

// As recorders before version 2 did it.
Packed PackVersion1(const std::vector<Slot>& slots, uint64_t base) {
  Packed packed;
  packed.version = 1;
  const auto put = [&](uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      packed.bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  const auto length = [](uint32_t v) {
    return v < 0x100 ? 1u : v < 0x10000 ? 2u : v < 0x1000000 ? 3u : 4u;
  };
  uint32_t before = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Slot& slot = slots[i];
    if (slot.begin == 0) {
      put(kPackedGap, 1);
      put(1, 4);
    } else if (IsSide(slot.site)) {
      const size_t n =
          std::min<size_t>(SidePayloadSlots(slot.site), slots.size() - i - 1);
      put(kPackedSide, 1);
      const auto* const bytes = reinterpret_cast<const uint8_t*>(&slot);
      packed.bytes.insert(packed.bytes.end(), bytes,
                          bytes + (n + 1) * sizeof(Slot));
      i += n;
    } else {
      if (slot.begin - base > UINT32_MAX) {
        put(kPackedJump, 1);
        put(slot.begin - base, 8);
        base = slot.begin;
      }
      const auto delta = static_cast<uint32_t>(slot.begin - base);
      const uint32_t code = slot.site == before   ? 0u
                            : slot.site < 0x100   ? 1u
                            : slot.site < 0x10000 ? 2u
                                                  : 3u;
      put((length(delta) - 1) | ((length(slot.dur) - 1) << 2) | (code << 4), 1);
      put(delta, length(delta));
      put(slot.dur, length(slot.dur));
      put(slot.site, code == 3 ? 4 : code);
      base = slot.begin;
      before = slot.site;
    }
  }
  packed.bytes.resize(packed.bytes.size() + kPackedTail);
  packed.bytes.shrink_to_fit();
  return packed;
}

void ExpectSame(const Packed& packed, const std::vector<Slot>& slots,
                uint64_t base, uint32_t first_slot) {
  const auto count = static_cast<uint32_t>(slots.size());
  EventsHeader header{};
  header.base_tick = base;
  header.first_slot = first_slot;
  header.slots = count;
  header.controls = packed.controls;
  Rebuild rebuild{std::vector<Slot>(count), first_slot};
  ASSERT_TRUE(DecodeSlots(packed.bytes.data(), packed.bytes.size(), header,
                          packed.version, rebuild));
  EXPECT_EQ(
      std::memcmp(rebuild.slots.data(), slots.data(), count * sizeof(Slot)), 0);
}

void ExpectRoundTrip(const std::vector<Slot>& slots, uint64_t base,
                     uint32_t first_slot) {
  ExpectSame(Pack(slots, base), slots, base, first_slot);
  ExpectSame(PackVersion1(slots, base), slots, base, first_slot);
}

std::vector<Slot> RandomSlots(std::mt19937_64& rng, size_t n) {
  std::vector<Slot> slots(n);
  uint64_t tick = 1 + rng() % 1000000;
  for (size_t i = 0; i < n; ++i) {
    const auto kind = rng() % 100;
    if (kind < 5) continue;  // unused
    tick += rng() >> (24 + rng() % 40);
    if (kind < 8) tick -= rng() % 50;
    if (kind < 12) {
      const auto room = std::min<uint64_t>(rng() % 4, n - i - 1);
      slots[i] = {tick, static_cast<uint32_t>(rng()),
                  SideSite(SideKind::kArg, static_cast<uint32_t>(room))};
      for (uint64_t k = 1; k <= room; ++k)
        slots[i + k] = {rng(), static_cast<uint32_t>(rng()),
                        static_cast<uint32_t>(rng())};
      i += room;
      continue;
    }
    slots[i] = {tick | 1, static_cast<uint32_t>(rng() >> (32 + rng() % 32)),
                static_cast<uint32_t>(1 + rng() % (1u << (1 + rng() % 31))) &
                    0x7fffffff};
  }
  return slots;
}

TEST(EventCodec, RandomSlotsComeBackByteForByte) {
  std::mt19937_64 rng(7);
  for (int round = 0; round < 500; ++round)
    ExpectRoundTrip(RandomSlots(rng, rng() % kSlotsPerChunk), rng() % 100, 3);
}

TEST(EventCodec, TypicalEventsTakeAtMostEightBytes) {
  std::mt19937_64 rng(1);
  std::vector<Slot> slots(kSlotsPerChunk);
  uint64_t tick = uint64_t{1} << 50;
  for (Slot& slot : slots) {
    tick += 200 + rng() % 60000;  // up to 20 us apart at 3 GHz
    slot = {tick, static_cast<uint32_t>(1 + rng() % 300000),
            static_cast<uint32_t>(1 + rng() % 200)};
  }
  EXPECT_LE(static_cast<double>(Pack(slots, slots[0].begin).bytes.size()) /
                kSlotsPerChunk,
            8.0);
}

// One by one and by eights: what one processor reads, all read.
TEST(EventCodec, BothWaysToUnpackAgree) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no AVX2";
  std::mt19937_64 rng(3);
  for (int round = 0; round < 2000; ++round) {
    uint8_t control[EventBatch::kRows];
    std::vector<uint8_t> data(sizeof(control) * 12 + kPackedTail);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(rng());
    for (uint8_t& c : control) {
      do {
        c = static_cast<uint8_t>(rng() % 64);
      } while ((c & 3) == 3);
    }
    const auto n = static_cast<uint32_t>(rng() % (EventBatch::kRows + 1));
    const codec_detail::Cursor start = {data.data(), rng(),
                                        static_cast<uint32_t>(rng())};
    EventBatch one, eight;
    one.base = eight.base = start.tick;
    codec_detail::Cursor at_one = start;
    codec_detail::Cursor at_eight = start;
    codec_detail::UnpackEach(control, 0, n, at_one, one);
    const uint32_t done =
        codec_detail::UnpackEights(control, n, at_eight, eight);
    EXPECT_GT(done + 8, n);
    codec_detail::UnpackEach(control, done, n, at_eight, eight);
    EXPECT_EQ(at_one.p, at_eight.p);
    EXPECT_EQ(at_one.tick, at_eight.tick);
    EXPECT_EQ(at_one.site, at_eight.site);
    for (uint32_t i = 0; i < n; ++i) {
      ASSERT_EQ(one.from[i], eight.from[i]);
      ASSERT_EQ(one.dur[i], eight.dur[i]);
      ASSERT_EQ(one.site[i], eight.site[i]);
    }
  }
#else
  GTEST_SKIP() << "one way only";
#endif
}

TEST(EventCodec, CutSideRecordAtTheEndOfARun) {
  std::vector<Slot> slots(3);
  slots[0] = {100, 5, 9};
  slots[1] = {101, 0, SideSite(SideKind::kArg, 7)};  // payload beyond the run
  slots[2] = {55, 66, 77};
  ExpectRoundTrip(slots, 0, 0);
}

TEST(EventCodec, DamagedBytesNeverReadOutside) {
  std::mt19937_64 rng(11);
  struct Ignore {
    void Events(uint32_t, const EventBatch&) {}
    void Side(uint32_t, const Slot&, const uint8_t*, uint32_t) {}
  } ignore;
  for (int round = 0; round < 6000; ++round) {
    const auto slots = RandomSlots(rng, 64);
    const Packed packed =
        round % 2 == 0 ? Pack(slots, 0) : PackVersion1(slots, 0);
    // Exactly-sized heap copy: ASan traps a read past the end.
    std::vector<uint8_t> cut(
        packed.bytes.begin(),
        packed.bytes.begin() +
            static_cast<long>(rng() % (packed.bytes.size() + 1)));
    cut.shrink_to_fit();
    if (!cut.empty())
      cut[rng() % cut.size()] ^= static_cast<uint8_t>(1u << (rng() % 8));
    EventsHeader header{};
    header.slots = 64;
    header.controls =
        rng() % 2 == 0 ? packed.controls : static_cast<uint32_t>(rng() % 200);
    static_cast<void>(
        DecodeSlots(cut.data(), cut.size(), header, packed.version, ignore));
  }
}

TEST(Crc32c, KnownAnswersAndBothImplementations) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xe3069283u);
  std::vector<uint8_t> zeros(32);
  EXPECT_EQ(Crc32c(zeros.data(), 32), 0x8a9136aau);
  const char* text = "The quick brown fox jumps over the lazy dog";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text);
  for (size_t n = 0; n < 43; ++n) {
    EXPECT_EQ(~crc32c_detail::Portable(~0u, bytes, n), Crc32c(text, n));
    EXPECT_EQ(Crc32c(text + n, 43 - n, Crc32c(text, n)), Crc32c(text, 43));
  }
}

TEST(Crc32c, BothImplementationsAgreeOnLongInput) {
  std::mt19937_64 rng(9);
  std::vector<uint8_t> bytes(20000);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
  for (int round = 0; round < 300; ++round) {
    const size_t from = rng() % 100;
    const size_t n =
        round == 0 ? 3 * crc32c_detail::kLane : rng() % (bytes.size() - from);
    EXPECT_EQ(Crc32c(bytes.data() + from, n),
              ~crc32c_detail::Portable(~0u, bytes.data() + from, n))
        << n;
  }
}

}  // namespace
}  // namespace stepscope::format
