// SPDX-License-Identifier: Apache-2.0
//
// Memory snapshots of torch (`torch.cuda.memory._dump_snapshot`):
// docs/formats/torch_memory.md.
#pragma once

#include "importers/importer.h"

namespace stepscope {

const Importer& TorchMemoryImporter();

}  // namespace stepscope
