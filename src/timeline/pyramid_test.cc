// SPDX-License-Identifier: Apache-2.0
#include "timeline/pyramid.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <bit>
#include <map>
#include <random>
#include <tuple>

#include "timeline/pyramid_mark.h"
#include "timeline/tile_query.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr LineKind kKinds[] = {LineKind::kNative, LineKind::kPython};

// Nested events, short and long, in bursts with pauses between; some of them
// Python's, if told so.
std::shared_ptr<const Trace> RandomNested(uint32_t seed, uint32_t events,
                                          bool python = false) {
  std::mt19937_64 random(seed);
  TraceBuilder builder;
  builder.AddProcess({});
  Track track;
  track.id = 1;
  const uint32_t thread = builder.AddTrack(track);
  int64_t time = 1000;
  const auto add = [&](int64_t start, int64_t dur) {
    EventSpec event;
    event.track = thread;
    event.start_ns = start;
    event.dur_ns = dur;
    event.type = static_cast<uint16_t>(random() % 3);
    if (python && random() % 2 == 0) event.type = STEPSCOPE_PYTHON_OP;
    event.name = builder.Intern("n" + std::to_string(random() % 6));
    builder.AddEvent(event);
  };
  for (uint32_t i = 0; i < events;) {
    const auto dur = static_cast<int64_t>(random() >> (40 + random() % 23));
    add(time, dur);
    ++i;
    int64_t inner = time;
    while (random() % 4 != 0 && i < events) {
      const auto part = static_cast<int64_t>(random() % 64);
      if (inner + part > time + dur) break;
      add(inner, part);
      inner += part + static_cast<int64_t>(random() % 16);
      ++i;
    }
    time += dur;
    if (random() % 64 == 0)
      time += static_cast<int64_t>(random() >> (34 + random() % 20));
  }
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

PyramidOptions ByType() {
  PyramidOptions options;
  for (uint8_t i = 0; i < 32; ++i) options.classes.of_type[i] = i;
  return options;
}

uint64_t TilesIn(const Trace& trace, const Pyramid& pyramid, int k) {
  int64_t last = 0;
  for (Row row = 0; row < trace.size(); ++row)
    last = std::max(last, trace.start_ns()[row] - pyramid.origin_ns());
  return (static_cast<uint64_t>(last) >> (k + kTileBits)) + 1;
}

TEST(PyramidTest, EveryLevelOfABlockHoldsEveryEvent) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    const auto trace = RandomNested(seed, 5000);
    const Pyramid pyramid(*trace, ByType());
    ASSERT_EQ(pyramid.blocks(0).size(), 1u);
    const PyramidBlock& block = pyramid.blocks(0)[0];
    ASSERT_FALSE(block.levels().empty());
    for (size_t level = 0; level < block.levels().size(); ++level) {
      uint64_t events = 0;
      const uint32_t depths = block.depths(LineKind::kNative);
      for (uint32_t depth = 0; depth < depths; ++depth) {
        const auto line =
            block.line(static_cast<int>(level), LineKind::kNative, depth);
        for (const PyramidBox box : line.boxes) {
          events +=
              box.has_extra() ? line.extras[box.row()].count : box.count();
        }
        uint32_t before = 0;
        for (const PyramidBlock::Tile& tile : line.tiles) {
          EXPECT_LT(tile.first, line.boxes.size());
          EXPECT_GE(tile.first, before);
          before = tile.first;
        }
      }
      EXPECT_EQ(events, trace->size()) << "level " << level;
    }
  }
}

TEST(PyramidTest, AShareIsAHalfOrMoreIn14ths) {
  for (const uint64_t all : {1u, 2u, 13u, 14u, 1400u, 1'000'003u}) {
    const uint64_t step = std::max<uint64_t>(all / 97, 1);
    for (uint64_t part = 0; part <= all; part += step) {
      const uint32_t code = ShareCode(part, all);
      ASSERT_EQ(code == 0, part * 2 < all) << part << " of " << all;
      ASSERT_LE(code, 7u);
      // What a code promises holds, and the next one would not.
      if (code > 0) {
        ASSERT_GE(part * 14, all * (6 + code));
      }
      if (code > 0 && code < 7) {
        ASSERT_LT(part * 14, all * (7 + code));
      }
    }
  }
}

TEST(PyramidTest, SharesOfVeryLongTimesDoNotOverflow) {
  constexpr uint64_t kAll = UINT64_MAX / 2;
  EXPECT_EQ(ShareCode(kAll, kAll), 7);
  EXPECT_EQ(ShareCode(kAll / 16 * 9, kAll), 1);
  EXPECT_EQ(ShareCode(kAll / 16 * 7, kAll), 0);
  EXPECT_EQ(ShareCode(1, kAll), 0);
}

// Against the same with loops and branches.
TEST(PyramidTest, AMarkKeepsFourNamesAndTheHeaviest) {
  struct Name {
    uint32_t name;
    uint32_t name_class;
    uint64_t weight;
  };
  std::mt19937 random(9);
  for (int round = 0; round < 500; ++round) {
    std::vector<Name> kept;
    PyramidMark mark;
    int64_t longest = -1;
    Row row = 0;
    const auto events = static_cast<uint32_t>(1 + random() % 12);
    for (uint32_t i = 0; i < events; ++i) {
      const auto dur = static_cast<int64_t>(random() % 9);
      const Name its = {static_cast<uint32_t>(random() % 7),
                        static_cast<uint32_t>(random() % 32),
                        static_cast<uint64_t>(dur) + 1};
      const auto event_class = static_cast<uint8_t>(its.name_class);
      if (dur > longest) row = i;
      longest = std::max(longest, dur);
      if (i == 0) {
        mark.Set(i, dur, i, its.name, event_class, 0);
      } else if (random() % 2 == 0) {
        mark.AddEvent(i, dur, i, its.name, event_class);
      } else {
        PyramidMark other;
        other.Set(i, dur, i, its.name, event_class, 0);
        mark.Add(other);
      }
      const auto same =
          std::find_if(kept.begin(), kept.end(),
                       [&](const Name& name) { return name.name == its.name; });
      const auto least = std::min_element(
          kept.begin(), kept.end(),
          [](const Name& a, const Name& b) { return a.weight < b.weight; });
      if (same != kept.end())
        same->weight += its.weight;
      else if (kept.size() < PyramidMark::kNames)
        kept.push_back(its);
      else if (least->weight < its.weight)
        *least = its;
    }
    EXPECT_EQ(mark.row, row);
    EXPECT_EQ(mark.longest_ns, longest);
    ASSERT_EQ(mark.names, kept.size());
    for (size_t i = 0; i < kept.size(); ++i) {
      EXPECT_EQ(mark.name[i], kept[i].name);
      EXPECT_EQ(mark.name_class[i], kept[i].name_class);
      EXPECT_EQ(mark.name_weight[i], kept[i].weight);
    }
    const auto most = std::max_element(
        kept.begin(), kept.end(),
        [](const Name& a, const Name& b) { return a.weight < b.weight; });
    EXPECT_EQ(mark.Heaviest(), static_cast<size_t>(most - kept.begin()));
  }
}

// A box as a slow reader of the trace would make it.
struct Box {
  uint64_t count = 0;
  int64_t longest = 0;
  int64_t busy = 0;
  std::map<uint32_t, int64_t> names;
};

// How many events of its own kind are around one.
uint32_t DepthOf(const Trace& trace, Row row) {
  const LineKind kind = LineKindOf(trace.type()[row]);
  uint32_t depth = 0;
  for (Row above = trace.nesting().parent[row]; above != kNoRow;
       above = trace.nesting().parent[above])
    depth += LineKindOf(trace.type()[above]) == kind ? 1 : 0;
  return depth;
}

void TilesHoldWhatBruteForceFinds(uint32_t seed, LineKind kind, bool python,
                                  bool coarse = false,
                                  Row block_rows = PyramidBlock::kMostRows) {
  const auto trace = RandomNested(seed, 3000, python);
  PyramidOptions options = ByType();
  options.coarse = coarse;
  options.block_rows = block_rows;
  const Pyramid pyramid(*trace, options);
  TileQuery query(pyramid);
  for (int k = 0; k <= 44; k += k < 4 ? 1 : 2) {
    const uint64_t tiles = TilesIn(*trace, pyramid, k);
    if (tiles > 4000) continue;
    // By depth and bucket: the mark; and every long event by its row.
    std::map<std::pair<uint32_t, int64_t>, Box> marks;
    std::map<Row, uint64_t> long_pieces;
    for (Row row = 0; row < trace->size(); ++row) {
      if (LineKindOf(trace->type()[row]) != kind) continue;
      const int64_t start = trace->start_ns()[row] - pyramid.origin_ns();
      const int64_t dur = trace->dur_ns()[row];
      if (dur >> k != 0) {
        long_pieces[row] = 0;
        continue;
      }
      Box& box = marks[{DepthOf(*trace, row), start >> k}];
      ++box.count;
      box.busy += dur;
      box.longest = std::max(box.longest, dur);
      box.names[trace->name()[row].v] += dur + 1;
    }
    const TilePart part = {3, 0, 0, pyramid.depths(0, kind), 2, kind};
    std::map<std::pair<uint32_t, int64_t>, uint64_t> counts;
    // A bucket in which a block ends has two marks.
    std::map<std::pair<uint32_t, int64_t>, int64_t> longest_of;
    for (uint64_t first = 0; first < tiles; first += 3) {
      const TileAnswer& answer = query.Run(k, first, 3, {&part, 1});
      for (uint64_t t = 0; t < 3; ++t) {
        std::pair<uint32_t, uint32_t> before = {0, 0};
        const std::vector<TileRecord> tile = answer.Tile(t);
        for (size_t i = 0; i < tile.size(); ++i) {
          const TileRecord& record = tile[i];
          ASSERT_EQ(record.slot, 3);
          ASSERT_GE(record.depth, 2);
          const uint32_t depth = record.depth - 2u;
          // In order, so that a viewer can search.
          const std::pair<uint32_t, uint32_t> now = {depth, record.x};
          if (i > 0) {
            ASSERT_LE(before, now);
          }
          before = now;
          const int64_t bucket =
              static_cast<int64_t>((first + t) << kTileBits) +
              (record.x >> kUnitBits);
          ASSERT_LT(record.row, trace->size());
          ASSERT_EQ(LineKindOf(trace->type()[record.row]), kind);
          ASSERT_EQ(DepthOf(*trace, record.row), depth);
          ASSERT_LT(record.name, answer.names.size());
          const uint32_t name = answer.names[record.name];
          if (const auto piece = long_pieces.find(record.row);
              piece != long_pieces.end() && record.count == 1) {
            ++piece->second;
            ASSERT_EQ(name, trace->name()[record.row].v);
            ASSERT_EQ(record.kind & 31, trace->type()[record.row]);
            continue;
          }
          const auto mark = marks.find({depth, bucket});
          ASSERT_NE(mark, marks.end()) << "k " << k << " seed " << seed;
          counts[mark->first] += record.count;
          const Box& box = mark->second;
          int64_t& longest = longest_of[mark->first];
          longest = std::max(longest, trace->dur_ns()[record.row]);
          const int64_t unit =
              k >= kUnitBits ? int64_t{1} << (k - kUnitBits) : 1;
          if (record.count == 1) {
            ASSERT_EQ(name, trace->name()[record.row].v);
            ASSERT_EQ(record.fill, 255);
          } else if (box.busy > 64 * unit && box.count < 4 &&
                     record.count == box.count && !(record.kind & kTileMixed)) {
            // Short marks: a name that is given has half, to rounding.
            ASSERT_GE(box.names.at(name) * 20 / 9 + 4 * unit, box.busy);
          }
        }
      }
    }
    for (const auto& [key, box] : marks) {
      ASSERT_EQ(counts[key], box.count)
          << "k " << k << " depth " << key.first << " bucket " << key.second;
      // Within a fifth of the longest, and a unit of the level.
      const int64_t unit = k >= kUnitBits ? int64_t{1} << (k - kUnitBits) : 1;
      if (k < 30) {
        ASSERT_GE(longest_of[key] * 5 / 4 + 2 * unit + 1, box.longest)
            << "k " << k << " seed " << seed;
      }
    }
    // A long event has a piece in each tile that it touches.
    for (const auto& [row, pieces] : long_pieces) {
      const int64_t start = trace->start_ns()[row] - pyramid.origin_ns();
      const int64_t end = start + trace->dur_ns()[row];
      const int bits = k + kTileBits;
      const int64_t last = std::min<int64_t>(
          (end - 1) >> bits, static_cast<int64_t>((tiles + 2) / 3 * 3) - 1);
      ASSERT_EQ(pieces, static_cast<uint64_t>(last - (start >> bits) + 1))
          << "k " << k << " row " << row;
    }
  }
}

TEST(PyramidTest, TilesAtEveryZoomHoldWhatBruteForceFinds) {
  for (uint32_t seed = 20; seed < 26; ++seed)
    TilesHoldWhatBruteForceFinds(seed, LineKind::kNative, false);
}

TEST(PyramidTest, PythonAndNativeEventsHaveLinesOfTheirOwn) {
  for (uint32_t seed = 30; seed < 34; ++seed)
    for (const LineKind kind : kKinds)
      TilesHoldWhatBruteForceFinds(seed, kind, true);
}

TEST(PyramidTest, ACoarseOneHoldsTheSame) {
  for (uint32_t seed = 40; seed < 42; ++seed)
    for (const LineKind kind : kKinds)
      TilesHoldWhatBruteForceFinds(seed, kind, true, true);
}

// What the blocks have of a zoom is together in a top, with the same boxes.
TEST(PyramidTest, TopsHoldTheSame) {
  for (uint32_t seed = 50; seed < 54; ++seed)
    for (const LineKind kind : kKinds)
      for (const Row block_rows : {20u, 200u})
        TilesHoldWhatBruteForceFinds(seed, kind, true, seed % 2 == 0,
                                     block_rows);
}

TEST(PyramidTest, AWholeTrackIsReadFromItsTops) {
  const auto trace = RandomNested(6, 20'000);
  PyramidOptions options = ByType();
  options.block_rows = 200;
  const Pyramid pyramid(*trace, options);
  ASSERT_EQ(pyramid.blocks(0).size(), 100u);
  ASSERT_EQ(pyramid.tops(0).size(), 2u);
  EXPECT_EQ(pyramid.tops(0)[0].last, 64u);
  EXPECT_EQ(pyramid.tops(0)[1].last, 100u);
  for (const PyramidTop& top : pyramid.tops(0)) {
    ASSERT_FALSE(top.block.levels().empty());
    // No level is in both.
    for (size_t i = top.first; i < top.last; ++i)
      for (const PyramidBlock::Level& level : pyramid.blocks(0)[i].levels())
        EXPECT_LT(level.k, top.block.levels()[0].k);
    uint64_t events = 0;
    for (uint32_t depth = 0; depth < pyramid.depths(0); ++depth) {
      const auto line = top.block.line(0, LineKind::kNative, depth);
      ASSERT_TRUE(line.wide);
      ASSERT_EQ(line.extras.size(), line.boxes.size());
      for (const PyramidExtra& extra : line.extras) events += extra.count;
      // Where a block ends in a bucket, what it has there is one with the rest.
      for (size_t i = 0; i < line.tiles.size(); ++i) {
        const size_t end = i + 1 < line.tiles.size() ? line.tiles[i + 1].first
                                                     : line.boxes.size();
        for (size_t box = line.tiles[i].first + 1; box < end; ++box) {
          const PyramidBox a = line.boxes[box - 1];
          const PyramidBox b = line.boxes[box];
          if (a.is_mark() && b.is_mark()) {
            EXPECT_LT(a.x() >> kUnitBits, b.x() >> kUnitBits);
          }
        }
      }
    }
    EXPECT_EQ(events, top.block.last() - top.block.first());
  }
  // Three blocks are too few for one.
  options.block_rows = 7000;
  EXPECT_TRUE(Pyramid(*trace, options).tops(0).empty());
}

// It has fewer levels, and the whole trace on a screen is one of them.
TEST(PyramidTest, ACoarseOneHasTheLevelsOfAWholeTrace) {
  const auto trace = RandomNested(5, 200'000);
  PyramidOptions options = ByType();
  const Pyramid whole(*trace, options);
  options.coarse = true;
  const Pyramid coarse(*trace, options);
  EXPECT_LT(coarse.bytes() * 4, whole.bytes());
  EXPECT_EQ(coarse.depths(0), whole.depths(0));
  const int64_t span = trace->start_ns()[trace->size() - 1];
  const int k = 64 - std::countl_zero(static_cast<uint64_t>(span / 1000));
  ASSERT_EQ(coarse.tops(0).size(), 1u);
  EXPECT_GE(coarse.tops(0)[0].block.LevelFor(k), 0);
}

TEST(PyramidTest, DepthsOfAKindAreCounted) {
  const auto trace = RandomNested(3, 3000, true);
  const Pyramid pyramid(*trace, ByType());
  EXPECT_EQ(pyramid.lines(0), TrackLines::kBoth);
  // From any row on, as from the first one.
  for (const Row first : {Row{0}, Row{777}, trace->size() - 1}) {
    LineDepths places(*trace, first);
    for (Row row = first; row < trace->size(); ++row) {
      const LinePlace place = places.Next(row);
      ASSERT_EQ(place.kind, LineKindOf(trace->type()[row]));
      ASSERT_EQ(place.depth, DepthOf(*trace, row)) << row;
      ASSERT_LT(place.depth, pyramid.depths(0, place.kind));
    }
  }
}

TEST(PyramidTest, BoxesAreWhereTheirEventsAre) {
  const auto trace = TraceFromText(R"(
    thread 1 main
      0..4096 step
        0..100 a
        100..2000 b
        3000..3000 c instant
  )");
  const Pyramid pyramid(*trace, {});
  TileQuery query(pyramid);
  const TilePart part = {0, 0, 0, 2, 0};
  // k = 1: a tile is 2,048 ns, a unit is 1/32 ns.
  const TileAnswer& answer = query.Run(1, 0, 2, {&part, 1});
  std::vector<TileRecord> records = answer.Tile(0);
  ASSERT_EQ(records.size(), 3u);
  for (const TileRecord& record : answer.Tile(1)) records.push_back(record);
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].x, 0);
  EXPECT_EQ(records[0].w, 65535);
  EXPECT_EQ(records[0].kind, kTileEndsAfter);
  EXPECT_EQ(records[1].w, 100 * 32);
  EXPECT_EQ(records[2].x, 100 * 32);
  EXPECT_EQ(records[2].w, 1900 * 32);
  EXPECT_EQ(records[2].depth, 1);
  EXPECT_EQ(records[3].kind, kTileBeginsBefore);
  EXPECT_EQ(records[4].x, (3000 - 2048) * 32);
  EXPECT_EQ(trace->str(StringId{answer.names[records[4].name]}), "c");
}

TEST(PyramidTest, FarTilesAndNoTracksAreEmpty) {
  const auto trace = RandomNested(1, 100);
  const Pyramid pyramid(*trace, {});
  TileQuery query(pyramid);
  const TilePart part = {0, 0, 0, pyramid.depths(0), 0};
  for (const uint64_t first : {uint64_t{1} << 40, UINT64_MAX - 8}) {
    for (const int k : {0, 20, kMaxLevel}) {
      const TileAnswer& answer = query.Run(k, first, 4, {&part, 1});
      EXPECT_EQ(answer.record_count(), 0u);
    }
  }
  EXPECT_EQ(query.Run(10, 0, 4, {}).record_count(), 0u);
}

TEST(PyramidTest, DepthsOfAPartAreTakenAlone) {
  const auto trace = RandomNested(7, 2000);
  const Pyramid pyramid(*trace, {});
  ASSERT_GE(pyramid.depths(0), 2u);
  TileQuery query(pyramid);
  const TilePart inner = {0, 0, 1, 1, 0};
  for (const int k : {2, 12, 20}) {
    const TileAnswer& answer = query.Run(k, 0, 8, {&inner, 1});
    EXPECT_GT(answer.record_count(), 0u);
    for (const TileRecord& record : answer.Tile(0)) {
      EXPECT_EQ(record.depth, 0);
      EXPECT_EQ(trace->nesting().depth[record.row], 1u);
    }
  }
}

}  // namespace
}  // namespace stepscope
