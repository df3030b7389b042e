// SPDX-License-Identifier: Apache-2.0
//
// A capture of any trace, so that a large foreign file opens fast the second
// time. Loses nothing. docs/formats/capture.md describes it.
#pragma once

#include "exporters/exporter.h"

namespace stepscope {

const Exporter& CaptureExporter();

}  // namespace stepscope
