// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "cli/latest_run.h"
#include "cli/record/run_captures.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

std::string FreshName() {
  const time_t now = time(nullptr);
  tm parts = {};
  localtime_r(&now, &parts);
  char stamp[32];
  strftime(stamp, sizeof(stamp), "run_%Y_%m_%d_%H_%M_%S", &parts);
  return stamp + Format("_%d", static_cast<int>(getpid()));
}

Status MakeWritable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FileError(folder.string(), error.value());
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    return FileError(folder.string(), errno);
  return Ok();
}

bool IsRank() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
                           "SLURM_PROCID", "PADDLE_TRAINER_ID"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

// Whether another run records into the folder now. From here until this
// process ends, others learn the same of us.
bool IsInUse(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool used = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  flock(fd, LOCK_SH);  // the lock lasts as long as the descriptor
  return used;
}

}  // namespace

std::string ShownFolder(const std::string& folder) {
  // Asked for by itself: relative() throws where there is no current folder.
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return folder;
  const std::string relative = fs::relative(folder, here, error).string();
  return error || relative.empty() || relative.starts_with("..") ? folder
                                                                 : relative;
}

Result<OutFolder> MakeOutFolder(const std::string& out) {
  OutFolder result;
  result.fresh = out.empty();
  fs::path folder =
      out.empty() ? fs::path(kRunsFolder) / FreshName() : fs::path(out);
  STEPSCOPE_TRY(MakeWritable(folder));
  const bool together = IsInUse(folder) && IsRank();
  if (!together && !CapturesIn(folder.string()).empty()) {
    result.occupied = out;
    result.fresh = true;
    folder /= FreshName();
    STEPSCOPE_TRY(MakeWritable(folder));
  }
  std::error_code error;
  result.path = fs::absolute(folder, error).string();
  if (error) return FileError(folder.string(), error.value());
  return result;
}

}  // namespace stepscope
