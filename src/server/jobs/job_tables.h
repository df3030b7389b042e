// SPDX-License-Identifier: Apache-2.0
//
// JobTables: which traces of a run are of one job, and the tables of its
// ranks, from what is left of each trace; no two traces are ever in memory
// together. Thread-safe.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial/reduce.h"
#include "server/jobs/trace_reader.h"

namespace stepscope::server {

// Traces that were recorded together. Known by its first window.
struct TraceJob {
  std::string id;
  std::string run;
  std::vector<ListedTrace> traces;  // that count, in the order of the folder
  std::vector<std::string> notes;   // why it is one, and what does not count
};

// The tables of a job.
struct ReducedTraces {
  std::unique_ptr<ReducedJob> reduced;
  std::vector<std::string> headline;
  std::vector<std::string> notes;

  const RankJob& ranks() const { return reduced->summary.ranks; }
};

class JobTables {
 public:
  explicit JobTables(TraceReader& reader) : reader_(reader) {}

  // Jobs of all runs of which every trace was read or cannot be.
  std::vector<TraceJob> Jobs(const std::vector<ListedTrace>& list);
  // Made once, however many ask.
  Result<std::shared_ptr<const ReducedTraces>> Reduce(const TraceJob& job);
  // Null: not made yet.
  std::shared_ptr<const ReducedTraces> Made(const TraceJob& job);

 private:
  struct Kept {
    std::string key;  // which files, in which state
    std::shared_ptr<const ReducedTraces> tables;
  };
  struct FoundJobs {
    std::string key;
    std::vector<Job> jobs;
  };

  Result<std::shared_ptr<const ReducedTraces>> Make(const TraceJob& job);

  TraceReader& reader_;
  std::mutex making_;
  std::mutex mutex_;
  std::deque<Kept> kept_;                   // last used first
  std::map<std::string, FoundJobs> found_;  // by run
};

}  // namespace stepscope::server
