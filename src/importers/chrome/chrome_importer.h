// SPDX-License-Identifier: Apache-2.0
//
// Trace events in JSON: Chrome's format, and its dialects by torch.profiler
// (Kineto), Paddle, TensorFlow, JAX and ourselves. Any size, in bounded
// memory beside the Trace.
#pragma once

#include "importers/importer.h"

namespace stepscope {

const Importer& JsonImporter();

}  // namespace stepscope
