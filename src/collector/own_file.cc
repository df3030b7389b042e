// SPDX-License-Identifier: Apache-2.0
#include "collector/own_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#endif

namespace stepscope::collector {
namespace {

// Whether the calling thread has left the program's table.
__thread bool has_left __attribute__((tls_model("initial-exec")));

constexpr int kFirst = 3;  // numbers below have a meaning to the C library
// What sanitizers print comes from any thread.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kFirstClosed = 3;
#else
constexpr int kFirstClosed = 0;
#endif

// For kernels before 5.9. The table is a copy: without this, a pipe that the
// program closes would stay open.
void CloseCopies() {
  const int folder =
      open("/proc/thread-self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int last =
        limit.rlim_cur < 65536 ? static_cast<int>(limit.rlim_cur) : 65536;
    for (int fd = kFirstClosed; fd < last; ++fd) close(fd);
    return;
  }
  alignas(8) char entries[2048];
  long bytes = 0;
  while ((bytes = syscall(SYS_getdents64, folder, entries, sizeof(entries))) >
         0) {
    for (long at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      const int fd = std::atoi(entry->d_name);
      if (entry->d_name[0] != '.' && fd >= kFirstClosed && fd != folder)
        close(fd);
      at += entry->d_reclen;
    }
  }
  close(folder);
}

// A number that programs hardly use: they get the lowest that is free.
int HighNumber() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kFirst;
  constexpr rlim_t kHighest = 1 << 16;
  const rlim_t last = limit.rlim_cur < kHighest ? limit.rlim_cur : kHighest;
  return last > 64 ? static_cast<int>(last) - 32 : kFirst;
}

}  // namespace

bool LeaveDescriptors() {
#if defined(__SANITIZE_THREAD__)
  // ThreadSanitizer knows one table for the whole process: to it, two files
  // with the same number in two tables are one, used without a lock.
  return false;
#endif
  if (has_left) return true;
  has_left =
      syscall(SYS_close_range, kFirstClosed, ~0u, CLOSE_RANGE_UNSHARE) == 0;
  if (!has_left && syscall(SYS_unshare, CLONE_FILES) == 0) {
    CloseCopies();
    has_left = true;
  }
  return has_left;
}

bool OwnFile::Open(const char* path, int flags, mode_t mode) {
  int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd < 0) return false;
  shared_ = !has_left;
  const int from = shared_ ? HighNumber() : kFirst;
  if (fd < from) {
    int raised = fcntl(fd, F_DUPFD_CLOEXEC, from);
    if (raised < 0) raised = fcntl(fd, F_DUPFD_CLOEXEC, kFirst);
    const int reason = errno;
    close(fd);
    if (raised < 0) {
      errno = reason;
      return false;
    }
    fd = raised;
  }
  above_ = fd + 1;
  struct stat status;
  if (fstat(fd, &status) == 0) {
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  return true;
}

int OwnFile::Use() const {
  const int fd = above_ - 1;
  struct stat status;
  if (!shared_ || fd < 0 ||
      (fstat(fd, &status) == 0 && status.st_dev == device_ &&
       status.st_ino == inode_))
    return fd;
  errno = EBADF;
  return -1;
}

void OwnFile::Close() {
  const int fd = Use();
  if (fd >= 0) close(fd);
  Forget();
}

void OwnFile::ForgetAfterFork() {
  if (shared_) Close();
  Forget();
}

void OwnFile::TakeFrom(OwnFile* other) {
  Close();
  *this = *other;
  other->Forget();
}

}  // namespace stepscope::collector
