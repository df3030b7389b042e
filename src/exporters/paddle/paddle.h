// SPDX-License-Identifier: Apache-2.0
//
// Traces as paddle.profiler writes them, for Paddle's own tools and VisualDL:
// node trees as protobuf where the file's name ends in ".pb", else JSON.
// docs/formats/paddle-export.md describes both.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& PaddleExporter();

}  // namespace stepscope
