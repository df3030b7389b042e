// SPDX-License-Identifier: Apache-2.0
//
// GPU activities as the Compute Command Line Profiler listed them, which
// fluid.profiler.cuda_profiler wrapped: key-value pairs or csv, with the
// options of its configuration. docs/formats/cuda-profile.md describes it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& CudaProfileExporter();

}  // namespace stepscope
