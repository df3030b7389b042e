// SPDX-License-Identifier: Apache-2.0
//
// The captures that the processes of a run left in its folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace stepscope {

struct CaptureFileInfo {
  std::string name;  // without the folder
  uint64_t bytes = 0;
};

// By name.
std::vector<CaptureFileInfo> CapturesIn(const std::string& folder);

// One process whose capture was completed, or could not be.
struct CaptureEnding {
  pid_t pid = 0;
  std::string command;
  std::string ended;  // "exit 3", "signal 9", "exec" or "unknown"
  std::string error;  // why its live file was left as it is; "": it was not
};

// The captures of processes that still run.
struct RunningCapture {
  pid_t pid = 0;
  std::string command;
  std::string live;  // path of its live file
};

struct LiveCaptures {
  std::vector<CaptureEnding> ended;
  std::vector<RunningCapture> running;
};

// A process that ends without stopping its recorder leaves a live file, most
// often in shared memory, which others need. Completes the capture of each
// process of the run that is gone with what its live file holds, and removes
// that. `ended` tells how a process ended. Other runs, on other machines too,
// may share the folder: theirs is theirs.
LiveCaptures FoldLiveFiles(const std::string& folder, const std::string& run_id,
                           const std::function<std::string(pid_t)>& ended);

// A process that ends in the very moment in which it begins to record leaves a
// live file that no capture names. Removes those that are empty and that no
// process has open, whoever made them. Returns how many. `runs`: IsRunning(),
// but for tests.
int RemoveEmptyLiveFiles(const std::string& live_folder,
                         const std::function<bool(pid_t)>& runs);
int RemoveEmptyLiveFiles(const std::string& live_folder);

}  // namespace stepscope
