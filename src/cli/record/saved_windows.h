// SPDX-License-Identifier: Apache-2.0
//
// What the flight recorder left in a job's folder besides its captures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope {

struct SavedWindow {
  std::string path;    // a folder
  uint64_t files = 0;  // captures in it
};

// By name, which is by time.
std::vector<SavedWindow> SavedWindowsIn(const std::string& folder);

// Removes the control files once no process of the job needs them: every one
// has left it, or has ended on this machine.
void RemoveControlFolder(const std::string& folder);

}  // namespace stepscope
