// SPDX-License-Identifier: Apache-2.0
//
// A program that profiles itself: under `stepscope run` its own profiler must
// work as it does without.
#include <stepscope/stepscope.h>

#include <cstdio>

int main() {
  stepscope::ProfilerOptions options;
  options.scheduler = stepscope::MakeScheduler(
      {.closed = 0, .ready = 0, .record = 2, .repeat = 1});
  stepscope::Profiler profiler(options);
  profiler.Start();
  for (int i = 0; i < 4; ++i) {
    { stepscope::RecordEvent event("work"); }
    profiler.Step();
  }
  profiler.Stop();
  std::printf("last error: [%s]\n", profiler.LastError().c_str());
  return 0;
}
