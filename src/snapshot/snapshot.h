// SPDX-License-Identifier: Apache-2.0
//
// A Trace as sections of a snapshot file. What was read back has the same
// tables, row by row; its large ones lie in the mapped file, so that only what
// is looked at takes memory.
#pragma once

#include <cstdint>
#include <memory>

#include "base/cancel.h"
#include "base/executor.h"
#include "base/result.h"
#include "snapshot/file_pages.h"
#include "snapshot/snapshot_file.h"
#include "trace/trace.h"

namespace stepscope {

// Kinds from here on are for who puts more into the file.
inline constexpr uint32_t kFirstFreeSection = 64;

class TraceSnapshot {
 public:
  // With the nesting, which is made if nobody asked for it before. Failures
  // are those of the writer.
  static void Write(const Trace& trace, SnapshotWriter& writer);

  // Checks the file, then reads it. The trace keeps the file.
  static Result<std::shared_ptr<const Trace>> Read(
      std::shared_ptr<const SnapshotFile> file, Executor& executor,
      const CancelToken* cancel = nullptr);

  // All sections of the file, also those of others, and every id of the tables.
  static Status Check(const SnapshotFile& file, Executor& executor,
                      const CancelToken* cancel = nullptr);
  // For a file that is known to be what Write() wrote: only what is looked at
  // is ever read.
  static Result<std::shared_ptr<const Trace>> ReadUnchecked(
      std::shared_ptr<const SnapshotFile> file);

  // Lets the large tables of a trace lie in the file that it was just written
  // to: what they took is given back, what is looked at is read from the file.
  // They live as long as the trace, whatever becomes of the name of the file.
  // `pages` gets what lies there now.
  static void MoveInto(const Trace& trace, const SnapshotFile& file,
                       FilePages& pages);
  // `pages` gets the large tables of a trace that was read from the file.
  static void AddPages(const SnapshotFile& file, FilePages& pages);
};

}  // namespace stepscope
