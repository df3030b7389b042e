// SPDX-License-Identifier: Apache-2.0
//
// The captures that the processes of a run left in its folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope {

struct CaptureFileInfo {
  std::string name;  // without the folder
  uint64_t bytes = 0;
  bool live = false;  // its process records still, or could not be adopted
};

// By name.
std::vector<CaptureFileInfo> CapturesIn(const std::string& folder);

// A process that was killed leaves what it recorded last in shared memory,
// which others need. Moves that into the folder, without its empty parts, for
// each process that is gone. Returns how many it moved.
int AdoptLiveFiles(const std::string& folder);

}  // namespace stepscope
