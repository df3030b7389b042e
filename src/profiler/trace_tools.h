// SPDX-License-Identifier: Apache-2.0
//
// What the profiler does with a finished capture: reading, exporting and
// summarising, as an interface for the sake of tests.
#pragma once

#include <stepscope/c.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope {

class Trace;

namespace profiler {

// Thread-safe.
class TraceTools {
 public:
  virtual ~TraceTools() = default;

  virtual Result<std::shared_ptr<const Trace>> Load(
      const std::string& capture) = 0;
  // The file appears whole; compressed if the path ends in .gz. `format` is
  // "json" (Chrome's), "kineto" (torch's) or "pb" (Paddle's node trees).
  // `index` is which window of its profiler the trace is, from 0.
  virtual Status Write(const Trace& trace, const std::string& path,
                       std::string_view format, int index) = 0;
  // What of the recording could not be written, in words; empty: nothing.
  virtual std::string Lost(const std::string& /*capture*/) { return ""; }
  virtual Result<std::string> Summarize(
      const Trace& trace, const stepscope_summary_options& options) = 0;
};

// The real importer, exporter and tables; never destroyed.
TraceTools& DefaultTraceTools();

}  // namespace profiler
}  // namespace stepscope
