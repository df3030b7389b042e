// SPDX-License-Identifier: Apache-2.0
//
// Records events of every shape, for a test that listens as an NVTX tool.
//
// usage: emits_nvtx option|environment
#include <stepscope/stepscope.h>

#include <cstring>
#include <thread>

int main(int, char** argv) {
  stepscope::ProfilerOptions options;
  options.emit_nvtx = std::strcmp(argv[1], "option") == 0;
  options.quiet = true;
  stepscope::Profiler profiler(options);
  { stepscope::RecordEvent before("not recorded"); }
  profiler.Start();
  for (int i = 0; i < 2; ++i) {
    stepscope::RecordEvent outer("outer");
    {
      stepscope::RecordEvent inner("eight ch");  // fills its record
    }
    STEPSCOPE_EVENT("site", stepscope::EventType::kUserDefined);
    stepscope_instant("point", STEPSCOPE_USER_DEFINED);
  }
  // Out of order, and on another thread.
  stepscope_scope a = stepscope_begin("a", STEPSCOPE_USER_DEFINED);
  stepscope_scope b = stepscope_begin("b", STEPSCOPE_USER_DEFINED);
  stepscope_end(a);
  stepscope_end(b);
  stepscope_scope away = stepscope_begin("away", STEPSCOPE_USER_DEFINED);
  std::thread([away] { stepscope_end(away); }).join();
  profiler.Stop();
  return 0;
}
