// SPDX-License-Identifier: Apache-2.0
//
// What export_memory_timeline() of torch's profiler writes: how much memory of
// each category was allocated when. Which allocations these were, of which
// device, and by whom, is not in the file.
#pragma once

#include "importers/importer.h"

namespace stepscope {

const Importer& MemoryTimelineImporter();

}  // namespace stepscope
