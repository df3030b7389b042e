// SPDX-License-Identifier: Apache-2.0
//
// A whole document, as bytes.
#include "fuzz_import.h"
#include "importers/chrome/chrome_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::fuzz::FuzzImport(stepscope::JsonImporter(), {data, size});
}
