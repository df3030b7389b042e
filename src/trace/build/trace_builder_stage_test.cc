// SPDX-License-Identifier: Apache-2.0
//
// Events that are staged make the trace that events added one by one make.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr int kTracks = 7;

// Track 0 has most events, the last ones hardly any. Order and nesting hold
// in tracks of even number.
struct Record {
  uint32_t track = 0;
  int64_t start_ns = 0;
  int64_t dur_ns = 0;
};

std::vector<Record> MakeRecords(int count) {
  std::mt19937 random(7);
  std::vector<Record> records;
  for (int i = 0; i < count; ++i) {
    Record record;
    while (record.track + 1 < kTracks && random() % 3 == 0) ++record.track;
    record.start_ns = 10 * i;
    record.dur_ns = 5;
    if (record.track % 2 == 1) {
      record.start_ns -= static_cast<int64_t>(random() % 200);
      record.dur_ns = static_cast<int64_t>(random() % 300);
    }
    records.push_back(record);
  }
  return records;
}

enum class How { kAdd, kStage };

// The record, under a name that few have had before it, with an argument and
// a link.
void Take(TraceBuilder& builder, const Record& record, How how) {
  const auto name = "name " + std::to_string(record.start_ns / 5'000);
  const EventSpec event = {record.track,         record.start_ns, record.dur_ns,
                           builder.Intern(name), uint16_t{3},     uint16_t{1}};
  const Row row =
      how == How::kAdd ? builder.AddEvent(event) : builder.StageEvent(event);
  ASSERT_NE(row, kNoRow);
  builder.AddInt(row, "start", record.start_ns);
  builder.AddInt(row, "again", record.start_ns);
  builder.AddLink(
      {0, LinkSpace::kCorrelation, static_cast<uint64_t>(record.dur_ns), row});
}

void AddTracks(TraceBuilder& builder) {
  builder.AddProcess({});
  for (int64_t id = 0; id < kTracks; ++id) {
    Track track;
    track.id = id;
    builder.AddTrack(track);
  }
}

std::string StagedText(TraceBuilder& builder) {
  const auto trace = builder.Finish();
  if (!trace) return trace.error().message;
  const Trace& t = **trace;
  std::string all;
  const auto add = [&all](auto... values) {
    ((all += std::to_string(values) + " "), ...);
    all += "\n";
  };
  for (const Track& track : t.tracks()) {
    add(track.id, track.lane);
    if (track.first != track.last) add(track.first, track.last);
  }
  for (Row row = 0; row < t.size(); ++row)
    add(t.start_ns()[row], t.dur_ns()[row], t.name()[row].v, t.track()[row],
        t.type()[row], t.flags()[row]);
  for (const Arg& arg : t.args()) {
    EXPECT_EQ(arg.int_value, t.start_ns()[arg.row]);
    add(arg.row, arg.key.v);
  }
  for (const Link& link : t.links()) add(link.id, link.row);
  for (uint32_t id = 0; id < t.strings().size(); ++id)
    all += std::string(t.str({id})) + ",";
  return all;
}

std::string Expected(const std::vector<Record>& records) {
  TraceBuilder builder;
  AddTracks(builder);
  for (const Record& record : records) Take(builder, record, How::kAdd);
  return StagedText(builder);
}

TEST(TraceBuilderStageTest, AsIfAddedOneByOne) {
  for (const int count : {1, 100, 30'000}) {
    const std::vector<Record> records = MakeRecords(count);
    TraceBuilder builder;
    AddTracks(builder);
    builder.ReserveStaged(5);
    for (const Record& record : records) Take(builder, record, How::kStage);
    EXPECT_EQ(builder.event_count(), 0u);
    builder.PlaceStaged();
    EXPECT_EQ(builder.event_count(), static_cast<Row>(count));
    const std::string expected = Expected(records);
    EXPECT_TRUE(StagedText(builder) == expected) << count;
  }
}

TEST(TraceBuilderStageTest, SeveralThreads) {
  const std::vector<Record> records = MakeRecords(30'000);
  TraceBuilder builder;
  AddTracks(builder);
  for (const Record& record : records) Take(builder, record, How::kStage);
  builder.PlaceStaged([](const TraceBuilder::Work& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_TRUE(StagedText(builder) == Expected(records));
}

// Forks that make names of their own, and more that is staged after a Join.
TEST(TraceBuilderStageTest, PartsMakeTheWhole) {
  const std::vector<Record> records = MakeRecords(20'000);
  const std::string expected = Expected(records);
  for (const size_t part : {size_t{1'500}, size_t{6'001}, size_t{19'999}}) {
    TraceBuilder whole;
    AddTracks(whole);
    Take(whole, records[0], How::kStage);
    std::vector<TraceBuilder> forks;
    for (size_t first = 1; first < records.size(); first += part)
      forks.push_back(whole.Fork());
    for (size_t k = 0; k < forks.size(); ++k) {
      const size_t first = 1 + k * part;
      const size_t last = std::min(first + part, records.size());
      // Every third is read again by the builder itself.
      TraceBuilder& reader = k % 3 == 2 ? whole : forks[k];
      for (size_t i = first; i < last; ++i)
        Take(reader, records[i], How::kStage);
      whole.Join(std::move(forks[k]));
    }
    EXPECT_TRUE(StagedText(whole) == expected) << part;
  }
}

// Rows of another file that are there already stay what they are, and those
// that come after are behind.
TEST(TraceBuilderStageTest, BetweenRowsThatAreAdded) {
  const std::vector<Record> records = MakeRecords(3'000);
  TraceBuilder builder;
  AddTracks(builder);
  size_t i = 0;
  for (; i < 1'000; ++i) Take(builder, records[i], How::kAdd);
  for (; i < 2'000; ++i) Take(builder, records[i], How::kStage);
  builder.PlaceStaged();
  for (; i < 3'000; ++i) Take(builder, records[i], How::kAdd);
  EXPECT_TRUE(StagedText(builder) == Expected(records));
}

TEST(TraceBuilderStageTest, MergePlacesWhatIsStaged) {
  TraceBuilder first;
  AddTracks(first);
  Take(first, {0, 10, 5}, How::kStage);
  TraceBuilder second;
  AddTracks(second);
  Take(second, {1, 30, 5}, How::kStage);
  first.Merge(std::move(second));
  EXPECT_EQ(first.event_count(), 2u);
  EXPECT_EQ(first.start_ns(0), 10);
  EXPECT_EQ(first.start_ns(1), 30);
}

TEST(TraceBuilderStageTest, EventOfNoTrackIsRefused) {
  TraceBuilder builder;
  AddTracks(builder);
  Take(builder, {kTracks, 10, 5}, How::kStage);
  EXPECT_FALSE(builder.Finish());
}

}  // namespace
}  // namespace stepscope
