// SPDX-License-Identifier: Apache-2.0
//
// Reducer: partials of the ranks of one job become the summary of the job, as
// if all traces had been read at once. Memory is that of the steps and the
// collectives of all ranks, and of the sums of one.
//
// Tables by name add up times as each rank's own clock measured them. Where
// clocks drift, a merged trace stretches them by these few millionths first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/partial/partial.h"
#include "base/result.h"

namespace stepscope {

// The summary and the trace that it refers to, which has no events.
struct ReducedJob {
  std::shared_ptr<const Trace> trace;
  Summary summary;
  ViewSet given;        // views, of those that were asked for
  std::string missing;  // which tables were not, and why; a sentence or empty
};

class Reducer {
 public:
  // In the order of the files, which is that of rows that are equal.
  void Add(PartialBody body);

  // Ends it. `options.views` that partials do not have are left out, and so
  // are steps, which cannot be chosen any more. Notes are those of the
  // summary; fails for want of memory only.
  Result<std::unique_ptr<ReducedJob>> Finish(
      const SummaryOptions& options, Alignment how = Alignment::kByEvents);

 private:
  std::vector<PartialBody> files_;  // without what is added up below
  NamedSums operators_;
  NamedSums lost_;
  NamedSums kernels_;
  NamedSums user_defined_;
  NamedSums host_memory_;
  NamedSums device_memory_;
  NamedSums python_;
  int64_t outermost_cpu_ns_ = 0;
  int64_t outermost_gpu_ns_ = 0;
};

// "Not in partials: Overview, Memory." of those views; empty if there is none.
std::string NamesOfViews(ViewSet views);

}  // namespace stepscope
