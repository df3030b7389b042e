// SPDX-License-Identifier: Apache-2.0
#include "format/event_codec.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "format/crc32c.h"

namespace stepscope::format {
namespace {

// Rebuilds the slots, so that a round trip can be compared as bytes.
struct Rebuild {
  std::vector<Slot> slots;
  uint32_t first = 0;
  void Event(uint32_t slot, uint64_t begin, uint32_t dur, uint32_t site) {
    slots.at(slot - first) = {begin, dur, site};
  }
  void Side(uint32_t slot, const Slot& header, const uint8_t* payload,
            uint32_t n) {
    slots.at(slot - first) = header;
    if (n > 0)
      std::memcpy(&slots.at(slot - first + 1), payload, n * sizeof(Slot));
  }
};

void ExpectRoundTrip(const std::vector<Slot>& slots, uint64_t base,
                     uint32_t first_slot) {
  const auto count = static_cast<uint32_t>(slots.size());
  std::vector<uint8_t> packed(MaxPackedBytes(count));
  const PackedCounts counts =
      EncodeSlots(slots.data(), count, base, packed.data());
  ASSERT_LE(counts.bytes, packed.size());
  packed.resize(counts.bytes);
  packed.shrink_to_fit();  // so that ASan sees a read past the end
  EventsHeader header{};
  header.base_tick = base;
  header.first_slot = first_slot;
  header.slots = count;
  Rebuild rebuild{std::vector<Slot>(count), first_slot};
  ASSERT_TRUE(DecodeSlots(packed.data(), packed.size(), header, rebuild));
  EXPECT_EQ(
      std::memcmp(rebuild.slots.data(), slots.data(), count * sizeof(Slot)), 0);
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
  std::vector<uint8_t> packed(MaxPackedBytes(slots.size()));
  const auto counts = EncodeSlots(slots.data(), kSlotsPerChunk,
                                  slots[0].begin, packed.data());
  EXPECT_EQ(counts.events, kSlotsPerChunk);
  EXPECT_LE(static_cast<double>(counts.bytes) / kSlotsPerChunk, 8.0);
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
    void Event(uint32_t, uint64_t, uint32_t, uint32_t) {}
    void Side(uint32_t, const Slot&, const uint8_t*, uint32_t) {}
  } ignore;
  for (int round = 0; round < 3000; ++round) {
    const auto slots = RandomSlots(rng, 64);
    std::vector<uint8_t> packed(MaxPackedBytes(slots.size()));
    const auto counts = EncodeSlots(slots.data(), 64, 0, packed.data());
    // Exactly-sized heap copy: ASan traps a read past the end.
    std::vector<uint8_t> cut(packed.begin(),
                             packed.begin() + static_cast<long>(
                                 rng() % (counts.bytes + 1)));
    cut.shrink_to_fit();
    if (!cut.empty())
      cut[rng() % cut.size()] ^= static_cast<uint8_t>(1u << (rng() % 8));
    EventsHeader header{};
    header.slots = 64;
    static_cast<void>(DecodeSlots(cut.data(), cut.size(), header, ignore));
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

}  // namespace
}  // namespace stepscope::format
