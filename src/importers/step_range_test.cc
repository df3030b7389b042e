// SPDX-License-Identifier: Apache-2.0
#include "importers/step_range.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include "importers/capture/sample_capture_test_support.h"
#include "importers/registry.h"

namespace stepscope {
namespace {

TEST(StepRangeTest, RangesThatMatchAreTheSteps) {
  TraceBuilder builder;
  builder.AddProcess({});
  const uint32_t thread = builder.AddTrack({});
  Track on_device;
  on_device.kind = TrackKind::kStream;
  const uint32_t stream = builder.AddTrack(on_device);
  const auto add = [&](uint32_t track, int64_t start, const char* name,
                       uint16_t type) {
    return builder.AddEvent({track, start, 5, builder.Intern(name), type, 0});
  };
  const Row before = add(thread, 0, "decode 0", STEPSCOPE_USER_DEFINED);
  const Row first = add(thread, 10, "decode 1", STEPSCOPE_USER_DEFINED);
  const Row step = add(thread, 20, "ProfilerStep#1", STEPSCOPE_PROFILE_STEP);
  const Row other = add(thread, 30, "encode", STEPSCOPE_OPERATOR);
  const Row mark = add(stream, 10, "decode 1", STEPSCOPE_USER_DEFINED);
  EXPECT_TRUE(MarkSteps("decode*", first, builder));
  EXPECT_EQ(builder.type_of(before), STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(builder.type_of(first), STEPSCOPE_PROFILE_STEP);
  EXPECT_EQ(builder.type_of(step), STEPSCOPE_USER_DEFINED);
  EXPECT_EQ(builder.type_of(other), STEPSCOPE_OPERATOR);
  EXPECT_EQ(builder.type_of(mark), STEPSCOPE_USER_DEFINED);
  EXPECT_FALSE(MarkSteps("nothing", first, builder));
}

TEST(StepRangeTest, FilesWithoutSuchARangeSaySo) {
  const capture::TempFolder folder;
  const std::string path =
      folder.Write("a.sscap", capture::EndedSample().bytes);
  SetStepRange("nobody*");
  const auto trace = ImportFile(path);
  SetStepRange("");
  ASSERT_TRUE(trace);
  ASSERT_FALSE((*trace)->notes().empty());
  EXPECT_EQ((*trace)->notes().back(),
            path + ": no range is called nobody*, so it has no steps");
}

}  // namespace
}  // namespace stepscope
