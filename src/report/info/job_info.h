// SPDX-License-Identifier: Apache-2.0
//
// What is said about the jobs of a folder: by `info`, and by verbs that need
// one job and were given several.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/job/trace_folder.h"

namespace stepscope {

struct JobInfo {
  std::vector<std::string> files;
  std::vector<TraceFolder::Repeat> repeats;
  std::string formats;  // every one once
  uint64_t processes = 0;
  uint64_t events = 0;
  bool epoch_known = false;
  int64_t begin_ns = 0;  // UTC if epoch_known
  int64_t end_ns = 0;
};
std::vector<JobInfo> DescribeJobs(const TraceFolder& folder);

// One line for each job, with its first files.
std::string JobLines(const std::vector<JobInfo>& jobs);

}  // namespace stepscope
