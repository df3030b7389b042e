// SPDX-License-Identifier: Apache-2.0
//
// Events of torch.profiler's dialect: the bytes are what stands in the array.
#include <string>

#include "fuzz_import.h"
#include "importers/chrome/chrome_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  text.append(reinterpret_cast<const char*>(data), size);
  text += "]}";
  return stepscope::fuzz::FuzzImport(
      stepscope::JsonImporter(),
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}
