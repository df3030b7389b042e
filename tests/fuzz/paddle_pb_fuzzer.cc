// SPDX-License-Identifier: Apache-2.0
#include "fuzz_import.h"
#include "importers/proto/proto_importers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const stepscope::Importer* importer : stepscope::ProtoImporters())
    if (importer->format() == "paddle-pb")
      return stepscope::fuzz::FuzzImport(*importer, {data, size});
  return -1;
}
