// SPDX-License-Identifier: Apache-2.0
#include "trace/overlap.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <algorithm>
#include <random>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

struct Span {
  int64_t start = 0;
  int64_t end = 0;
  uint16_t type = STEPSCOPE_OPERATOR;
};

std::shared_ptr<const Trace> OneThread(const std::vector<Span>& spans) {
  TraceBuilder b;
  b.AddProcess({});
  b.AddTrack({});
  for (const Span& span : spans)
    b.AddEvent({0, span.start, span.end - span.start, {}, span.type, 0});
  auto trace = b.Finish();
  EXPECT_TRUE(trace);
  return *trace;
}

// By start, as they began.
std::vector<int64_t> SelfTimes(const Trace& trace) {
  std::vector<std::pair<int64_t, int64_t>> by_start;
  for (Row row = 0; row < trace.size(); ++row)
    by_start.emplace_back(trace.start_ns()[row], trace.self_ns()[row]);
  std::sort(by_start.begin(), by_start.end());
  std::vector<int64_t> self;
  for (const auto& [start, time] : by_start) self.push_back(time);
  return self;
}

TEST(OverlapTest, WhatOutlivesItsParentIsCutAtIt) {
  const auto trace = OneThread({{0, 10}, {5, 15}});
  EXPECT_EQ(SelfTimes(*trace), (std::vector<int64_t>{5, 10}));
  EXPECT_EQ(CountOutliving(*trace), 1u);
}

TEST(OverlapTest, TheEventAroundBothLosesTheirTimeOnce) {
  const auto trace = OneThread({{0, 100}, {10, 30}, {20, 50}, {35, 40}});
  EXPECT_EQ(SelfTimes(*trace), (std::vector<int64_t>{60, 10, 25, 5}));
  EXPECT_EQ(CountOutliving(*trace), 1u);
}

TEST(OverlapTest, NestedAndTouchingEventsAreNotCounted) {
  const auto trace = OneThread({{0, 10}, {2, 10}, {2, 4}, {10, 20}, {10, 10}});
  EXPECT_EQ(CountOutliving(*trace), 0u);
}

TEST(OverlapTest, ARangeThatAFunctionBeginsForItsCallerIsNotCounted) {
  const uint16_t function = STEPSCOPE_PYTHON_FUNCTION;
  const auto trace =
      OneThread({{0, 100, function}, {10, 20, function}, {15, 40}, {35, 45}});
  EXPECT_EQ(CountOutliving(*trace), 1u);  // the last
}

// Whatever overlaps: every nanosecond in which the thread ran anything belongs
// to exactly one event, the one that began last.
TEST(OverlapTest, SelfTimesAddUpToTheBusyTime) {
  std::mt19937_64 random(5);
  constexpr int64_t kSpan = 400;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Span> spans(1 + random() % 40);
    for (Span& span : spans) {
      span.start = static_cast<int64_t>(random() % (kSpan - 100));
      span.end = span.start + static_cast<int64_t>(random() % 100);
      if (random() % 4 == 0) span.type = STEPSCOPE_PYTHON_FUNCTION;
    }
    const auto trace = OneThread(spans);
    int64_t busy = 0;
    for (int64_t t = 0; t < kSpan; ++t) {
      busy += std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
        return span.start <= t && t < span.end;
      });
    }
    int64_t sum = 0;
    for (Row row = 0; row < trace->size(); ++row) {
      const int64_t self = trace->self_ns()[row];
      ASSERT_GE(self, 0);
      ASSERT_LE(self, trace->dur_ns()[row]);
      sum += self;
    }
    ASSERT_EQ(sum, busy) << "round " << round;
  }
}

}  // namespace
}  // namespace stepscope
