// SPDX-License-Identifier: Apache-2.0
//
// Limits of the system, and file systems with no room.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "guest/seccomp.h"
#include "guest/troubles.h"

namespace stepscope::guest {
namespace {

void SetLimit(int which, rlim_t soft) {
  rlimit limit;
  getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
  limit.rlim_cur = soft;
  setrlimit(static_cast<__rlimit_resource_t>(which), &limit);
}

// The guest's own small needs are met: only what the recorder takes without
// `new` feels the limit to the end.
void MakeRoom() { SetLimit(RLIMIT_AS, RLIM_INFINITY); }

uint64_t AddressSpaceBytes() {
  unsigned long long pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * 4096;
}

bool WriteText(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return done;
}

// A namespace of mounts; where we are not root, with one of users around it.
bool EnterNamespace() {
  if (geteuid() == 0) return unshare(CLONE_NEWNS) == 0;
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
         WriteText("/proc/self/setgroups", "deny") &&
         WriteText("/proc/self/uid_map", uid + " " + uid + " 1") &&
         WriteText("/proc/self/gid_map", gid + " " + gid + " 1");
}

bool Mount(const std::string& at, unsigned long flags, const char* options) {
  return mount("tmpfs", at.c_str(), "tmpfs", flags, options) == 0;
}

}  // namespace

bool ApplyLimits(const Scenario& scenario, const std::string& folder) {
  if (scenario.Has(kFewDescriptors)) SetLimit(RLIMIT_NOFILE, 16);
  if (scenario.Has(kSmallFiles)) SetLimit(RLIMIT_FSIZE, rlim_t{2} << 20);
  if (scenario.Has(kLittleMemory)) {
    std::set_new_handler(MakeRoom);
    SetLimit(RLIMIT_AS,
             AddressSpaceBytes() + (rlim_t{16} << (20 + scenario.seed % 5)));
  }
  if (scenario.Has(kNoLiveFolder))
    setenv("STEPSCOPE_LIVE_DIR", (folder + "/absent").c_str(), 1);
  return !scenario.Has(kRefusedCalls) || RefuseDispensableCalls(scenario.seed);
}

bool NeedsFileSystems(const Scenario& scenario) {
  return scenario.Has(kTinyDisk | kNoSharedMemory);
}

int RunInFileSystems(const Scenario& scenario, const std::string& folder,
                     int (*guest)()) {
  const std::string captures = folder + "/captures";
  if (!EnterNamespace() ||
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      (scenario.Has(kTinyDisk) && !Mount(captures, 0, "size=1m")) ||
      (scenario.Has(kNoSharedMemory) && !Mount("/dev/shm", MS_RDONLY, "")))
    return -1;
  // A guest that ends in a handler leaves children at work. Their files are
  // complete, and in this namespace alone, when they have ended too.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) exit(guest());
  int status = 0;
  for (int one = 0;;) {
    const pid_t ended = wait(&one);
    if (ended == child) status = one;
    if (ended < 0 && errno != EINTR) break;
  }
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (scenario.Has(kTinyDisk))
    fs::copy(captures, folder + "/kept",
             fs::copy_options::recursive | fs::copy_options::copy_symlinks,
             ignored);
  return status;
}

}  // namespace stepscope::guest
