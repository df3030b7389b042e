// SPDX-License-Identifier: Apache-2.0
//
// What of a recording could not be written into its capture.
#pragma once

#include <string>

#include "base/result.h"
#include "importers/capture/metadata.h"
#include "trace/write_loss.h"

namespace stepscope::capture {

// As the recorder counted it; `recorded` is for the caller to add.
WriteLoss WriteLossOf(const Metadata& tables);

// From the tables of a capture and the heads of its blocks: no event is read.
Result<WriteLoss> ScanWriteLoss(const std::string& path);

}  // namespace stepscope::capture
