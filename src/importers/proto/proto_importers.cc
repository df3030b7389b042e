// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/proto_importers.h"

#include "base/text.h"
#include "importers/input/input_file.h"

namespace stepscope {
namespace {

using proto::Bytes;
using proto::Input;

class ProtoImporter : public Importer {
 public:
  using SniffFunction = bool (*)(Bytes head);
  using ImportFunction = void (*)(const Input& input, TraceBuilder& builder);

  ProtoImporter(std::string_view format, SniffFunction sniff,
                ImportFunction import)
      : format_(format), sniff_(sniff), import_(import) {}

  std::string_view format() const override { return format_; }
  bool Sniff(Bytes head) const override { return sniff_(head); }

  Status Import(const std::string& path, const ImportOptions& options,
                TraceBuilder& builder) const override {
    STEPSCOPE_TRY_ASSIGN(const auto file, InputFile::Open(path));
    STEPSCOPE_TRY_ASSIGN(const Bytes bytes, file->WholeBytes());
    const uint64_t total = file->source_size();
    if (options.progress) options.progress(0, total);
    const uint64_t kept = Usable(builder);
    const uint64_t seen = builder.ledger().seen();
    import_({bytes, path, &options}, builder);
    if (options.progress) options.progress(total, total);
    if (Usable(builder) == kept && builder.ledger().seen() > seen)
      return Fail(
          ErrorCode::kCorrupt,
          Format(
              "%s: byte 0: none of its %llu records can be read", path.c_str(),
              static_cast<unsigned long long>(builder.ledger().seen() - seen)));
    builder.AddSource(format_, path);
    if (!file->damage().empty()) {
      builder.AddNote(path + ": " + file->damage());
      builder.SetIncomplete();
    }
    return Ok();
  }

 private:
  static uint64_t Usable(TraceBuilder& builder) {
    uint64_t rejected = 0;
    for (const auto& [reason, bin] : builder.ledger().rejected())
      rejected += bin.count;
    return builder.ledger().seen() - rejected;
  }

  std::string_view format_;
  SniffFunction sniff_;
  ImportFunction import_;
};

}  // namespace

std::span<const Importer* const> ProtoImporters() {
  using namespace proto;  // NOLINT: the functions of this module
  // Never destroyed: files may be read while the process ends.
  static const Importer* const importers[] = {
      new ProtoImporter("paddle-pb", IsPaddleTree, ImportPaddleTree),
      new ProtoImporter("fluid", IsFluidProfile, ImportFluidProfile),
      new ProtoImporter("tf-step-stats", IsStepStats, ImportStepStats),
      new ProtoImporter("tf-run-metadata", IsRunMetadata, ImportRunMetadata),
      new ProtoImporter("xplane", IsXSpace, ImportXSpace),
  };
  return importers;
}

}  // namespace stepscope
