// SPDX-License-Identifier: Apache-2.0
//
// The doors of the prebuilt libstepscope_torch.so: for the injector, which has
// a say in what ranges mean, and for a process that records itself.
#include <dlfcn.h>

#include <cstdio>

#include "torch/memory_reports.h"
#include "torch/observer_abi.h"
#include "torch/prebuilt_observer.h"
#include "torch/range_kind.h"
#include "torch/recorder.h"

namespace stepscope::torch_abi {
namespace {

// In a process that records itself nobody has to be woken, and steps are
// marked by the program.
const uint32_t no_attention = 0;

uint32_t TypeOfRange(const char* name) {
  const RangeKind kind = KindOf(name);
  return TypeOf(kind) | static_cast<uint32_t>(kind) << 16;
}

// Guarded by whoever calls: the injector's lock, or Python's.
enum class Host : uint32_t { kNone, kInjector, kThisProcess };
Host attached_by = Host::kNone;

void ObserveOperatorsForHost(int on) { ObserveOperators(on != 0); }

// True if the injector of `stepscope run` looks after torch; it has attached
// an observer by then, if there is one to attach.
bool InjectorTakesCare() {
  const auto ask = reinterpret_cast<int (*)()>(
      dlsym(RTLD_DEFAULT, "stepscope_injector_attach_torch_v1"));
  return ask != nullptr && ask() != 0;
}

int Say(const char* text, char* why, size_t size) {
  if (size > 0) std::snprintf(why, size, "%s", text);
  return text[0] == '\0' ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::torch_abi

extern "C" {

STEPSCOPE_API const char* stepscope_torch_probe_v1(void) {
  return stepscope::torch_abi::FindTorch();
}

STEPSCOPE_API int stepscope_torch_attach_v1(
    const stepscope_torch_host_v1* host,
    stepscope_torch_observer_v1* observer) {
  using namespace stepscope::torch_abi;
  if (host->struct_size < sizeof(stepscope_torch_host_v1) ||
      observer->struct_size < sizeof(stepscope_torch_observer_v1))
    return 1;
  if (attached_by == Host::kThisProcess || FindTorch() != nullptr) return 2;
  attached_by = Host::kInjector;
  stepscope::host = *host;
  ObserveRanges(true);
  observer->observe_operators = &ObserveOperatorsForHost;
  return 0;
}

STEPSCOPE_API int stepscope_torch_attach_here_v1(uint32_t flags, char* why,
                                                 size_t size) {
  using namespace stepscope::torch_abi;
  if (attached_by == Host::kThisProcess && !IsObserving())
    stepscope::host.flags = flags;
  if (attached_by != Host::kNone || InjectorTakesCare())
    return Say("", why, size);
  const char* reason = FindTorch();
  if (reason != nullptr) return Say(reason, why, size);
  stepscope::host = {};
  stepscope::host.struct_size = sizeof(stepscope::host);
  stepscope::host.flags = flags;
  stepscope::host.attention = &no_attention;
  stepscope::host.wake = [] {};
  stepscope::host.range_begins = &TypeOfRange;
  stepscope::host.range_ends = [](uint32_t, int) {};
  attached_by = Host::kThisProcess;
  return Say("", why, size);
}

STEPSCOPE_API void stepscope_torch_learn_v1(int on) {
  if (stepscope::torch_abi::FindTorch() == nullptr)
    stepscope::torch_abi::Learn(on != 0);
}

// 0: nothing, 1: operators and ranges, 2: ranges alone.
STEPSCOPE_API void stepscope_torch_observe_v1(int what) {
  using namespace stepscope::torch_abi;
  if (attached_by != Host::kThisProcess) return;  // the injector does it
  ObserveOperators(what == 1);
  ObserveRanges(what != 0);
}

STEPSCOPE_API int stepscope_torch_report_memory_v1(int on, char* why,
                                                   size_t size) {
  using namespace stepscope::torch_abi;
  void* const torch = FindLoadedTorch();
  if (torch == nullptr) return Say("torch is not loaded", why, size);
  const char* reason = FindMemoryReports(torch);
  if (reason == nullptr) reason = ReportMemory(on != 0);
  return Say(reason != nullptr ? reason : "", why, size);
}

STEPSCOPE_API void stepscope_torch_announce_v1(int on) {
  using namespace stepscope::torch_abi;
  void* const torch = FindLoadedTorch();
  if (torch != nullptr && FindMemoryReports(torch) == nullptr)
    AnnounceProfiler(on != 0);
}

}  // extern "C"
