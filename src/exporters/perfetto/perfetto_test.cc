// SPDX-License-Identifier: Apache-2.0
//
// Reads files back packet by packet, by the rules of protobuf and nothing of
// the writer's. tests/viewer asks Perfetto itself.
#include "exporters/perfetto/perfetto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Fields of a message: number -> values; bytes of a nested one as text.
struct Fields {
  std::multimap<uint32_t, uint64_t> numbers;
  std::multimap<uint32_t, std::string> texts;

  uint64_t Number(uint32_t field) const {
    const auto it = numbers.find(field);
    return it == numbers.end() ? 0 : it->second;
  }
  Fields Message(uint32_t field) const;
};

Fields Parse(std::string_view bytes) {
  Fields fields;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (!bytes.empty()) {
    const uint64_t tag = varint();
    const auto field = static_cast<uint32_t>(tag >> 3);
    size_t size = 8;
    switch (tag & 7) {
      case 0:
        fields.numbers.emplace(field, varint());
        continue;
      case 2:
        size = static_cast<size_t>(varint());
        break;
      case 1:
        break;
      default:
        ADD_FAILURE() << "wire type " << (tag & 7);
        return fields;
    }
    if (size > bytes.size()) {
      ADD_FAILURE() << "field " << field << " reaches beyond its message";
      return fields;
    }
    fields.texts.emplace(field, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return fields;
}

Fields Fields::Message(uint32_t field) const {
  const auto it = texts.find(field);
  return Parse(it == texts.end() ? std::string_view() : it->second);
}

struct Slice {
  uint64_t track = 0;
  uint64_t start = 0;
  uint64_t end = 0;
  std::string name;
  friend auto operator<=>(const Slice&, const Slice&) = default;
};

// What a reader makes of the file: begins and ends paired per track.
std::vector<Slice> Slices(const Trace& trace) {
  MemorySink sink;
  EXPECT_TRUE(PerfettoExporter().Export(trace, {}, sink));
  const Fields file = Parse(sink.TakeText());
  std::map<uint64_t, std::string> names;
  std::map<uint64_t, std::vector<Slice>> open;
  std::map<uint64_t, uint64_t> last_time;
  std::vector<Slice> slices;
  for (const auto& [number, bytes] : file.texts) {
    const Fields packet = Parse(bytes);
    EXPECT_EQ(packet.Number(10), 1u) << "sequence";
    const Fields interned = packet.Message(12);
    for (const auto& [kind, entry] : interned.texts) {
      const Fields pair = Parse(entry);
      if (kind == 2) names[pair.Number(1)] = pair.texts.find(2)->second;
    }
    if (!packet.texts.contains(11)) continue;
    const Fields event = packet.Message(11);
    const uint64_t track = event.Number(11);
    const uint64_t time = packet.Number(8);
    EXPECT_GE(time, last_time[track]) << "out of order";
    last_time[track] = time;
    const uint64_t iid = event.Number(10);
    switch (event.Number(9)) {
      case 1:
        EXPECT_TRUE(names.contains(iid)) << "name before its definition";
        open[track].push_back({track, time, 0, names[iid]});
        break;
      case 2:
        if (open[track].empty()) {
          ADD_FAILURE() << "end without a begin";
          break;
        }
        slices.push_back(open[track].back());
        slices.back().end = time;
        open[track].pop_back();
        break;
      case 3:
        slices.push_back({track, time, time, names[iid]});
        break;
      default:
        break;
    }
  }
  for (const auto& [track, left] : open) EXPECT_TRUE(left.empty());
  std::sort(slices.begin(), slices.end());
  return slices;
}

// By name and time alone: tracks have other numbers.
std::vector<Slice> Expected(const Trace& trace, int64_t zero) {
  std::vector<Slice> slices;
  for (Row row = 0; row < trace.size(); ++row)
    slices.push_back({0, static_cast<uint64_t>(trace.start_ns()[row] - zero),
                      static_cast<uint64_t>(trace.end_ns(row) - zero),
                      std::string(trace.str(trace.name()[row]))});
  std::sort(slices.begin(), slices.end());
  return slices;
}

std::vector<Slice> WithoutTracks(std::vector<Slice> slices) {
  for (Slice& slice : slices) slice.track = 0;
  std::sort(slices.begin(), slices.end());
  return slices;
}

TEST(Perfetto, BeginsAndEndsPairUp) {
  const auto trace = TraceFromText(
      "thread 7 m\n 0..100 a\n  0..50 b\n   50..50 c instant\n  50..100 d\n"
      "   60..60 empty\n 100..200 e\nstream 3 GPU:0\n 5..9 k Kernel\n");
  EXPECT_EQ(WithoutTracks(Slices(*trace)), Expected(*trace, 0));
}

TEST(Perfetto, AnyTraceComesBack) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    TraceBuilder builder;
    builder.AddProcess({});
    for (uint32_t t = 0; t < 3; ++t) {
      Track track;
      track.id = t;
      builder.AddTrack(track);
    }
    for (int i = 0; i < 2000; ++i) {
      // Times of all lengths, types and names of one and of many bytes.
      const auto start = static_cast<int64_t>(random() >> (2 + random() % 61));
      const bool instant = random() % 9 == 0;
      const auto dur = static_cast<int64_t>(random() >> (3 + random() % 60));
      EventSpec event;
      event.track = static_cast<uint32_t>(random() % 3);
      event.start_ns = start;
      event.dur_ns = instant ? 0 : dur;
      event.name = builder.Intern("n" + std::to_string(random() % 400));
      event.type = static_cast<uint16_t>(random() % 80);
      event.flags = instant ? uint16_t{kEventInstant} : uint16_t{0};
      const Row row = builder.AddEvent(event);
      if (random() % 5 == 0) builder.AddInt(row, "key", 1);
    }
    const auto trace = builder.Finish();
    ASSERT_TRUE(trace) << trace.error().message;
    int64_t zero = INT64_MAX;
    for (const int64_t start : (*trace)->start_ns())
      zero = std::min(zero, start);
    ASSERT_EQ(WithoutTracks(Slices(**trace)), Expected(**trace, zero));
  }
}

// More names than are kept ready, each with several types in turn, deeper than
// the first room for ends, across many values of the high bits of a time.
TEST(Perfetto, NamesAndDepthsAreNotBounded) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  constexpr int64_t kEnd = int64_t{1} << 40;
  for (int64_t i = 0; i < 9000; ++i) {
    EventSpec event;
    event.start_ns = i * 50'000'000;
    event.dur_ns = i < 1000 ? kEnd - 2 * event.start_ns : 10'000'000;
    event.name = builder.Intern("n" + std::to_string(i % 4500));
    event.type = static_cast<uint16_t>(i / 7 % 3);
    builder.AddEvent(event);
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ((*trace)->tracks().size(), 1u) << "nothing overlaps";
  EXPECT_EQ(WithoutTracks(Slices(**trace)), Expected(**trace, 0));
}

// Names that share a place among those that are kept ready, one right behind
// the other, and instants between them.
TEST(Perfetto, NeighboursDoNotTakeEachOthersNames) {
  std::mt19937_64 random(6);
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  std::vector<StringId> names;
  for (int i = 0; i < 10000; ++i)
    names.push_back(builder.Intern("n" + std::to_string(i)));
  for (int64_t i = 0; i < 20000; ++i) {
    EventSpec event;
    event.start_ns = i * 1000;
    const bool instant = random() % 50 == 0;
    event.dur_ns = instant ? 0 : 900;
    event.flags = instant ? uint16_t{kEventInstant} : uint16_t{0};
    // Now a few, now all of them, now those 2048 apart.
    const uint64_t pick = random();
    event.name = names[i % 3000 < 1000   ? pick % 20
                       : i % 3000 < 2000 ? pick % names.size()
                                         : pick % 4 * 2048];
    builder.AddEvent(event);
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(WithoutTracks(Slices(**trace)), Expected(**trace, 0));
}

}  // namespace
}  // namespace stepscope
