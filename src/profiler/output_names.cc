// SPDX-License-Identifier: Apache-2.0
#include "profiler/output_names.h"

#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"

namespace stepscope::profiler {

std::string DefaultWorkerName() {
  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = '\0';
  return Format("host_%spid_%d", host, getpid());
}

std::string TimedPath(std::string_view folder, std::string_view worker,
                      std::string_view suffix) {
  timeval now = {};
  gettimeofday(&now, nullptr);
  tm local = {};
  localtime_r(&now.tv_sec, &local);
  char date[64] = "";
  strftime(date, sizeof(date), "%Y_%m_%d_%H_%M_%S", &local);
  std::string path(folder);
  if (!path.empty() && path.back() != '/') path += '/';
  path += worker.empty() ? DefaultWorkerName() : std::string(worker);
  path += Format("_time_%s_%06ld", date, static_cast<long>(now.tv_usec));
  path += suffix;
  return path;
}

std::string CaptureFolder(const std::string& wish) {
  const char* out = secure_getenv("STEPSCOPE_OUT");
  if (out != nullptr && *out != '\0') return out;
  return wish.empty() ? "./profiler_log" : wish;
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return FileError(path, error.value());
  if (!std::filesystem::is_directory(path, error))
    return FileError(path, ENOTDIR);
  return Ok();
}

}  // namespace stepscope::profiler
