// SPDX-License-Identifier: Apache-2.0
#include "trace/raw_args.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

std::string Members(int i) {
  return "\"Ev Idx\": " + std::to_string(i) + ", \"stack\": \"" +
         std::string(static_cast<size_t>(i % 300), 'a') + "\"";
}

// `count` events on two tracks, in an order that Finish() changes; every
// third has no raw arguments.
std::shared_ptr<const Trace> Sample(int count) {
  TraceBuilder builder;
  builder.AddProcess({});
  builder.AddTrack({});
  builder.AddTrack({});
  for (int i = 0; i < count; ++i) {
    EventSpec event;
    event.track = static_cast<uint32_t>(i % 2);
    event.start_ns = (count - i) * 10;
    event.dur_ns = 1;
    event.name = builder.Intern(std::to_string(i));
    const Row row = builder.AddEvent(event);
    if (i % 3 != 0) builder.AddRawArgs(row, Members(i));
  }
  auto trace = builder.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

TEST(RawArgsTest, ArgumentsFollowTheirEvents) {
  const auto trace = Sample(5000);
  ASSERT_TRUE(trace->has_raw_args());
  EXPECT_GT(trace->raw_args().block_count(), 5u);
  RawArgReader reader(*trace);
  for (Row row = 0; row < trace->size(); ++row) {
    const int i = std::stoi(std::string(trace->str(trace->name()[row])));
    const std::string want = i % 3 == 0 ? "" : Members(i);
    ASSERT_EQ(reader.Get(row), want);
    if (row % 500 == 0) {
      EXPECT_EQ(trace->raw_args(row), want);
    }
  }
}

TEST(RawArgsTest, TextsLongerThanABlock) {
  RawArgs args;
  const std::string text(RawArgs::kBlockBytes * 3, 'x');
  const RawRef small = args.Add("\"a\": 1");
  const RawRef large = args.Add(text);
  const RawRef after = args.Add("");
  args.Seal();
  EXPECT_EQ(RawArgs::At(args.Unpack(RawArgs::BlockOf(small)), small),
            "\"a\": 1");
  EXPECT_EQ(RawArgs::At(args.Unpack(RawArgs::BlockOf(large)), large), text);
  EXPECT_EQ(RawArgs::At(args.Unpack(RawArgs::BlockOf(after)), after), "");
}

TEST(RawArgsTest, APackerOfOnesOwn) {
  RawArgs args;
  int packed = 0;
  args.set_packer([&](RawArgs::Block& block) {
    ++packed;
    block.Pack();
  });
  const RawRef ref = args.Add(Members(299));
  args.Seal();
  EXPECT_EQ(packed, 1);
  EXPECT_EQ(RawArgs::At(args.Unpack(0), ref), Members(299));
}

}  // namespace
}  // namespace stepscope
