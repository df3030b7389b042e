// SPDX-License-Identifier: Apache-2.0
//
// Preview: a large capture as a coarse picture, made without its Trace. Every
// event is decoded and at once folded into boxes; no column is written, so it
// is there in a fraction of the time of an import. Counts and times of boxes
// are those of the events that were read, which are all unless the file is
// damaged, or the process was killed: what it left in memory comes with the
// Trace. What it leaves out: counters, memory, and calls of device APIs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/cancel.h"
#include "base/executor.h"
#include "base/file.h"
#include "base/result.h"
#include "trace/line_depths.h"
#include "trace/trace.h"

namespace stepscope::capture {

// One event, or several of a line that are shorter than a bucket and begin in
// the same one.
struct PreviewBox {
  int64_t start_ns = 0;  // in times of the trace
  int64_t dur_ns = 0;    // of several: to the end of the last
  int64_t busy_ns = 0;   // sum of their durations
  uint32_t events = 0;
  StringId name;        // with most of the time, as far as is known
  int64_t name_ns = 0;  // the time that it has at least
  uint16_t type = 0;    // of the name

  void Merge(const PreviewBox& more);  // which begins no earlier
};

// The boxes of one depth, by start.
using PreviewLine = std::vector<PreviewBox>;

struct PreviewTrack {
  std::array<std::vector<PreviewLine>, 2> lines;  // by LineKind, by depth
  std::array<uint64_t, 2> events = {};            // by LineKind
};

struct Preview {
  // Process, tracks and names. In place of its events, each track has one row
  // for each of its depths, from its first time to its last.
  std::shared_ptr<const Trace> outline;
  std::vector<PreviewTrack> tracks;  // as those of the outline
  int level = 0;                     // a bucket is 2^level ns
  uint64_t events = 0;               // that were read
  uint64_t stated = 0;               // that the file says it holds
};

struct PreviewOptions {
  // Of a capture with fewer, none is made: its Trace is there as soon.
  uint64_t least_events = 4'000'000;
  Executor* executor = &Executor::Shared();
  const CancelToken* cancel = nullptr;
};

// Fails where there is no preview: the capture is small, was converted, is
// damaged so that it cannot be read this way, or needs too much memory. An
// import then says what is the matter.
Result<Preview> ReadPreview(const File& file, const PreviewOptions& options);

}  // namespace stepscope::capture
