// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/proto_importer.h"

#include "base/text.h"
#include "importers/input/input_source.h"

namespace stepscope::proto {
namespace {

uint64_t Usable(TraceBuilder& builder) {
  uint64_t rejected = 0;
  for (const auto& [reason, bin] : builder.ledger().rejected())
    rejected += bin.count;
  return builder.ledger().seen() - rejected;
}

}  // namespace

Status ProtoImporter::Import(InputSource& input, const ImportOptions& options,
                             TraceBuilder& builder) const {
  const std::string& path = input.path();
  STEPSCOPE_TRY_ASSIGN(const Bytes bytes, input.WholeBytes());
  const uint64_t total = input.source_size();
  options.Report(0, total);
  if (options.cancelled()) return Cancelled(path);
  const uint64_t kept = Usable(builder);
  const uint64_t seen = builder.ledger().seen();
  import_({bytes, path, &options}, builder);
  options.Report(total, total);
  if (options.cancelled()) return Cancelled(path);
  if (Usable(builder) == kept && builder.ledger().seen() > seen)
    return Fail(ErrorCode::kCorrupt,
                path + Format(": byte 0: none of its %llu records can be read",
                              static_cast<unsigned long long>(
                                  builder.ledger().seen() - seen)));
  builder.AddSource(format_, path);
  if (!input.damage().empty()) {
    builder.AddNote(path + ": " + input.damage());
    builder.SetIncomplete();
  }
  return Ok();
}

}  // namespace stepscope::proto
