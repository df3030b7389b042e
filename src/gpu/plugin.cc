// SPDX-License-Identifier: Apache-2.0
//
// The entry points of the plugin, and that of CUDA's own injection: named in
// CUDA_INJECTION64_PATH, this library is loaded by the driver as CUDA
// initialises and has the collector in the process attach it.
#include <dlfcn.h>
#include <stepscope/plugin.h>

#include "gpu/cuda_use.h"
#include "gpu/library.h"
#include "gpu/recorder.h"

namespace {

using stepscope::gpu::Recorder;

int Query(const stepscope_plugin_host* host) {
  // Where nothing uses CUDA yet its driver is left alone.
  if (!stepscope::gpu::ProcessUsesCuda() && stepscope::gpu::SystemShowsDriver())
    return STEPSCOPE_OK;
  char why[200];
  if (stepscope::gpu::HasDriver(why, sizeof(why))) return STEPSCOPE_OK;
  host->report_capability(host->context, STEPSCOPE_DEVICE_ABSENT, why);
  return STEPSCOPE_NOT_RUNNING;
}

int Attach(const stepscope_plugin_host* host) {
  static bool said = false;  // once: it is called again and again
  if (!stepscope::gpu::ProcessUsesCuda()) {
    if (!said)
      host->report_capability(host->context, STEPSCOPE_DEVICE_ABSENT,
                              "nothing in this process uses CUDA");
    said = true;
    return STEPSCOPE_NOT_RUNNING;
  }
  const bool late = said;
  said = false;
  return Recorder::Get().Attach(host, late);
}

int Poll(const stepscope_plugin_host*, uint32_t flags) {
  Recorder::Get().Poll((flags & STEPSCOPE_POLL_FLUSH) != 0);
  return STEPSCOPE_OK;
}

int Detach(const stepscope_plugin_host*, uint32_t timeout_ms) {
  Recorder::Get().Detach(timeout_ms);
  return STEPSCOPE_OK;
}

int SetRecording(const stepscope_plugin_host*, uint32_t on) {
  return Recorder::Get().SetRecording(on != 0) ? STEPSCOPE_OK
                                               : STEPSCOPE_INVALID;
}

constexpr stepscope_plugin kPlugin = {sizeof(stepscope_plugin),
                                      STEPSCOPE_PLUGIN_ABI,
                                      "cupti",
                                      "GPU",
                                      Query,
                                      Attach,
                                      Poll,
                                      Detach,
                                      SetRecording};

}  // namespace

extern "C" {

const stepscope_plugin* stepscope_plugin_v1(void) noexcept { return &kPlugin; }

// Called by the CUDA driver. Always 1: whatever happens, the program runs.
STEPSCOPE_API int InitializeInjection(void) {
  const auto attach = reinterpret_cast<int (*)()>(
      dlsym(RTLD_DEFAULT, "stepscope_attach_devices"));
  if (attach != nullptr) attach();
  return 1;
}

}  // extern "C"
