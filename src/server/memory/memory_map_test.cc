// SPDX-License-Identifier: Apache-2.0
//
// What the page draws of memory is what the tables of the summary say.
#include "server/memory/memory_map.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <numeric>
#include <string>

#include "analysis/steps.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_peak.h"
#include "importers/registry.h"
#include "server/files/open_trace.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope::server {
namespace {

constexpr char kSmall[] = R"(
process 1
  thread 7 main
    0..900 aten::conv2d Operator
      100..150 aten::empty Operator
    1000..1100 aten::relu Operator
    memory 120 +1024 Place(gpu:0) 0x10000 total=5024
    memory 1010 +512 Place(gpu:0) 0x20000 total=5536
    memory 1050 -1024 Place(gpu:0) 0x10000 total=4512)";

TEST(MemoryMapTest, OwnersAreCallers) {
  const OpenTrace open(TraceFromText(kSmall));
  ASSERT_EQ(open.memory_maps().size(), 1u);
  const MemoryMap& map = *open.memory_maps()[0];
  const MemoryGroups& groups = map.groups(MemoryBy::kOperator);
  ASSERT_EQ(groups.names.size(), 4u);
  EXPECT_EQ(groups.names[0], "aten::conv2d");
  EXPECT_EQ(groups.names[1], "aten::relu");
  EXPECT_EQ(groups.names.back(), "(before the recording)");
  const auto peak = groups.area->Peak();
  EXPECT_EQ(peak.held, (std::vector<int64_t>{1024, 512, 0, 4000}));
  EXPECT_EQ(map.EventOf(peak.change), 1u);
  EXPECT_EQ(map.EventAt(open.origin_ns() - 1), SIZE_MAX);
  EXPECT_EQ(map.EventAt(open.origin_ns() + 1'000'000), 2u);
}

TEST(MemoryMapTest, MostEventsAreInTheShortestTimeThatHasThem) {
  // One when the model is made, 39 a second later, one after a pause.
  std::string text = "process 1\n  thread 7 main\n    0..90 a Operator\n";
  const auto add = [&](int64_t time, int64_t address) {
    text += "    memory " + std::to_string(time) + " +8 Place(gpu:0) " +
            std::to_string(address) + " total=8\n";
  };
  add(20, 0x1000);
  for (int64_t i = 0; i < 39; ++i) add(1'000'000 + i, 0x2000 + i * 16);
  add(3'000'000, 0x9000);
  const OpenTrace open(TraceFromText(text));
  ASSERT_EQ(open.memory_maps().size(), 1u);
  const Interval most = open.memory_maps()[0]->MostEvents();
  EXPECT_EQ(most.end - most.begin, 38);
  // Of few, none is left out.
  const OpenTrace small(TraceFromText(kSmall));
  const Interval all = small.memory_maps()[0]->MostEvents();
  EXPECT_EQ(all.end - all.begin, 930);
}

// The groups of every way add up to the peak of the table, and to what it
// lists.
void ExpectTables(const std::string& path) {
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path;
  const auto trace = ImportFile(path);
  ASSERT_TRUE(trace) << trace.error().message;
  const OpenTrace open(*trace);
  std::map<std::pair<uint32_t, std::string>, const MemoryPlace*> places;
  const std::vector<MemoryPlace> all = ComputeMemory(open.tree(), open.steps());
  for (const MemoryPlace& place : all)
    places[{place.process, std::string(place.place)}] = &place;
  ASSERT_FALSE(open.memory_maps().empty());
  for (const auto& map : open.memory_maps()) {
    const MemoryPlace& place =
        *places.at({map->account().process,
                    std::string((*trace)->str(map->account().place))});
    for (const MemoryBy by : {MemoryBy::kOperator, MemoryBy::kModule,
                              MemoryBy::kLine, MemoryBy::kCategory}) {
      const MemoryGroups& groups = map->groups(by);
      const auto peak = groups.area->Peak();
      EXPECT_EQ(std::accumulate(peak.held.begin(), peak.held.end(), int64_t{0}),
                place.peak_allocated_bytes);
      EXPECT_EQ(map->EventOf(peak.change), place.life.peak_event);
      EXPECT_EQ(peak.held.back(), place.life.before_bytes);
    }
    const auto held = HeldAfter(**trace, map->account(), place.life.peak_event);
    int64_t sum = place.life.before_bytes;
    for (const HeldByOwner& one : held) sum += one.bytes;
    EXPECT_EQ(sum, place.peak_allocated_bytes);
    // A window of everything shows something, and no more than there is.
    const MemoryPicture picture = map->pyramid().Draw(
        {open.origin_ns(), open.origin_ns() + open.span_ns() + 1, 0,
         map->bytes(), 500, 200},
        map->groups(MemoryBy::kOperator).of_owner);
    EXPECT_GT(picture.rects.size() + picture.runs.size(), 0u);
    for (const MemoryRect& rect : picture.rects)
      EXPECT_LE((uint64_t{rect.at} + rect.size) * map->pyramid().unit_bytes(),
                map->bytes());
  }
}

TEST(MemoryMapTest, EqualsTheTablesOfASnapshot) {
  ExpectTables(STEPSCOPE_SHARED_TRACES "/memory/train.pickle");
}
TEST(MemoryMapTest, EqualsTheTablesOfASnapshotThatBeginsLater) {
  ExpectTables(STEPSCOPE_SHARED_TRACES "/memory/oom.pickle");
}
TEST(MemoryMapTest, EqualsTheTablesOfAProfile) {
  ExpectTables(STEPSCOPE_SHARED_TRACES "/torch_cnn.json.gz");
}
TEST(MemoryMapTest, EqualsTheTablesOfALongerProfile) {
  ExpectTables(STEPSCOPE_SHARED_TRACES "/torch_resnet50_amp.json.gz");
}

}  // namespace
}  // namespace stepscope::server
