// SPDX-License-Identifier: Apache-2.0
//
// The processes of a running job, as their control files tell
// (format/job_control.h), and what is asked of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope {

struct JobProcess {
  std::string file;  // of its state
  std::string host;
  pid_t pid = 0;
  std::string rank;     // "" if it has none
  int64_t step = -1;    // that it is in; -1: it has shown none
  int64_t step_ns = 0;  // median; 0: not known yet
  std::string keeps;
  int64_t request = 0;  // the last trigger that it read
  std::string answer;   // accepted, late, saved or failed
  std::string detail;   // a file, or why not
  bool gone = false;    // it ended without leaving the job

  // "rank 1 (process 712 on node3)"
  std::string Name() const;
};

// By rank, then by host and pid. Fails if DIR has no control folder.
Result<std::vector<JobProcess>> ReadJob(const std::string& folder);

struct TriggerRequest {
  bool by_time = false;
  int64_t first = 0;  // steps [first, last)
  int64_t last = 0;
  int64_t length_ns = 0;
};

struct PostedRequest {
  int number = 0;
  std::string folder;  // the windows go there; a path
};

// Asks all processes of the job. Another request may take a number at the same
// time; this one then gets the next.
Result<PostedRequest> PostRequest(const std::string& folder,
                                  const TriggerRequest& request);

}  // namespace stepscope
