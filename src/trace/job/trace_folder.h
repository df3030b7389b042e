// SPDX-License-Identifier: Apache-2.0
//
// The traces of a folder, by job, and what in it is none.
#pragma once

#include <string>
#include <vector>

#include "trace/job/trace_set.h"

namespace stepscope {

struct TraceFolder {
  struct Repeat {
    std::string path;
    std::string same_window_as;
  };
  struct Job {
    TraceSet traces;  // in the order of the file names
    std::vector<std::string> files;
    std::vector<Repeat> repeats;  // files that do not count
  };
  struct Skipped {
    std::string path;
    std::string reason;
    bool is_trace = false;  // of a known format, or it could not be opened
  };
  std::vector<Job> jobs;
  std::vector<Skipped> skipped;
};

}  // namespace stepscope
