// SPDX-License-Identifier: Apache-2.0
#include "collector/paths.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/error.h"
#include "collector/random.h"

namespace stepscope::collector {

bool MakeFolderOf(const char* path) {
  char folder[4096];
  const int n = std::snprintf(folder, sizeof(folder), "%s", path);
  if (n < 0 || static_cast<size_t>(n) >= sizeof(folder)) {
    SetLastError("the path of the capture is longer than 4095 bytes");
    return false;
  }
  for (char* p = folder + 1; *p != '\0'; ++p) {
    if (*p != '/') continue;
    *p = '\0';
    if (mkdir(folder, 0777) != 0 && errno != EEXIST && errno != EISDIR) {
      const int reason = errno;
      struct stat info;
      if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
        SetLastError("%s: cannot make the folder: %s", folder,
                     strerror(reason));
        return false;
      }
    }
    *p = '/';
  }
  return true;
}

namespace {

bool DefaultCapturePath(char* out, size_t size) {
  // Whoever starts a set-uid program chooses its environment and its folder.
  if (getauxval(AT_SECURE) != 0) {
    SetLastError(
        "a program with raised privileges has to give the capture's path");
    return false;
  }
  const char* folder = secure_getenv("STEPSCOPE_OUT");
  if (folder == nullptr || folder[0] == '\0') folder = "./profiler_log";
  char host[128] = "host";
  gethostname(host, sizeof(host) - 1);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  tm parts;
  localtime_r(&now.tv_sec, &parts);
  char stamp[32];
  strftime(stamp, sizeof(stamp), "%Y_%m_%d_%H_%M_%S", &parts);
  const int n = std::snprintf(
      out, size, "%s/%s_%d_%s_%06ld_%08llx.sscap", folder, host,
      static_cast<int>(getpid()), stamp, now.tv_nsec / 1000,
      static_cast<unsigned long long>(RandomNumber() & 0xffffffffu));
  return n > 0 && static_cast<size_t>(n) < size;
}

}  // namespace

bool CapturePath(const char* given, char* out, size_t size) {
  char own[4096];
  if (given == nullptr || given[0] == '\0') {
    if (!DefaultCapturePath(own, sizeof(own))) return false;
    given = own;
  }
  // What is made beside it has a longer name.
  constexpr size_t kSuffixes = 96;
  return AbsolutePath(given, out, size - kSuffixes);
}

bool AbsolutePath(const char* path, char* out, size_t size) {
  char folder[4096] = "";
  const bool relative = path[0] != '/';
  if (relative && getcwd(folder, sizeof(folder)) == nullptr &&
      errno != ERANGE) {
    SetLastError("%.300s: the working folder cannot be found: %s", path,
                 strerror(errno));
    return false;
  }
  const bool cut = relative && folder[0] == '\0';
  if (relative && path[0] == '.' && path[1] == '/') path += 2;
  const int n =
      std::snprintf(out, size, "%s%s%s", folder, relative ? "/" : "", path);
  if (!cut && n >= 0 && static_cast<size_t>(n) < size) return true;
  SetLastError("%.300s: with its folder the path is longer than %zu bytes",
               path, size - 1);
  return false;
}

void LivePath(const char* capture_path, uint64_t bytes, char* out,
              size_t size) {
  const char* folder = secure_getenv("STEPSCOPE_LIVE_DIR");
  if (folder == nullptr || folder[0] == '\0') {
    struct statvfs fs;
    if (statvfs("/dev/shm", &fs) == 0 &&
        uint64_t{fs.f_bavail} * fs.f_frsize >= 2 * bytes &&
        access("/dev/shm", W_OK) == 0)
      folder = "/dev/shm";
  }
  if (folder == nullptr || folder[0] == '\0') {
    std::snprintf(out, size, "%.4000s.live", capture_path);
    return;
  }
  std::snprintf(out, size, "%s/stepscope-%d-%016llx.sscap.live", folder,
                static_cast<int>(getpid()),
                static_cast<unsigned long long>(RandomNumber()));
}

}  // namespace stepscope::collector
