// SPDX-License-Identifier: Apache-2.0
//
// Which run a command is about where the user names none, or names the folder
// that several runs are in.
#pragma once

#include <string>

#include "base/result.h"

namespace stepscope {

// Where `stepscope run` puts its folders.
inline constexpr const char* kRunsFolder = "profiler_log";

struct LatestRun {
  std::string path;  // the newest, or `input` itself
  size_t runs = 0;   // of how many; 0: `input` is not a folder of runs
};

// A folder of runs has no file of its own and folders with captures; the
// newest is the one whose captures changed last. Any other input is meant as
// it is: the traces in a folder are one job.
LatestRun FindLatestRun(const std::string& input);

// The same for what the user wrote; "" stands for profiler_log. Says on
// standard error which run was taken. Fails where nothing was named and
// nothing is there.
Result<std::string> ResolveRun(const std::string& input);

}  // namespace stepscope
