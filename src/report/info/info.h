// SPDX-License-Identifier: Apache-2.0
//
// What `stepscope info` shows, and its two outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/ranks/align_set.h"
#include "report/info/job_info.h"
#include "trace/trace.h"

namespace stepscope {

// Everything in a file or a folder, whatever jobs there are.
struct TraceInfo {
  std::shared_ptr<const Trace> trace;
  bool is_folder = false;
  std::vector<JobInfo> jobs;
  std::vector<TraceFolder::Skipped> skipped;
  SetClocks clocks;  // of a folder with one job of several files
};

std::string InfoText(const TraceInfo& info);
std::string InfoJson(const TraceInfo& info);

}  // namespace stepscope
