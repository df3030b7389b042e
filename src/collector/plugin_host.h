// SPDX-License-Identifier: Apache-2.0
//
// The device plugins of this process, as sessions see them. Which plugins:
// STEPSCOPE_PLUGIN_PATH (files, separated by ':'), else libstepscope_cupti.so
// in the folder of the library this code is in.
#pragma once

#include "collector/core.h"

namespace stepscope::collector {

// Asks for the plugins; returns at once. Not if devices are off or LATER.
void WantDevices();
// Waits, bounded, until each is attached or certain not to be.
// REQUIRES: control not held.
void WaitForDevices();

// What is attached records for `session` from its start tick on. REQUIRES:
// control held; so in the two below.
void BindDevices(const Session& session);
// Any thread: the plugins hand over what they hold by now; waits, bounded.
void FlushDevices(int timeout_ms);
// Recording ended at `end`: the plugins hand over the rest behind.
void ReleaseDevices(uint64_t end);

// The writer thread: appends what the plugins said and handed over.
void TendDevices(Session* session);
// False while a stopped session still waits, bounded, for device records.
bool DevicesFinished(const Session& session);

// Around a fork, in the parent; and after it, in the child.
void HoldDevicesForFork();
void ResumeDevicesAfterFork();
void ResetDevicesAfterFork();

}  // namespace stepscope::collector
