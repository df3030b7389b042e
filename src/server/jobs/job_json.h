// SPDX-License-Identifier: Apache-2.0
//
// Lists of traces and tables of jobs as JSON.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/folder.h"
#include "server/http/parameters.h"
#include "server/jobs/job_tables.h"

namespace stepscope::server {

// All traces of the folder as far as they are known, and their jobs.
std::string TracesJson(Folder& folder, TraceReader& reader, JobTables& jobs);

// What a request about a job means.
struct ChosenJob {
  uint64_t done = 0;   // traces of the run that were read, or cannot be
  uint64_t total = 0;  // of all
  // Null: not all were read.
  std::shared_ptr<const ReducedTraces> tables;
  TraceJob job;
  std::vector<TraceJob> others;  // jobs of the run, this one among them
};
// `t`: the id of a window, or of a whole run, which stands for its largest
// job. What is not read is read before other traces.
Result<ChosenJob> ChooseJob(Folder& folder, TraceReader& reader,
                            JobTables& jobs, const std::string& t);

// The tables of the ranks, but for the steps of each; "link-peak": GB/s.
Result<std::string> JobJson(const ChosenJob& chosen,
                            const Parameters& parameters);
// Steps of the ranks, or of the one that "rank" names.
Result<std::string> JobStepsJson(const ChosenJob& chosen,
                                 const Parameters& parameters);
// A time of each step of each rank: "measure", a column of the steps' table.
// Where there are more than "columns" steps, the longest of several.
Result<std::string> HeatJson(const ChosenJob& chosen,
                             const Parameters& parameters);

}  // namespace stepscope::server
