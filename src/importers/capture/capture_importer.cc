// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_importer.h"

#include <cstring>
#include <utility>

#include "format/block.h"
#include "importers/input/input_source.h"

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

  Status Import(InputSource& input, const ImportOptions& options,
                TraceBuilder& builder) const override {
    STEPSCOPE_TRY_ASSIGN(File file, input.PlainFile());
    STEPSCOPE_TRY(capture::ReadCapture(std::move(file),
                                       input.is_path() ? input.path() : "",
                                       options, builder));
    if (!input.damage().empty()) {
      builder.SetIncomplete();
      builder.AddNote(input.path() + ": " + input.damage());
    }
    return Ok();
  }
};

}  // namespace

const Importer& CaptureImporter() {
  // Never destroyed: windows are still read while the process ends.
  static const auto* const importer = new CaptureImporterImpl;
  return *importer;
}

}  // namespace stepscope
