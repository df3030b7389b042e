// SPDX-License-Identifier: Apache-2.0
//
// Exporters turn a Trace into a file of another format. One per format, all
// listed in exporter.cc, found by name. Stateless and thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "exporters/content.h"
#include "exporters/sink.h"
#include "trace/trace.h"

namespace stepscope {

struct ExportOptions {
  int span_index = 0;    // which window of its process the trace is, from 0
  bool memory = true;    // memory events and totals
  bool dataflow = true;  // arrows: flows, and launches to device work
  int gzip_level = 1;    // of files named *.gz: 1 (fast) to 9 (small)
  // Of the output, for formats that depend on it. ExportFile sets it.
  std::string path = {};
  std::string cuda_mode = {};  // of cuda-profile: csv (the default) or kvp
  std::vector<std::string> cuda_config = {};  // its options; empty: the usual
  std::vector<std::string>* notes = nullptr;  // gets what a user should know
};

class Exporter {
 public:
  virtual ~Exporter() = default;

  virtual std::string_view name() const = 0;  // as in `convert --to NAME`
  // Which contents of a trace the format has a place for.
  virtual uint32_t carries() const = 0;
  // Writes everything but does not close the sink.
  virtual Status Export(const Trace& trace, const ExportOptions& options,
                        Sink& sink) const = 0;
};

std::span<const Exporter* const> AllExporters();
// What this trace holds and the file will not: "counters, flows", or "".
std::string LostContent(const Trace& trace, const Exporter& exporter);
// Null: there is none of that name.
const Exporter* FindExporter(std::string_view name);

// Writes everything to `sink` and closes it. What memory is missing for is an
// error that names options.path.
Status ExportTo(const Trace& trace, const Exporter& exporter, Sink& sink,
                const ExportOptions& options);

// Writes the file `path`, which appears whole or not at all; gzip if the name
// ends in ".gz". Errors name the path.
Status ExportFile(const Trace& trace, const Exporter& exporter,
                  const std::string& path, const ExportOptions& options = {});

}  // namespace stepscope
