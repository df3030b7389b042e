// SPDX-License-Identifier: Apache-2.0
#include "fuzz_import.h"
#include "importers/torch_memory/torch_memory_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::fuzz::FuzzImport(stepscope::TorchMemoryImporter(),
                                     {data, size});
}
