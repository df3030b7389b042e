// SPDX-License-Identifier: Apache-2.0
#include "fuzz_import.h"
#include "importers/torch_memory/memory_timeline_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::fuzz::FuzzImport(stepscope::MemoryTimelineImporter(),
                                     {data, size});
}
