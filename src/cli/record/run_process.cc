// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Passed on to the command when they come from another process.
constexpr std::array kForwarded = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
                                   SIGUSR2, SIGALRM, SIGTSTP, SIGCONT};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts)
    pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child. Writes errno to `report` if the command cannot be executed.
[[noreturn]] void Execute(const std::vector<char*>& arguments,
                          const Variables& variables, int report) {
  for (const auto& [name, value] : variables)
    setenv(name.c_str(), value.c_str(), 1);
  // It keeps its number when it executes another program.
  if (!variables.empty())
    setenv("STEPSCOPE_RUN_PID", std::to_string(getpid()).c_str(), 1);
  execvp(arguments[0], arguments.data());
  const int reason = errno;
  if (write(report, &reason, sizeof(reason)) < 0) _exit(126);
  _exit(127);
}

// errno of the child that could not execute, or 0 once it did.
int ReadReport(int fd) {
  int reason = 0;
  ssize_t n = 0;
  do {
    n = read(fd, &reason, sizeof(reason));
  } while (n < 0 && errno == EINTR);
  close(fd);
  return n == sizeof(reason) ? reason : 0;
}

// As the signal would have done had nobody waited for it; returns when this
// process is continued.
void StopOurselves() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  raise(SIGTSTP);
  sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  sigprocmask(SIG_BLOCK, &stop, nullptr);
}

Ending EndingOf(pid_t pid, int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status), pid};
  return {WEXITSTATUS(status), 0, pid};
}

Error CannotExecute(const std::string& name, int reason) {
  const ErrorCode code =
      reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Fail(code, name + ": " + std::strerror(reason));
}

// Waits for the child, and passes on what it does not get by itself.
Ending Supervise(pid_t child, int signals, const Meanwhile& meanwhile) {
  using Steady = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kPeriod(1000);
  Steady::time_point last = Steady::now();
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return EndingOf(child, status);
    if (ended < 0 && errno != EINTR) return {127, 0, child};
    pollfd wait[] = {{signals, POLLIN, 0}, {meanwhile.fd, POLLIN, 0}};
    const int ready = poll(wait, 2, static_cast<int>(kPeriod.count()));
    if (ready > 0 && wait[1].revents != 0) meanwhile.ready();
    if (meanwhile.idle && Steady::now() - last >= kPeriod) {
      meanwhile.idle();
      last = Steady::now();
    }
    signalfd_siginfo info = {};
    if (read(signals, &info, sizeof(info)) != sizeof(info)) continue;
    const int signal = static_cast<int>(info.ssi_signo);
    // What the terminal sends goes to the whole group.
    if (signal != SIGCHLD && info.ssi_code != SI_KERNEL) kill(child, signal);
    if (signal == SIGTSTP) StopOurselves();
  }
}

}  // namespace

Result<Ending> RunCommand(const std::vector<std::string>& command,
                          const Variables& variables,
                          const Meanwhile& meanwhile) {
  const std::vector<char*> arguments = Pointers(command);
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return FileError("pipe", errno);
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (int signal : kForwarded) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &before);
  const int queue = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  const pid_t child = queue < 0 ? -1 : fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    close(report[0]);
    Execute(arguments, variables, report[1]);
  }
  close(report[1]);
  if (child < 0) {
    const int why = errno;
    close(report[0]);
    if (queue >= 0) close(queue);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return FileError("fork", why);
  }
  const int reason = ReadReport(report[0]);
  const Ending ending = Supervise(child, queue, meanwhile);
  close(queue);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (reason != 0) return CannotExecute(command[0], reason);
  return ending;
}

Result<std::string> OutputOf(const std::vector<std::string>& command,
                             const Variables& variables, int timeout_s,
                             const std::string& log) {
  const std::vector<char*> arguments = Pointers(command);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return FileError("pipe", errno);
  const pid_t child = fork();
  if (child == 0) {
    dup2(out[1], STDOUT_FILENO);
    const char* errors = log.empty() ? "/dev/null" : log.c_str();
    const int fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0) dup2(fd, STDERR_FILENO);
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDIN_FILENO);
    Execute(arguments, variables, out[1]);
  }
  close(out[1]);
  if (child < 0) {
    close(out[0]);
    return FileError("fork", errno);
  }
  std::string text;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
  bool late = false;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd wait = {out[0], POLLIN, 0};
    const int ready =
        left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    late = ready == 0;
    char buffer[4096];
    const ssize_t n = ready > 0 ? read(out[0], buffer, sizeof(buffer)) : 0;
    if (n <= 0) break;
    text.append(buffer, static_cast<size_t>(n));
  }
  close(out[0]);
  if (late) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (late) {
    return Fail(ErrorCode::kIo,
                Format("%s took longer than %d s", arguments[0], timeout_s));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Fail(ErrorCode::kIo, command[0] + " failed");
  return text;
}

std::string FindProgram(const std::string& name) {
  const auto executable = [](const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           access(path.c_str(), X_OK) == 0;
  };
  if (name.empty()) return "";
  if (name.find('/') != name.npos) return executable(name) ? name : "";
  const char* variable = std::getenv("PATH");
  std::string folders = variable != nullptr ? variable : "/usr/bin:/bin";
  folders += ':';
  for (size_t at = 0; at < folders.size();) {
    const size_t end = folders.find(':', at);
    const std::string folder = end == at ? "." : folders.substr(at, end - at);
    if (executable(folder + "/" + name)) return folder + "/" + name;
    at = end + 1;
  }
  return "";
}

void EndLike(const Ending& ending) {
  if (ending.signal == 0) std::exit(ending.code);
  std::fflush(nullptr);
  // One core file is enough, and it is the command's.
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  signal(ending.signal, SIG_DFL);
  sigset_t just;
  sigemptyset(&just);
  sigaddset(&just, ending.signal);
  sigprocmask(SIG_UNBLOCK, &just, nullptr);
  raise(ending.signal);
  std::exit(128 + ending.signal);
}

}  // namespace stepscope
