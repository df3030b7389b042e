// SPDX-License-Identifier: Apache-2.0
//
// JSON of AMD's rocprofv3 (`rocprofv3 --output-format json`), which is that
// of rocprofiler-sdk's own tool: docs/formats/rocprofiler.md.
#pragma once

#include "importers/importer.h"

namespace stepscope {

const Importer& RocprofilerImporter();

}  // namespace stepscope
