// SPDX-License-Identifier: Apache-2.0
//
// Our own captures. Checksums of blocks are wrong after nearly every change;
// what is behind them is for capture_fault_test.
#include <sys/mman.h>

#include <string_view>

#include "fuzz_import.h"
#include "importers/capture/capture_importer.h"
#include "importers/capture/preview.h"

namespace {

// What the viewer makes of the same bytes before they are imported.
void FuzzPreview(const uint8_t* data, size_t size) {
  using namespace stepscope;
  static Executor one(1);
  const File file =
      File::FromDescriptor(memfd_create("capture", MFD_CLOEXEC), "capture");
  if (!file.is_open() ||
      !WriteAll(file.fd(), {reinterpret_cast<const char*>(data), size}, ""))
    return;
  capture::PreviewOptions options;
  options.least_events = 1;
  options.executor = &one;
  (void)capture::ReadPreview(file, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzPreview(data, size);
  return stepscope::fuzz::FuzzImport(stepscope::CaptureImporter(),
                                     {data, size});
}
