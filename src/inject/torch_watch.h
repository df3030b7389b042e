// SPDX-License-Identifier: Apache-2.0
//
// Notices that the process loaded torch, and loads libstepscope_torch.so, the
// observer of its operators, once. See docs/decisions/ for why this is done by
// looking now and then.
#pragma once

#include "inject/settings.h"

namespace stepscope::inject {

// REQUIRES: no other thread of the process runs yet.
void ConfigureTorchWatch(const Settings& settings);

// Cheap while no library was loaded since the last call. One thread calls it.
void WatchForTorch();

}  // namespace stepscope::inject
