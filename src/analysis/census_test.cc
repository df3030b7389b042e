// SPDX-License-Identifier: Apache-2.0
#include "analysis/census.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "analysis/name_totals.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(CensusTest, CountsTypesByTrackAndByName) {
  const auto trace = TraceFromText(R"(
    thread 1
      0..90 ProfileStep#0 ProfileStep
        0..40 a Operator
          5..10 a UserDefined
        50..80 net Forward
          60..70 a Operator
    stream 1 GPU:0
      20..30 a Kernel)");
  const Census census(*trace);
  const StringId a = trace->strings().Find("a");
  EXPECT_EQ(census.host_types(a),
            SetOf(STEPSCOPE_OPERATOR) | SetOf(STEPSCOPE_USER_DEFINED));
  EXPECT_EQ(census.device_types(a), SetOf(STEPSCOPE_KERNEL));
  ASSERT_EQ(trace->tracks().size(), 2u);
  EXPECT_EQ(census.counts(0)[STEPSCOPE_OPERATOR], 2u);
  EXPECT_EQ(census.types(1), SetOf(STEPSCOPE_KERNEL));
  ASSERT_EQ(census.marks(0).size(), 2u);
  EXPECT_EQ(trace->type()[census.marks(0)[0]], STEPSCOPE_PROFILE_STEP);
  EXPECT_EQ(trace->type()[census.marks(0)[1]], STEPSCOPE_FORWARD);
  EXPECT_TRUE(census.marks(1).empty());
}

TEST(CensusTest, OddTypesShareOneSlot) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t track = builder.AddTrack({});
  for (const uint16_t type : {uint16_t{63}, uint16_t{64}, uint16_t{65535}}) {
    builder.AddEvent({track, type, 0, builder.Intern("odd"), type, 0});
  }
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace.has_value());
  const Census census(**trace);
  EXPECT_EQ(census.counts(0)[63], 1u);
  EXPECT_EQ(census.counts(0)[kOddTypes], 2u);
  EXPECT_EQ(census.types(0), SetOf(63));
  EXPECT_EQ(SetOf(63), SetOf(65535));
}

TEST(NameTotalsTest, SumsAndTheFirstOfTheLongest) {
  const auto trace = TraceFromText(R"(
    0..3 a
    10..12 b
    20..25 a
    30..35 a
    40..40 a)");
  NameTotals totals(*trace);
  totals.Add(0, trace->size());
  const NameTotal& a = totals.totals()[trace->strings().Find("a").v];
  EXPECT_EQ(a.calls, 4u);
  EXPECT_EQ(a.total_ns, 13);
  EXPECT_EQ(a.max_ns, 5);
  EXPECT_EQ(a.min_ns, 0);
  EXPECT_EQ(a.first, 0u);
  EXPECT_EQ(a.longest, 2u);
}

}  // namespace
}  // namespace stepscope
