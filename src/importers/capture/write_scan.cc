// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/write_scan.h"

#include <fcntl.h>
#include <stepscope/c.h>

#include <vector>

#include "base/file.h"
#include "base/string_pool.h"
#include "format/event_codec.h"
#include "importers/capture/block_scanner.h"

namespace stepscope::capture {

WriteLoss WriteLossOf(const Metadata& tables) {
  WriteLoss loss;
  // The same reason before and after hand-over to the writer.
  for (const auto& [uid, entry] : tables.threads)
    loss.dropped += entry.dropped[STEPSCOPE_DROP_IO] + entry.lost_io;
  loss.error = static_cast<int>(tables.FindInt("write_error").value_or(0));
  return loss;
}

Result<WriteLoss> ScanWriteLoss(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const File file,
                       File::OpenRegularAt(AT_FDCWD, path, path, O_RDONLY));
  STEPSCOPE_TRY_ASSIGN(const BlockList list, ScanBlocks(file));
  StringPool strings;
  Metadata tables(strings);
  std::vector<uint8_t> buffer;
  uint64_t recorded = 0;
  for (const Block& block : list.blocks) {
    const auto kind = static_cast<format::BlockKind>(block.header.kind);
    format::EventsHeader events;
    if (kind == format::BlockKind::kEvents && block.ReadHead(&events))
      recorded += events.events;
    if (kind != format::BlockKind::kThreads &&
        kind != format::BlockKind::kProcess)
      continue;
    STEPSCOPE_TRY_ASSIGN(const bool intact, ReadPayload(file, block, buffer));
    if (!intact) continue;
    const Bytes payload = {buffer.data(),
                           static_cast<size_t>(block.header.bytes)};
    // Damage is for readers of the capture to tell.
    if (kind == format::BlockKind::kThreads)
      tables.AddThreads(payload, sizeof(format::ThreadEntry));
    else
      tables.AddProcess(payload);
  }
  WriteLoss loss = WriteLossOf(tables);
  loss.recorded = recorded;
  return loss;
}

}  // namespace stepscope::capture
