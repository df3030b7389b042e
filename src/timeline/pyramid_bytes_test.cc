// SPDX-License-Identifier: Apache-2.0
//
// A pyramid that is written and read again answers as before; one that was
// damaged in between is refused, or answers something, within its bounds.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_query.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

std::shared_ptr<const Trace> SomeTrace() {
  std::mt19937 random(5);
  TraceBuilder builder;
  builder.AddProcess({});
  for (int64_t id = 0; id < 2; ++id) {
    Track track;
    track.id = id;
    const uint32_t index = builder.AddTrack(track);
    int64_t time = 1000;
    for (int i = 0; i < 2000; ++i) {
      EventSpec event;
      event.track = index;
      event.start_ns = time;
      event.dur_ns = static_cast<int64_t>(100 + random() % 400);
      event.name = builder.Intern("n" + std::to_string(random() % 9));
      builder.AddEvent(event);
      EventSpec inner = event;
      inner.dur_ns /= 2;
      inner.name = builder.Intern("inner");
      builder.AddEvent(inner);
      time += event.dur_ns + static_cast<int64_t>(random() % 50);
    }
  }
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

// So few rows in a block that there are tops.
PyramidOptions SmallBlocks() {
  PyramidOptions options;
  options.block_rows = 300;
  return options;
}

// 16 bytes are aligned as FromBytes() wants them.
struct alignas(16) Unit16 {
  std::byte bytes[16];
};
using Bytes = std::vector<Unit16>;

Bytes BytesOf(const Pyramid& pyramid) {
  Bytes all;
  pyramid.AppendTo([&](std::span<const std::byte> piece) {
    EXPECT_EQ(piece.size() % 16, 0u);
    const size_t at = all.size();
    all.resize(at + piece.size() / 16);
    std::memcpy(&all[at], piece.data(), piece.size());
  });
  EXPECT_EQ(all.size() * 16, pyramid.serialized_bytes());
  return all;
}

std::span<const std::byte> ViewOf(const Bytes& bytes) {
  return std::as_bytes(std::span(bytes));
}

// All boxes of all zooms, as they are sent.
std::vector<std::byte> Picture(const Pyramid& pyramid) {
  std::vector<std::byte> all;
  TileQuery query(pyramid);
  std::vector<TilePart> parts;
  for (uint32_t t = 0; t < pyramid.trace().tracks().size(); ++t)
    parts.push_back(
        {static_cast<uint8_t>(t), t, 0, std::min(pyramid.depths(t), 200u), 0});
  for (int k = 0; k <= 24; ++k) {
    const uint64_t first = k < 9 ? 37 : 0;
    const TileAnswer& answer = query.Run(k, first, 4, parts);
    for (size_t t = 0; t < 4; ++t) {
      const std::vector<TileRecord> tile = answer.Tile(t);
      const auto bytes = std::as_bytes(std::span(tile));
      all.insert(all.end(), bytes.begin(), bytes.end());
    }
    const auto names = std::as_bytes(std::span(answer.names));
    all.insert(all.end(), names.begin(), names.end());
  }
  return all;
}

TEST(PyramidBytesTest, ReadAgainItAnswersTheSame) {
  const auto trace = SomeTrace();
  for (const PyramidOptions& options : {PyramidOptions(), SmallBlocks()}) {
    const Pyramid built(*trace, options);
    auto bytes = std::make_shared<const Bytes>(BytesOf(built));
    auto read = Pyramid::FromBytes(ViewOf(*bytes), bytes, *trace, {});
    ASSERT_TRUE(read) << read.error().message;
    const std::vector<std::byte> expected = Picture(built);
    EXPECT_GT(expected.size(), 10'000u);
    EXPECT_EQ(Picture(*read), expected);
    // It keeps what it reads from.
    const Pyramid moved = *std::move(read);
    bytes.reset();
    EXPECT_EQ(Picture(moved), expected);
    EXPECT_EQ(moved.bytes(), built.bytes());
    EXPECT_EQ(moved.tops(0).size(), built.tops(0).size());
  }
}

TEST(PyramidBytesTest, OtherTracesVersionsAndLengthsAreRefused) {
  const auto trace = SomeTrace();
  const Pyramid built(*trace, {});
  const Bytes bytes = BytesOf(built);
  for (const size_t length : {size_t{0}, size_t{1}, bytes.size() - 1})
    EXPECT_FALSE(Pyramid::FromBytes(ViewOf(bytes).first(length * 16), nullptr,
                                    *trace, {}));
  Bytes longer = bytes;
  longer.emplace_back();
  EXPECT_FALSE(Pyramid::FromBytes(ViewOf(longer), nullptr, *trace, {}));
  EXPECT_FALSE(
      Pyramid::FromBytes(ViewOf(bytes).subspan(8), nullptr, *trace, {}));
  Bytes newer = bytes;
  newer[0].bytes[8] ^= std::byte{0x40};
  const auto refused = Pyramid::FromBytes(ViewOf(newer), nullptr, *trace, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "pyramid: byte 0: of another version or another trace; build it "
            "anew");
  TraceBuilder builder;
  builder.AddProcess({});
  auto other = builder.Finish();
  ASSERT_TRUE(other);
  EXPECT_FALSE(Pyramid::FromBytes(ViewOf(bytes), nullptr, **other, {}));
}

// Run under the sanitizers, this shows that no damage leads out of bounds.
TEST(PyramidBytesTest, FlippedBytesNeverLeadOutOfBounds) {
  const auto trace = SomeTrace();
  const Pyramid built(*trace, SmallBlocks());
  ASSERT_FALSE(built.tops(0).empty());
  const Bytes bytes = BytesOf(built);
  std::mt19937 random(1);
  int refused = 0;
  int read = 0;
  for (int i = 0; i < 400; ++i) {
    Bytes damaged = bytes;
    auto* const data = reinterpret_cast<uint8_t*>(damaged.data());
    // Tables are small beside records, so they get their own share.
    const size_t size = damaged.size() * 16;
    const size_t from = i % 2 == 0 ? 0 : size / 2;
    const size_t range = i % 4 == 0 ? 256 : size - from;
    for (auto flips = 1 + random() % 3; flips > 0; --flips)
      data[from + random() % range] ^=
          static_cast<uint8_t>(1u << (random() % 8));
    auto pyramid = Pyramid::FromBytes(ViewOf(damaged), nullptr, *trace, {});
    if (!pyramid) {
      ++refused;
      continue;
    }
    ++read;
    EXPECT_FALSE(Picture(*pyramid).empty());
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace stepscope
