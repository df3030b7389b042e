// SPDX-License-Identifier: Apache-2.0
//
// Our own captures. Checksums of blocks are wrong after nearly every change;
// what is behind them is for capture_fault_test.
#include "fuzz_import.h"
#include "importers/capture/capture_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::fuzz::FuzzImport(stepscope::CaptureImporter(),
                                     {data, size});
}
