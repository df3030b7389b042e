// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/nsys_importer.h"

#include <cstring>

#include "importers/input/input_source.h"
#include "importers/input/temporary_copy.h"
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

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    const std::string& path = input.path();
    std::unique_ptr<TemporaryCopy> copy;
    // SQLite opens by name, and follows links: by then another file may have
    // the name.
    if (!input.is_path() || options.confined) {
      STEPSCOPE_TRY_ASSIGN(copy, TemporaryCopy::Make(input));
    }
    STEPSCOPE_TRY_ASSIGN(
        nsys::Database database,
        nsys::Database::Open(copy != nullptr ? copy->path() : path, path,
                             options.cancel));
    // The database has it open.
    if (copy != nullptr) copy->RemoveName();
    options.Report(0, input.source_size());
    const Status status =
        nsys::NsysReader(std::move(database), path, builder).Read();
    if (options.cancelled()) return Cancelled(path);
    STEPSCOPE_TRY(status);
    options.Report(input.source_size(), input.source_size());
    builder.AddSource(format(), path);
    if (!input.damage().empty()) {
      builder.SetIncomplete();
      builder.AddNote(path + ": " + input.damage());
    }
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
