// SPDX-License-Identifier: Apache-2.0
#include "trace/write_loss.h"

#include <gtest/gtest.h>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

TEST(WriteLossTest, IsOfAllThreads) {
  TraceBuilder builder;
  Process process;
  process.metadata.emplace_back(builder.Intern("write_error"),
                                builder.Intern("28"));
  Track track;
  track.process = builder.AddProcess(process);
  ThreadReport report;
  report.track = builder.AddTrack(track);
  report.recorded = 40'000;
  report.dropped = {{"pool", 5}, {"io", 33'000}};
  builder.AddThread(report);
  report.track = builder.AddTrack(track);
  report.recorded = 3'028;
  report.dropped = {{"io", 807}};
  builder.AddThread(report);
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  const WriteLoss loss = FindWriteLoss(**trace);
  EXPECT_TRUE(loss.any());
  EXPECT_EQ(loss.dropped, 33'807u);
  EXPECT_EQ(loss.recorded, 43'028u);
  EXPECT_EQ(loss.error, 28);
  EXPECT_EQ(WriteLossText(loss), "disk full, 33,807 events dropped (44 %)");
}

TEST(WriteLossTest, SaysWhy) {
  EXPECT_FALSE(WriteLoss{}.any());
  EXPECT_EQ(WriteLossText({1, 1, 0}),
            "the file could not be written, 1 event dropped (50 %)");
  EXPECT_EQ(WriteLossText({0, 9, 122}), "disk quota used up");
  EXPECT_EQ(WriteLossText({2, 0, 27}),
            "the file reached the largest size allowed, 2 events dropped "
            "(100 %)");
}

}  // namespace
}  // namespace stepscope
