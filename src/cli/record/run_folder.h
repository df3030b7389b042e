// SPDX-License-Identifier: Apache-2.0
//
// The folder that a run records into: fresh, or the one that --out names.
#pragma once

#include <string>

#include "base/result.h"

namespace stepscope {

struct OutFolder {
  std::string path;      // absolute; exists and can be written to
  bool fresh = false;    // made for this run alone
  std::string occupied;  // the folder that was asked for, if it holds an
                         // earlier run: this run then has a subfolder of it
};

// As a person would write it: relative where it lies below the current folder.
std::string ShownFolder(const std::string& folder);

// `out` is "" for a fresh folder in profiler_log. Two runs never share one,
// except for those that a launcher (torchrun, mpirun, srun) started together
// as the ranks of one job.
Result<OutFolder> MakeOutFolder(const std::string& out);

}  // namespace stepscope
