// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "importers/input/input_source.h"
#include "importers/torch_memory/memory_timeline_importer.h"
#include "trace/memory_levels.h"

namespace stepscope {
namespace {

Result<std::shared_ptr<const Trace>> ReadText(const std::string& text) {
  const std::span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t*>(text.data()), text.size());
  EXPECT_TRUE(MemoryTimelineImporter().Sniff(bytes)) << text;
  auto input = InputSource::FromBytes(bytes, "a.json");
  if (!input) return input.error();
  TraceBuilder builder;
  const Status status = MemoryTimelineImporter().Import(**input, {}, builder);
  if (!status) return status.error();
  return builder.Finish();
}

// What each category holds after the last event, and all together at most.
struct Held {
  std::map<std::string, int64_t> by_category;
  int64_t now = 0;
  int64_t peak = 0;
};
Held HeldIn(const Trace& trace) {
  Held held;
  for (const MemoryEvent& event : trace.memory()) {
    EXPECT_EQ(trace.str(event.place), kMemoryLevelsPlace);
    held.by_category[std::string(trace.str(trace.name()[event.owner]))] +=
        event.bytes;
    held.now += event.bytes;
    held.peak = std::max(held.peak, held.now);
  }
  return held;
}

TEST(MemoryTimelineTest, SizesByTime) {
  // Parameters are there; activations come, and become gradients.
  const auto trace = ReadText(
      "[[1700000000000000, 1700000000000010, 1700000000000025],\n"
      " [[0, 100, 0, 0, 0, 0, 0, 0, 0], [0, 100, 0, 0, 0, 50, 0, 0, 0],"
      " [0, 100, 0, 0, 0, 0, 30, 0, 0]]]");
  ASSERT_TRUE(trace) << trace.error().message;
  const Trace& t = **trace;
  EXPECT_EQ(t.format(), "torch_memory_timeline");
  EXPECT_EQ(t.epoch_ns(), 1700000000000000 * 1000);
  EXPECT_EQ(t.end_ns(), 25'000);
  const Held held = HeldIn(t);
  EXPECT_EQ(held.peak, 150);
  EXPECT_EQ(held.by_category.at("parameters"), 100);
  EXPECT_EQ(held.by_category.at("activations"), 0);
  EXPECT_EQ(held.by_category.at("gradients"), 30);
  EXPECT_EQ(t.ledger().kept(), 3u);
  EXPECT_EQ(t.ledger().seen(), 3u);
}

// Of the same program, each change; what was there before has no time.
TEST(MemoryTimelineTest, Changes) {
  const auto trace = ReadText(
      "[[-1, 1, 100, 0], [5000, 2, 50, 4], [6000, 3, -50, 4], "
      "[6000, 3, 50, 5], [7000, 4, -20, 5]]");
  ASSERT_TRUE(trace) << trace.error().message;
  const Held held = HeldIn(**trace);
  EXPECT_EQ(held.peak, 150);
  EXPECT_EQ(held.now, 130);
  EXPECT_EQ(held.by_category.at("gradients"), 30);
  EXPECT_EQ((*trace)->end_ns(), 2000);
  EXPECT_EQ((*trace)->ledger().kept(), 5u);
  EXPECT_TRUE((*trace)->notes().empty());
}

// The same program in both kinds, as torch wrote them; the sums are what Python
// adds up from the numbers in them.
TEST(MemoryTimelineTest, RealFiles) {
  for (const auto& [name, entries, dur_ns] :
       {std::tuple("cpu.json.gz", 415u, int64_t{155'178'000}),
        std::tuple("cpu.raw.json.gz", 496u, int64_t{155'177'760})}) {
    auto input = InputSource::Open(
        std::string(STEPSCOPE_FIXTURES "/torch_memory_timeline/") + name);
    ASSERT_TRUE(input) << input.error().message;
    TraceBuilder builder;
    ASSERT_TRUE(MemoryTimelineImporter().Import(**input, {}, builder)) << name;
    const auto trace = *builder.Finish();
    const Held held = HeldIn(*trace);
    EXPECT_EQ(held.peak, 438'684) << name;
    EXPECT_EQ(held.now, 307'600) << name;
    EXPECT_EQ(held.by_category.at("parameters"), 74'784) << name;
    EXPECT_EQ(held.by_category.at("optimizer state"), 149'584) << name;
    EXPECT_EQ(held.by_category.at("inputs"), 8'448) << name;
    EXPECT_EQ(held.by_category.at("activations"), 0) << name;
    EXPECT_EQ(held.by_category.at("gradients"), 74'784) << name;
    EXPECT_EQ(trace->ledger().kept(), entries) << name;
    EXPECT_EQ(trace->ledger().seen(), entries) << name;
    EXPECT_EQ(trace->end_ns() - trace->begin_ns(), dur_ns) << name;
    EXPECT_TRUE(trace->notes().empty()) << name;
  }
}

TEST(MemoryTimelineTest, ShortFiles) {
  for (const char* text : {"[[], []]", "[[]]", " [\n[],[]]\n"}) {
    const auto trace = ReadText(text);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_TRUE((*trace)->memory().empty()) << text;
    EXPECT_EQ((*trace)->notes().size(), 1u) << text;
  }
  const auto one = ReadText("[[7, 2, 64, 7]]");
  ASSERT_TRUE(one);
  EXPECT_EQ(HeldIn(**one).peak, 64);
  // Of nothing but what was there before.
  const auto before = ReadText("[[-1, 1, 64, 0], [-1, 1, 6, 1]]");
  ASSERT_TRUE(before);
  EXPECT_EQ(HeldIn(**before).now, 70);
}

// As stepscope's own begins at 0, frees may come first.
TEST(MemoryTimelineTest, MoreIsFreedThanAllocated) {
  const auto trace = ReadText("[[1, 4, -20, 7], [2, 2, 50, 7]]");
  ASSERT_TRUE(trace);
  EXPECT_EQ(HeldIn(**trace).peak, 30);
  EXPECT_EQ((*trace)->notes().size(), 1u);
}

TEST(MemoryTimelineTest, DamagedRowsAreCounted) {
  const auto trace = ReadText(
      "[[1, 2, 50, 7], [2, 2, 50], [3, 2, 50, 8], [4, 2, 9e18, 1], "
      "[5, 2, 10, 7]]");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->ledger().seen(), 5u);
  EXPECT_EQ((*trace)->ledger().kept(), 2u);
  EXPECT_EQ(HeldIn(**trace).now, 60);
  const auto uneven = ReadText("[[1, 2], [[0, 1, 0, 0, 0, 0, 0, 0, 0]]]");
  ASSERT_TRUE(uneven);
  EXPECT_EQ((*uneven)->ledger().kept(), 1u);
  EXPECT_EQ((*uneven)->ledger().seen(), 2u);
}

// As torch 2.6 begins it.
TEST(MemoryTimelineTest, APageWithAPicture) {
  const auto trace = ReadText(
      "<html>\n<head><meta charset=\"utf-8\" /><title>GPU Memory Timeline "
      "HTML</title></head>\n<body>\n  <img src='data:image/png;base64,iVBO");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().message,
            "a.json: byte 0: a page with a picture has no figures; call "
            "export_memory_timeline() with a name that ends with .json.gz");
}

TEST(MemoryTimelineTest, CutAtEveryByte) {
  for (const std::string whole :
       {"[[1, 2], [[0, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 0, 9]]]",
        "[[1, 2, 50, 7], [2, 2, 50, 7]]"}) {
    for (size_t size = 3; size < whole.size(); ++size) {
      const auto trace = ReadText(whole.substr(0, size));
      ASSERT_FALSE(trace) << size;
      EXPECT_EQ(trace.error().message.find("a.json: byte "), 0u);
    }
  }
  EXPECT_FALSE(ReadText("[[1, \"a\"]]"));
}

}  // namespace
}  // namespace stepscope
