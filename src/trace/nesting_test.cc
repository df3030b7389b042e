// SPDX-License-Identifier: Apache-2.0
#include "trace/nesting.h"

#include <gtest/gtest.h>

#include "trace/trace_builder.h"
#include "trace/trace_from_text.h"

namespace stepscope {
namespace {

TEST(NestingTest, ParentDepthAndSelf) {
  const auto trace = TraceFromText(
      "0..100 step\n"
      "  10..40 a\n"
      "    20..30 b\n"
      "  40..60 c\n"
      "100..120 next\n");
  const Nesting& n = trace->nesting();
  const std::vector<Row> parent(n.parent.view().begin(), n.parent.view().end());
  EXPECT_EQ(parent, (std::vector<Row>{kNoRow, 0, 1, 0, kNoRow}));
  const std::vector<uint32_t> depth(n.depth.view().begin(),
                                    n.depth.view().end());
  EXPECT_EQ(depth, (std::vector<uint32_t>{0, 1, 2, 1, 0}));
  const std::vector<int64_t> self(n.self_ns.view().begin(),
                                  n.self_ns.view().end());
  EXPECT_EQ(self, (std::vector<int64_t>{50, 20, 10, 20, 20}));
}

TEST(NestingTest, WhatHasNoDurationIsNoParent) {
  const auto trace = TraceFromText(
      "0..9 outer\n"
      "3..3 mark instant\n"
      "3..3 empty\n"
      "9..9 behind\n");
  const Nesting& n = trace->nesting();
  EXPECT_EQ(n.parent[1], 0u);
  EXPECT_EQ(n.parent[2], 0u);
  EXPECT_EQ(n.parent[3], kNoRow);
}

TEST(NestingTest, AMillionDeep) {
  TraceBuilder b;
  b.AddProcess({});
  b.AddTrack({});
  constexpr int64_t kDepth = 1'000'000;
  for (int64_t i = 0; i < kDepth; ++i)
    b.AddEvent({0, i, 2 * (kDepth - i), {}, 0, 0});
  const auto trace = b.Finish();
  ASSERT_TRUE(trace);
  const Nesting& n = (*trace)->nesting();
  EXPECT_EQ(n.depth[kDepth - 1], kDepth - 1);
  EXPECT_EQ(n.parent[kDepth - 1], static_cast<Row>(kDepth - 2));
  EXPECT_EQ(n.self_ns[0], 2);
}

}  // namespace
}  // namespace stepscope
