// SPDX-License-Identifier: Apache-2.0
#include "cli/record/saved_windows.h"

#include <algorithm>
#include <filesystem>

#include "cli/record/job_processes.h"
#include "cli/record/run_captures.h"
#include "format/job_control.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<SavedWindow> SavedWindowsIn(const std::string& folder) {
  std::vector<SavedWindow> windows;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (!entry->path().filename().string().starts_with("window_")) continue;
    const uint64_t files = CapturesIn(path).size();
    if (files > 0) windows.push_back({path, files});
  }
  std::sort(windows.begin(), windows.end(),
            [](const SavedWindow& a, const SavedWindow& b) {
              return a.path < b.path;
            });
  return windows;
}

void RemoveControlFolder(const std::string& folder) {
  const Result<std::vector<JobProcess>> job = ReadJob(folder);
  if (!job) return;
  for (const JobProcess& process : *job)
    if (!process.gone) return;
  std::error_code ignored;
  fs::remove_all(fs::path(folder) / format::kControlFolder, ignored);
}

}  // namespace stepscope
