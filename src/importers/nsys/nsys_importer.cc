// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nsys_importer.h"

#include <cstring>

#include "importers/input/input_file.h"
#include "importers/nsys/nsys_reader.h"

namespace stepscope {
namespace {

constexpr char kMagic[] = "SQLite format 3";  // and its terminating zero

class NsysImporterImpl : public Importer {
 public:
  std::string_view format() const override { return "nsys"; }

  bool Sniff(std::span<const uint8_t> head) const override {
    return head.size() >= sizeof(kMagic) &&
           std::memcmp(head.data(), kMagic, sizeof(kMagic)) == 0;
  }

  Status Import(const std::string& path, const ImportOptions& options,
                TraceBuilder& builder) const override {
    STEPSCOPE_TRY_ASSIGN(const auto file, InputFile::Open(path));
    if (file->compression() != Compression::kNone)
      return Fail(ErrorCode::kUnsupported,
                  path +
                      ": byte 0: a database is read where it lies; "
                      "decompress it first");
    const uint64_t size = file->source_size();
    if (options.progress) options.progress(0, size);
    STEPSCOPE_TRY_ASSIGN(nsys::Database database, nsys::Database::Open(path));
    STEPSCOPE_TRY(nsys::NsysReader(std::move(database), path, builder).Read());
    if (options.progress) options.progress(size, size);
    builder.AddSource(format(), path);
    return Ok();
  }
};

}  // namespace

const Importer& NsysImporter() {
  // Never destroyed: files may be read while the process ends.
  static const auto* const importer = new NsysImporterImpl;
  return *importer;
}

}  // namespace stepscope
