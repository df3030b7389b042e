// SPDX-License-Identifier: Apache-2.0
#include "inject/devices.h"

#include <stepscope/plugin.h>

#include "inject/recording.h"

namespace stepscope::inject {

void DeferDevices() { stepscope_use_devices(STEPSCOPE_DEVICES_LATER); }

}  // namespace stepscope::inject

// The driver calls this while it initialises, in each process that uses CUDA
// and has CUDA_INJECTION64_PATH. A window that starts later attaches them too.
extern "C" STEPSCOPE_API int InitializeInjection(void) {
  stepscope_use_devices(STEPSCOPE_DEVICES_AUTO);
  stepscope::inject::recording.Wake();
  stepscope_attach_devices();  // without a session there is nothing to do yet
  return 1;
}
