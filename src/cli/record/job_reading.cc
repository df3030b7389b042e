// SPDX-License-Identifier: Apache-2.0
#include "cli/record/job_reading.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "cli/record/run_captures.h"
#include "cli/record/run_fold.h"
#include "importers/import_many.h"
#include "importers/load_inputs.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// User and system time of a thread whose name says that it is the recorder's.
double OwnThreadSeconds(const fs::path& task) {
  const Result<std::string> stat = ReadFile((task / "stat").string());
  const size_t name = stat ? stat->find('(') : std::string::npos;
  const size_t end = stat ? stat->rfind(')') : std::string::npos;
  if (name == std::string::npos || end == std::string::npos ||
      stat->compare(name + 1, 10, "stepscope-") != 0)
    return 0;
  unsigned long long user = 0;
  unsigned long long system = 0;
  // Fields 14 and 15, of which the third is the first behind the name.
  if (std::sscanf(stat->c_str() + end + 1,
                  " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu",
                  &user, &system) != 2)
    return 0;
  return static_cast<double>(user + system) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

Result<std::shared_ptr<const Trace>> ReadRun(const std::string& folder,
                                             const std::string& run_id,
                                             uint64_t* bytes) {
  *bytes = 0;
  std::vector<std::string> paths;
  for (const CaptureFileInfo& capture : CapturesIn(folder)) {
    const std::string path = (fs::path(folder) / capture.name).string();
    // Other ranks may share the folder: each is told of by its own run.
    if (FactOfCapture(path, "run") != run_id) continue;
    paths.push_back(path);
    *bytes += capture.bytes;
  }
  if (paths.empty())
    return Fail(ErrorCode::kNotFound, folder + ": there are no captures yet");
  STEPSCOPE_TRY_ASSIGN(TraceFolder read, ImportJobs(paths, folder, {}));
  return JoinInputs(std::move(read), folder);
}

double RecorderCpuSeconds(const Trace& trace) {
  double seconds = 0;
  for (const Process& process : trace.processes()) {
    std::error_code error;
    const fs::path tasks =
        fs::path("/proc") / std::to_string(process.pid) / "task";
    for (fs::directory_iterator it(tasks, error), end; !error && it != end;
         it.increment(error))
      seconds += OwnThreadSeconds(it->path());
  }
  return seconds;
}

}  // namespace stepscope
