// SPDX-License-Identifier: Apache-2.0
//
// Importer: reads one trace format into a TraceBuilder. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/executor.h"
#include "base/result.h"
#include "importers/format_options.h"
#include "trace/build/trace_builder.h"

namespace stepscope {

class InputSource;

// What an import works with.
struct ImportOptions {
  // Who does the work, beside the caller. Never null.
  Executor* executor = &Executor::Shared();
  // Where set: the import fails with kCancelled soon after it is cancelled.
  const CancelToken* cancel = nullptr;
  // Called now and then with the bytes of the file that have been read and
  // its size, 0 if that is not known; from any thread, one at a time for one
  // file.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Only what a path itself is may be read: no symbolic link is followed, and
  // no path that a trace names is opened. REQUIRES: paths are absolute.
  bool confined = false;
  // The path was found in a folder: only a regular file counts, and nobody
  // waits for the writer of a pipe.
  bool found = false;
  // Ranges whose names match are the steps; empty: as SetStepRange() said.
  std::string step_range;
  // What only one format understands.
  FormatOptions formats;

  bool cancelled() const { return cancel != nullptr && cancel->cancelled(); }
  void Report(uint64_t done, uint64_t total) const {
    if (progress) progress(done, total);
  }
};

// How an import ends that was cancelled.
inline Error Cancelled(const std::string& path) {
  return Fail(ErrorCode::kCancelled, path + ": cancelled while it was read");
}

class Importer {
 public:
  // How much of a file's beginning Sniff() gets, if the file has that much:
  // plain bytes, also of a gzip or zstd file.
  static constexpr size_t kHeadBytes = 4096;

  virtual ~Importer() = default;

  // "capture", "kineto", ...: what Trace::format() says.
  virtual std::string_view format() const = 0;
  // Whether a file that begins with `head`, decompressed, is of this format.
  virtual bool Sniff(std::span<const uint8_t> head) const = 0;
  // Adds the processes of `input`, of which nothing but the Head() was read.
  // Damage is for the ledger; fails only where nothing can be read, or where
  // it is cancelled. After a failure the builder must be thrown away unless
  // nothing was added to it.
  virtual Status Import(InputSource& input, const ImportOptions& options,
                        TraceBuilder& builder) const = 0;
};

}  // namespace stepscope
