// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_importer.h"

#include <cstring>

#include "format/block.h"
#include "importers/capture/capture_reader.h"
#include "importers/capture/table_reader.h"

namespace stepscope {
namespace {

class CaptureImporterImpl : public Importer {
 public:
  std::string_view format() const override { return "capture"; }

  // Either magic will do: the other one may be damaged.
  bool Sniff(std::span<const uint8_t> head) const override {
    if (head.size() >= sizeof(format::kFileMagic) &&
        std::memcmp(head.data(), format::kFileMagic,
                    sizeof(format::kFileMagic)) == 0)
      return true;
    const uint32_t magic = format::kBlockMagic;
    constexpr size_t kAt = sizeof(format::FileHeader);
    return head.size() >= kAt + sizeof(magic) &&
           std::memcmp(head.data() + kAt, &magic, sizeof(magic)) == 0;
  }

  Status Import(const std::string& path, const ImportOptions&,
                TraceBuilder& builder) const override {
    STEPSCOPE_TRY_ASSIGN(File file, File::OpenForReading(path));
    STEPSCOPE_TRY_ASSIGN(const bool tables, capture::IsTableCapture(file));
    if (tables) return capture::TableReader(std::move(file)).Read(builder);
    return capture::CaptureReader(std::move(file), builder).Read();
  }
};

}  // namespace

const Importer& CaptureImporter() {
  // Never destroyed: windows are still read while the process ends.
  static const auto* const importer = new CaptureImporterImpl;
  return *importer;
}

Result<std::shared_ptr<const Trace>> ImportCapture(const std::string& path) {
  TraceBuilder builder;
  STEPSCOPE_TRY(CaptureImporter().Import(path, {}, builder));
  return builder.Finish();
}

}  // namespace stepscope
