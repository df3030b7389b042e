// SPDX-License-Identifier: Apache-2.0
#include "memory/replay.h"

#include <gtest/gtest.h>

namespace stepscope::memory {
namespace {

Op Allocation(uint32_t id, int64_t bytes, uint64_t address = 0) {
  return {bytes, address, id, id, 0, OpKind::kAllocate};
}
Op Freeing(uint32_t id) { return {0, 0, id, id, 0, OpKind::kFree}; }

TEST(ReplayTest, PeaksAndWhoMadeThem) {
  Script script;
  script.allocations = 3;
  script.ops = {Allocation(0, 30 * kMiB), Freeing(0), Allocation(1, 40 * kMiB),
                Freeing(1), Allocation(2, kMiB)};
  const ReplayResult result = Replay(script, {});
  EXPECT_EQ(result.peak_reserved, 72 * kMiB);
  EXPECT_EQ(result.peak_reserved_op, 4u);
  EXPECT_EQ(result.peak_allocated, 40 * kMiB);
  EXPECT_EQ(result.peak_allocated_op, 2u);
  ASSERT_EQ(result.forced.size(), 3u);
  EXPECT_EQ(result.forced[1].segment.free_bytes, 30 * kMiB);
}

TEST(ReplayTest, WhatWasThereBeforeIsWhereItWas) {
  Script script;
  script.segments = {{0x1000000, 20 * kMiB, 0}};
  script.blocks = {{0x1000000 + 4 * kMiB, 4 * kMiB, 4 * kMiB, 0, 0}};
  script.allocations = 2;
  script.ops = {Allocation(1, 4 * kMiB, 0x1000000)};
  const ReplayResult result = Replay(script, {});
  EXPECT_EQ(result.peak_reserved, 20 * kMiB);
  EXPECT_EQ(result.peak_allocated, 8 * kMiB);
  EXPECT_EQ(result.misplaced, 0u);  // the smaller of the two holes
}

TEST(ReplayTest, ASmallerDevice) {
  Script script;
  script.allocations = 2;
  script.ops = {Allocation(0, 60 * kMiB), Allocation(1, 60 * kMiB)};
  ReplayOptions options;
  options.limit = 100 * kMiB;
  const ReplayResult result = Replay(script, options);
  EXPECT_EQ(result.worst_op, 1u);
  EXPECT_EQ(result.short_bytes, 20 * kMiB);
  EXPECT_EQ(result.retries, 1u);
}

// No segment is made in the recording: all of it was there.
TEST(ReplayTest, ASmallerDeviceThanWhatWasThereBefore) {
  Script script;
  script.segments = {{0x1000000, 20 * kMiB, 0}, {0x9000000, 40 * kMiB, 0}};
  script.blocks = {{0x1000000, 4 * kMiB, 4 * kMiB, 0, 0}};
  script.allocations = 1;
  ReplayOptions options;
  options.limit = 30 * kMiB;  // without what was kept unused
  EXPECT_EQ(Replay(script, options).short_bytes, 0);
  EXPECT_LE(Replay(script, options).peak_reserved, options.limit);
  options.limit = 15 * kMiB;
  EXPECT_EQ(Replay(script, options).short_bytes, 5 * kMiB);
}

TEST(ReplayTest, FreesOfNothingAreNothing) {
  Script script;
  script.allocations = 1;
  script.ops = {Freeing(0), Allocation(0, 1), Freeing(0), Freeing(0)};
  EXPECT_EQ(Replay(script, {}).allocated, 0);
}

}  // namespace
}  // namespace stepscope::memory
