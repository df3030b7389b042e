// SPDX-License-Identifier: Apache-2.0
#include "collector/own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stepscope/c.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "collector/error.h"
#include "collector/own_file.h"
#include "collector/session.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

constexpr int64_t kWardenPeriodNs = 100000000;

std::atomic<int> own_threads{0};  // that run; the warden is not among them
std::atomic<int> starting{0};
std::atomic<bool> has_warden{false};

bool Create(void* (*main)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // The default stack size: a small one could not hold a program's large
  // thread-local data, which lives there too.
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool made = pthread_create(&thread, &attributes, main, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

// The thread that main() runs on is gone. Needs no descriptor: the links of a
// process lead nowhere once its first thread has ended.
bool HasMainEnded() {
  char byte;
  return readlink("/proc/self/cwd", &byte, 1) < 0 && errno == ENOENT;
}

// True if only threads of ours are left, and what remains of the first one.
bool IsAlone() {
  struct stat tasks;
  // Two links, and one for each thread.
  return HasMainEnded() && stat("/proc/self/task", &tasks) == 0 &&
         static_cast<int>(tasks.st_nlink) - 2 == own_threads.load() + 2;
}

// How main's thread ended: 0 if by pthread_exit(), else what it passed to the
// system, which is what the process ends with.
int ExitCodeOfMain() {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
                static_cast<int>(getpid()));
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t n = read(fd, text, sizeof(text) - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  const char* last = std::strrchr(text, ' ');  // field 52
  return last != nullptr ? std::atoi(last + 1) >> 8 & 0xff : 0;
}

// Since Linux 5.17 a process ends with the code of the thread that ends last.
bool LastCodeWins() {
  utsname system;
  int major = 0;
  int minor = 0;
  return uname(&system) == 0 &&
         std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
         (major > 5 || (major == 5 && minor >= 17));
}

bool IsNeeded() { return own_threads.load() + starting.load() > 0; }

// Shares the program's descriptors, since the program's exit handlers, and the
// flush of its standard output, run on this thread in the end.
void* WardenMain(void*) {
  prctl(PR_SET_NAME, "stepscope-end");
  MarkBackgroundThread();
  bool others_went_on = false;  // when main had ended
  do {
    while (IsNeeded()) {
      Pause(kWardenPeriodNs);
      if (!IsAlone()) {
        others_went_on = others_went_on || HasMainEnded();
        continue;
      }
      const int code = ExitCodeOfMain();
      if (code == 0) std::exit(0);  // as the last thread of a program does
      FinishSessionsAtExit();
      _exit(others_went_on && LastCodeWins() ? 0 : code);
    }
    has_warden.store(false);
    // Whoever started a thread in between found a warden.
  } while (IsNeeded() && !has_warden.exchange(true));
  return nullptr;
}

struct Apart {
  void (*job)(void*);
  void* argument;
  std::atomic<bool> over{false};
};

void* ApartMain(void* argument) {
  auto* const apart = static_cast<Apart*>(argument);
  {
    const OwnThread self("stepscope-file", Files::kOwn);
    apart->job(apart->argument);
  }
  // The caller returns, and its memory is gone, as soon as it sees this.
  apart->over.store(true, std::memory_order_release);
  return nullptr;
}

}  // namespace

OwnThread::OwnThread(const char* name, Files files) {
  // Not by its creator: that would open a file on a thread of the program.
  prctl(PR_SET_NAME, name);
  MarkBackgroundThread();
  if (files == Files::kOwn) LeaveDescriptors();
  CountOwnThread(1);
}

OwnThread::~OwnThread() { CountOwnThread(-1); }

void CountOwnThread(int change) {
  if (change == 0) {
    starting.fetch_add(1);
    if (!has_warden.exchange(true) && !Create(WardenMain, nullptr))
      has_warden.store(false);
    return;
  }
  own_threads.fetch_add(change);
  if (change > 0) starting.fetch_sub(1);
}

bool StartOwnThread(void* (*main)(void*), void* argument) {
  CountOwnThread(0);
  const bool made = Create(main, argument);
  if (!made) starting.fetch_sub(1);
  return made;
}

bool RunApart(void (*job)(void*), void* argument) {
  Apart apart{job, argument};
  if (!StartOwnThread(ApartMain, &apart)) return false;
  constexpr int64_t kLookNs = 50000;
  while (!apart.over.load(std::memory_order_acquire)) Pause(kLookNs);
  return true;
}

void ResetOwnThreadsAfterFork() {
  own_threads.store(0, std::memory_order_relaxed);
  starting.store(0, std::memory_order_relaxed);
  has_warden.store(false, std::memory_order_relaxed);
}

}  // namespace stepscope::collector

extern "C" void stepscope_background_thread(int change) noexcept {
  stepscope::collector::CountOwnThread(change);
}
