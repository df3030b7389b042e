// SPDX-License-Identifier: Apache-2.0
//
// The JSON of torch.profiler (Kineto), as TensorBoard's plugin and Holistic
// Trace Analysis read it. What Kineto wrote is written again in its own form,
// generation of torch included; other traces are told in Kineto's words.
// docs/formats/kineto.md describes it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& KinetoExporter();

}  // namespace stepscope
