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

// Cheap while no library was loaded since the last call. Thread-safe.
void WatchForTorch();

// In a forked child the thread that may have held the lock is gone.
void ResetTorchWatchInForkedChild();

}  // namespace stepscope::inject
