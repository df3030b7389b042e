// SPDX-License-Identifier: Apache-2.0
//
// The seed has rows that are rejected: a short run does not get there by
// itself through the pages of a database.
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/file.h"
#include "fuzz_import.h"
#include "importers/nsys/nsys_importer.h"

namespace stepscope {
namespace {

// SQLite follows links, so that a file which is in memory only has no name
// that it could open: hands it a copy that has one.
class Named : public Importer {
 public:
  std::string_view format() const override { return "nsys"; }
  bool Sniff(std::span<const uint8_t> head) const override {
    return NsysImporter().Sniff(head);
  }
  Status Import(const std::string& path, const ImportOptions& options,
                TraceBuilder& builder) const override {
    static const std::string copy =
        "/dev/shm/stepscope_fuzz_" + std::to_string(getpid());
    STEPSCOPE_TRY_ASSIGN(const std::string bytes, ReadFile(path));
    std::ofstream(copy, std::ios::binary | std::ios::trunc) << bytes;
    const Status status = NsysImporter().Import(copy, options, builder);
    unlink(copy.c_str());
    return status;
  }
};

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const stepscope::Named importer;
  return stepscope::fuzz::FuzzImport(importer, {data, size});
}
