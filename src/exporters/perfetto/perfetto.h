// SPDX-License-Identifier: Apache-2.0
//
// Perfetto's own format: track events as protobuf, as ui.perfetto.dev opens
// them. docs/formats/perfetto.md describes it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& PerfettoExporter();

}  // namespace stepscope
