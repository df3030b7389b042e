// SPDX-License-Identifier: Apache-2.0
//
// ScratchFolder: an empty folder below $TMPDIR for what a query needs on disk.
// It goes with the object. Signals are none of its business: a library must
// leave them to its program.
#pragma once

#include <string>

#include "base/result.h"

namespace stepscope {

// Makes the folder; who calls removes it.
Result<std::string> MakeScratchFolder();

class ScratchFolder {
 public:
  // Takes over a folder of MakeScratchFolder().
  explicit ScratchFolder(std::string folder);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& folder() const { return folder_; }

 private:
  const std::string folder_;
};

}  // namespace stepscope
