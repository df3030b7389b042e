// SPDX-License-Identifier: Apache-2.0
//
// The profile that fluid.profiler.stop_profiler writes, for Paddle's own
// timeline.py and ours. docs/formats/fluid.md describes it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& FluidExporter();

}  // namespace stepscope
