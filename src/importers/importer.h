// SPDX-License-Identifier: Apache-2.0
//
// Importer: reads one trace format into a TraceBuilder. Stateless, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/trace_builder.h"

namespace stepscope {

struct ImportOptions {};

class Importer {
 public:
  // How much of a file's beginning Sniff() gets, if the file has that much.
  static constexpr size_t kHeadBytes = 4096;

  virtual ~Importer() = default;

  // "capture", "kineto", ...: what Trace::format() says.
  virtual std::string_view format() const = 0;
  // Whether a file that begins with `head` is of this format.
  virtual bool Sniff(std::span<const uint8_t> head) const = 0;
  // Adds the file's processes. Damage is for the ledger; fails only where
  // nothing can be read. After a failure the builder must be thrown away
  // unless nothing was added to it.
  virtual Status Import(const std::string& path, const ImportOptions& options,
                        TraceBuilder& builder) const = 0;
};

}  // namespace stepscope
