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

#include "base/executor.h"
#include "base/result.h"
#include "trace/trace_builder.h"

namespace stepscope {

struct ImportOptions {
  // Who does the work, beside the caller. Never null.
  Executor* executor = &Executor::Shared();
  // Called now and then with the bytes of the file that have been read and
  // its size; from any thread, one at a time for one file.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // TensorFlow step statistics: arrows from producer to consumer, and the
  // lifetimes of tensors with the allocators' counters.
  bool dataflow = true;
  bool show_memory = false;
};

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
  // Adds the file's processes. Damage is for the ledger; fails only where
  // nothing can be read. After a failure the builder must be thrown away
  // unless nothing was added to it.
  virtual Status Import(const std::string& path, const ImportOptions& options,
                        TraceBuilder& builder) const = 0;
};

}  // namespace stepscope
