// SPDX-License-Identifier: Apache-2.0
//
// Children of every kind, made while other threads record. Each child ends with
// a code that its parent knows.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guest/troubles.h"
#include "guest/user_files.h"

namespace stepscope::guest {
namespace {

constexpr int kCode = 42;
std::atomic<bool> exit_has_begun{false};

// The arguments of the program that lists descriptors; made before a fork.
struct Lister {
  std::string folder, code;
  char* arguments[6] = {};

  Lister(const std::string& where, int ends_with)
      : folder(where), code(std::to_string(ends_with)) {
    static char name[] = "guest_torture", list[] = "--list-descriptors",
                folder_flag[] = "--folder";
    arguments[0] = name;
    arguments[1] = list;
    arguments[2] = code.data();
    arguments[3] = folder_flag;
    arguments[4] = folder.data();
  }
  void Execute() const {
    // The loader's memory is not what the limit is for.
    rlimit memory;
    if (getrlimit(RLIMIT_AS, &memory) == 0) {
      memory.rlim_cur = memory.rlim_max;
      setrlimit(RLIMIT_AS, &memory);
    }
    execv("/proc/self/exe", arguments);
    _exit(126);
  }
};

// A daemon: closes what it inherited, opens its own, records a session.
[[noreturn]] void RecordInChild(const Scenario& scenario, Rng* rng) {
  for (int i = 0; i < 50; ++i) {
    RecordEvent before("before the child's own session");
  }
  AddProcess(Bound::kExact);
  if (scenario.Has(kForkedSessions)) CloseAllDescriptors(rng);
  int file[6], fd[6];
  for (int i = 0; i < 6; ++i) {
    file[i] = CreateUserFile(0, &fd[i]);
    if (file[i] >= 0) WriteUserFile(file[i], fd[i], 100);
  }
  const int started = StartSession(scenario, 0);
  EnterThread("child");
  RecordEvents(3000, scenario.styles, rng);
  for (int i = 0; i < 6; ++i) {
    if (file[i] < 0) continue;
    CheckDescriptor(file[i], fd[i]);
    WriteUserFile(file[i], fd[i], 100);
  }
  if (started != STEPSCOPE_OK) _exit(kCode);
  switch ((*rng)() % 3) {
    case 0:
      StopSession();
      _exit(kCode);
    case 1:
      if (!ExitHasBegun()) exit(kCode);
      [[fallthrough]];
    default:
      ThisProcess()->bound = Bound::kAtLeastCompleted;
      _exit(kCode);
  }
}

// By fork, or by the system call beside it. In the latter case the gate is
// closed by the kernel alone, which a filter may have refused.
pid_t Fork(const Scenario& scenario, uint64_t way) {
  if (way % 4 != 0 || scenario.Has(kRefusedCalls)) return fork();
  return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

void Await(pid_t child, int code, const char* what) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == code) return;
  if (WIFSIGNALED(status) && WTERMSIG(status) == -code) return;
  Find("a child that %s ended with status 0x%x, expected code %d", what, status,
       code);
}

void OneChild(const Scenario& scenario, const Lister& lister, Rng* rng) {
  const uint64_t kind = scenario.Has(kForks) ? (*rng)() % 7 : 0;
  const uint64_t way = (*rng)();
  Rng childs((*rng)());
  pid_t child = -1;
  switch (kind) {
    case 0:  // by fork: a raw clone leaves glibc's own locks as they were
      child = fork();
      if (child == 0) RecordInChild(scenario, &childs);
      if (child > 0) Await(child, kCode, "records");
      break;
    case 1:
      child = Fork(scenario, way);
      if (child == 0) _exit(kCode);
      if (child > 0) Await(child, kCode, "leaves at once");
      break;
    case 2:
      child = fork();
      if (child == 0 && ExitHasBegun()) _exit(kCode);
      if (child == 0) exit(kCode);
      if (child > 0) Await(child, kCode, "exits");
      break;
    case 3:
      child = Fork(scenario, way);
      if (child == 0) lister.Execute();
      if (child > 0) Await(child, kCode, "executes a program");
      break;
    case 4:
      child = vfork();
      if (child == 0) lister.Execute();
      if (child > 0) Await(child, kCode, "executes a program after vfork");
      break;
    case 5: {
      if (scenario.Has(kLittleMemory)) break;  // see Execute
      char* no_environment[] = {nullptr};
      if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr,
                      lister.arguments, no_environment) == 0)
        Await(child, kCode, "was spawned");
      break;
    }
    default:
      child = Fork(scenario, way);
      if (child == 0) {
        static const stepscope_scope none = stepscope_begin_id(5);
        stepscope_end(none);  // the parent's session is not the child's
        raise(SIGKILL);
        _exit(1);
      }
      if (child > 0) Await(child, -SIGKILL, "is killed");
  }
}

}  // namespace

void Exit(int code) {
  exit_has_begun.store(true);
  exit(code);
}

bool ExitHasBegun() { return exit_has_begun.load(); }

void MakeChildren(const Scenario& scenario, const std::string& folder,
                  Rng* rng) {
  const Lister lister(folder, kCode);
  for (int i = 0; i < 5 || (RecordersAtWork() && i < 40); ++i)
    OneChild(scenario, lister, rng);
}

void ExecuteLister(const std::string& folder, int code) {
  Lister(folder, code).Execute();
  _exit(127);
}

int ListDescriptors(const std::string& folder, int code) {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return code;
  std::string foreign;
  while (const dirent* entry = readdir(directory)) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] == '.' || fd < 3 || fd == dirfd(directory)) continue;
    char target[4096] = {};
    if (readlinkat(dirfd(directory), entry->d_name, target,
                   sizeof(target) - 1) <= 0)
      continue;
    if (std::strncmp(target, UserFolder().c_str(), UserFolder().size()) != 0)
      foreign += "descriptor " + std::string(entry->d_name) + " -> " + target +
                 " was inherited by an executed program\n";
  }
  closedir(directory);
  if (foreign.empty()) return code;
  const std::string report = folder + "/foreign";
  const int out = open(report.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0644);
  if (out >= 0 && write(out, foreign.data(), foreign.size()) > 0) close(out);
  return code;
}

}  // namespace stepscope::guest
