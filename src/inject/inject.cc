// SPDX-License-Identifier: Apache-2.0
//
// libstepscope_inject.so is preloaded into the command of `stepscope run` and
// into the processes it starts. It holds the collector, takes NVTX ranges, and
// loads the observer of torch. It must never be the reason that a program
// behaves otherwise: it prints one line at most, and only on failure.
#include <errno.h>
#include <pthread.h>
#include <stepscope/c.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/command_line.h"
#include "inject/cpu_sampler.h"
#include "inject/devices.h"
#include "inject/nvtx_objects.h"
#include "inject/nvtx_ranges.h"
#include "inject/recording.h"
#include "inject/settings.h"
#include "inject/torch_watch.h"
#include "inject/watcher.h"

namespace stepscope::inject {
namespace {

// These change the process in ways that the kernel refuses to a process with
// threads, and then execute the program that matters.
bool MustStaySingleThreaded() {
  for (const char* name : {"unshare", "nsenter", "bwrap"})
    if (std::strcmp(program_invocation_short_name, name) == 0) return true;
  return false;
}

bool following = false;

void InForkedChild() {
  ForgetWatcher();
  recording.ResetInForkedChild();
  nvtx::ResetObjectsInForkedChild();
  nvtx::ForgetRangesInForkedChild();
  ResetTorchWatchInForkedChild();
}

void Describe(const Settings& settings) {
  stepscope_set_metadata("injected", "1");
  stepscope_set_metadata("run", settings.run_id);
  char command[256];
  ReadCommandLine(command, sizeof(command));
  stepscope_set_metadata("command", command);
  char text[64];
  if (WriteUsableProcessors(text, sizeof(text)))
    stepscope_set_metadata("cpus_usable", text);
  // Steps that the user chose, and that are not the program's first.
  if (settings.steps.given() && settings.steps.first > 0) {
    std::snprintf(text, sizeof(text), "%lld",
                  static_cast<long long>(settings.steps.first));
    stepscope_set_metadata("first_chosen_step", text);
  }
  if (settings.torch_absent[0] != '\0')
    stepscope_set_metadata("absent_operators", settings.torch_absent);
  if (settings.gpu_absent[0] != '\0')
    stepscope_set_metadata("absent_gpu", settings.gpu_absent);
}

__attribute__((constructor)) void OnLoad() {
  const Settings settings = ReadSettings(
      [](const char* name) -> const char* { return secure_getenv(name); });
  if (!settings.follow || settings.out[0] == '\0' || MustStaySingleThreaded())
    return;
  following = true;
  Describe(settings);
  DeferDevices();
  ConfigureTorchWatch(settings);
  recording.Configure(settings);
  // Before ours, so that in a child the collector is in order when we look.
  stepscope_session();
  pthread_atfork(nullptr, nullptr, &InForkedChild);
  StartWatcher(settings.memory);
}

}  // namespace
}  // namespace stepscope::inject

extern "C" {

// For a program that marks its steps: instead of the profiler that
// libstepscope.so would start for it.
STEPSCOPE_API void stepscope_step(void) noexcept {
  stepscope::inject::recording.Step();
}

// For a program in C or C++ that is going to record: instead of the
// collector's, which does nothing.
STEPSCOPE_API void stepscope_about_to_record(void) noexcept {
  stepscope::inject::recording.Wake();
}

// libstepscope.so looks for this: the program's own profiler starts.
STEPSCOPE_API void stepscope_injector_give_way_v1(void) noexcept {
  stepscope::inject::recording.GiveWay();
}

// The Python package looks for these. It was imported, so that from here on
// no event may be lost: recording begins now, if it is to begin with the first
// event.
STEPSCOPE_API void stepscope_injector_wake_v1(void) noexcept {
  stepscope::inject::recording.Wake();
}

// Its own observer of torch is about to attach. Returns 1 if that is our
// affair; an observer is then attached at once if torch is loaded.
STEPSCOPE_API int stepscope_injector_attach_torch_v1(void) noexcept {
  if (!stepscope::inject::following) return 0;
  stepscope::inject::WatchForTorch();
  return 1;
}

}  // extern "C"
