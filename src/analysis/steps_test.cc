// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps.h"

#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <string_view>
#include <vector>

#include "trace/trace_builder.h"

namespace stepscope {
namespace {

TEST(StepTableTest, IndexIsInTheNameOrInTheArgument) {
  TraceBuilder builder;
  Track track;
  track.process = builder.AddProcess({});
  const uint32_t thread = builder.AddTrack(track);
  const auto add = [&](int64_t start, std::string_view name) {
    EventSpec step;
    step.track = thread;
    step.start_ns = start;
    step.dur_ns = 10;
    step.name = builder.Intern(name);
    step.type = STEPSCOPE_PROFILE_STEP;
    return builder.AddEvent(step);
  };
  add(0, "ProfileStep#7");
  Arg arg;
  arg.row = add(10, "ProfileStep");  // what the Profiler writes after 32,768
  arg.key = builder.Intern("step");
  arg.int_value = 40000;
  builder.AddArg(arg);
  add(20, "ProfileStep");  // says nothing: counted
  const auto trace = builder.Finish();
  ASSERT_TRUE(trace) << trace.error().message;
  const EventTree tree(**trace);
  const StepTable table(tree);
  std::vector<int64_t> indices;
  for (const StepInterval& step : table.steps()) indices.push_back(step.index);
  EXPECT_EQ(indices, (std::vector<int64_t>{7, 40000, 2}));
}

}  // namespace
}  // namespace stepscope
