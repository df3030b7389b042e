// SPDX-License-Identifier: Apache-2.0
//
// How the processes of a run end. Their parents wait for them, not we; but the
// kernel tells whoever holds a descriptor of the process (Linux 6.15), and it
// can be read off a process that nobody has waited for yet. Older kernels tell
// less: then an ending is "unknown", never guessed.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>

#include "cli/record/run_process.h"

namespace stepscope {

class ProcessWatch {
 public:
  // Watches the processes whose captures appear in `folder` from now on.
  explicit ProcessWatch(const std::string& folder);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  // Readable when there is something to Look() at; -1: never.
  int fd() const { return inotify_; }
  // Takes up what appeared in the folder, and notes who ended.
  void Look();
  // For the process that was waited for.
  void SetEnding(const Ending& ending);

  // "exit 3", "signal 9" or "unknown". REQUIRES: the process is gone.
  std::string EndedOf(pid_t pid);

 private:
  void Watch(pid_t pid);
  void Settle(pid_t pid);

  int inotify_ = -1;
  std::map<pid_t, int> descriptors_;  // of processes that may still run
  std::map<pid_t, std::string> ended_;
};

// The process that records into "<program>_<pid>_<when>_<count>.sscap"; 0 if
// it is named otherwise.
pid_t PidOfCapture(const std::string& name);

// False if the process is gone, or only waits to be waited for.
bool IsRunning(pid_t pid);

}  // namespace stepscope
