// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

// Adds the classes and functions that read traces to the module _core.
void AddTraces(nanobind::module_& module);
// The interpreter ends: waits for work that Ctrl-C has left behind, 10 s at
// most. Without the GIL.
void WaitForAbandonedWork();
