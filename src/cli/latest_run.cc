// SPDX-License-Identifier: Apache-2.0
#include "cli/latest_run.h"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/file.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/record/run_captures.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// When a run last wrote; the least time for a folder without captures.
fs::file_time_type LastChange(const fs::path& folder) {
  fs::file_time_type last = fs::file_time_type::min();
  for (const CaptureFileInfo& capture : CapturesIn(folder.string())) {
    std::error_code error;
    const auto changed = fs::last_write_time(folder / capture.name, error);
    if (!error) last = std::max(last, changed);
  }
  return last;
}

}  // namespace

LatestRun FindLatestRun(const std::string& input) {
  LatestRun latest{input};
  if (input.empty() || input == "-" || !IsDirectory(input)) return latest;
  fs::file_time_type newest = fs::file_time_type::min();
  std::error_code error;
  for (fs::directory_iterator entry(input, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored)) return {input};
    const fs::file_time_type changed = LastChange(entry->path());
    if (changed == fs::file_time_type::min()) continue;
    ++latest.runs;
    const std::string path = entry->path().string();
    // Names carry the second of the start: the later one of equal times.
    if (latest.runs == 1 ||
        std::tie(changed, path) > std::tie(newest, latest.path)) {
      newest = changed;
      latest.path = path;
    }
  }
  return error ? LatestRun{input} : latest;
}

Result<std::string> ResolveRun(const std::string& input) {
  const LatestRun latest =
      FindLatestRun(input.empty() ? std::string(kRunsFolder) : input);
  if (latest.runs > 0) {
    PrintError("reading " + latest.path +
               (latest.runs == 1
                    ? ", the only run there"
                    : ", the newest of " + CountText(latest.runs) + " runs"));
    return latest.path;
  }
  if (!input.empty()) return input;
  if (IsDirectory(kRunsFolder)) return std::string(kRunsFolder);
  return Fail(ErrorCode::kInvalidArgument,
              std::string("no trace was named, and there is no folder ") +
                  kRunsFolder + " here");
}

}  // namespace stepscope
