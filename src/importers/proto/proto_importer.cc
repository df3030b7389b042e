// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/proto_importer.h"

#include "base/text.h"
#include "importers/input/input_file.h"

namespace stepscope::proto {
namespace {

uint64_t Usable(TraceBuilder& builder) {
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : builder.ledger().rejected())
    rejected += bin.count;
  return builder.ledger().seen() - rejected;
}

}  // namespace

Status ProtoImporter::Import(const std::string& path,
                             const ImportOptions& options,
                             TraceBuilder& builder) const {
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
        Format("%s: byte 0: none of its %llu records can be read",
               path.c_str(),
               static_cast<unsigned long long>(builder.ledger().seen() - seen)));
  builder.AddSource(format_, path);
  if (!file->damage().empty()) {
    builder.AddNote(path + ": " + file->damage());
    builder.SetIncomplete();
  }
  return Ok();
}

}  // namespace stepscope::proto
