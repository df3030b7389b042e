// SPDX-License-Identifier: Apache-2.0
//
// When the device plugins are attached: as CUDA comes to life in a process, and
// never in one that does not use it. So a data loader's workers load no CUPTI,
// and contexts are seen from their beginning.
#pragma once

#include <cstdint>

namespace stepscope::inject {

// No plugin is attached before CUDA is initialised. REQUIRES: no session yet.
void DeferDevices();

// True once CUDA was initialised in this process.
bool DevicesSeen();

// The driver tears itself down in an exit handler of its own, made while it
// comes to life, and what a plugin asks it afterwards may crash. Exit handlers
// run in reverse order: this makes `finish` one of the latest, again and again
// for the first seconds after CUDA was initialised. Called now and then.
void StayAheadOfDriver(int64_t now_ns, void (*finish)());

}  // namespace stepscope::inject
