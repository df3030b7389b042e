// SPDX-License-Identifier: Apache-2.0
//
// The seed has rows that are rejected: a short run does not get there by
// itself through the pages of a database. TMPDIR=/dev/shm makes it faster: a
// database is copied to a file for SQLite.
#include "fuzz_import.h"
#include "importers/nsys/nsys_importer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stepscope::fuzz::FuzzImport(stepscope::NsysImporter(), {data, size});
}
