// SPDX-License-Identifier: Apache-2.0
//
// Trees of events that another profiler of this process made.
#pragma once

#include <nanobind/nanobind.h>

// Adds read_clocks() and add_trees() to the module.
void AddExternal(nanobind::module_& m);
