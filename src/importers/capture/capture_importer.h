// SPDX-License-Identifier: Apache-2.0
//
// The importer of stepscope's own captures (*.sscap, docs/formats/capture.md),
// whole or damaged; it joins the live file where the recording process was
// killed.
#pragma once

#include "importers/capture/capture_file.h"
#include "importers/importer.h"

namespace stepscope {

const Importer& CaptureImporter();

}  // namespace stepscope
