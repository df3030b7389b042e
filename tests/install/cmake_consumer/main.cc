// SPDX-License-Identifier: Apache-2.0
//
// The first program of the README, word for word between the two marks.
// clang-format off
#include <stepscope/stepscope.h>

static void Load() {}
static void Forward() {}

int main() {
  // begin README
  stepscope::Profiler prof({.scheduler = stepscope::StepRange(2, 10),
                            .on_trace_ready = stepscope::ExportChromeTracing("./profiler_demo")});
  prof.Start();
  for (int i = 0; i < 30; ++i) {
    { stepscope::RecordEvent event("DataPrepare"); Load(); }
    { stepscope::RecordEvent event("Net", stepscope::EventType::kForward); Forward(); }
    prof.Step();
  }
  prof.Stop();
  // end README
}
