// SPDX-License-Identifier: Apache-2.0
//
// Reads stepscope's own captures (*.sscap, docs/formats/capture.md), whole or
// damaged, and joins the live file where the recording process was killed.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "importers/importer.h"
#include "trace/trace.h"

namespace stepscope {

Result<std::shared_ptr<const Trace>> ImportCapture(const std::string& path);

// For the registry. Import() adds nothing to the builder where it fails with
// ErrorCode::kCorrupt.
const Importer& CaptureImporter();

}  // namespace stepscope
