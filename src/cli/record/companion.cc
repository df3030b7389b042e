// SPDX-License-Identifier: Apache-2.0
#include "cli/record/companion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>

#include "base/file.h"
#include "cli/frame/output.h"
#include "cli/record/companion_work.h"
#include "cli/record/otlp_endpoint.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Reading takes as long as the captures are large; sending has its own limit.
constexpr int kMostAtEndMs = 180'000;

// In the new process. Signals of a terminal are for `run`, which ends this one.
void StepAside(pid_t run) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != run) _exit(1);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  constexpr int kLowest = 19;
  setpriority(PRIO_PROCESS, 0, kLowest);
  // A capture may be larger than the memory: then this process has to go, and
  // not the program.
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    static_cast<void>(WriteAll(score, "1000", "oom_score_adj"));
    close(score);
  }
  // Whoever reads what the program prints must not wait for this process.
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd <= 2 && null >= 0; ++fd) dup2(null, fd);
}

}  // namespace

std::string FaultOfCompanion(const RunOptions& options) {
  if (!options.otlp.empty()) {
    // What a flight recorder drops is not missed by anybody who reads it.
    if (options.flies())
      return "--otlp with --always or --on-demand: these keep the last steps "
             "only, so that requests would be missing; leave one of them out";
    const Result<OtlpEndpoint> endpoint = ParseEndpoint(options.otlp);
    if (!endpoint) return endpoint.error().message;
  }
  if (options.prometheus.empty()) return "";
  if (!options.always)
    return "--prometheus: its figures are those of the last steps; add "
           "--always";
  std::error_code ignored;
  const fs::path folder = fs::absolute(options.prometheus).parent_path();
  if (!fs::is_directory(folder, ignored))
    return "--prometheus: there is no folder " + folder.string() +
           "; create it first";
  return "";
}

Companion::Companion(const CompanionPlan& plan) {
  if (plan.otlp.empty() && plan.prometheus.empty()) return;
  int ends[2];
  int says[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  if (pipe2(says, O_CLOEXEC) != 0) {
    close(ends[0]);
    close(ends[1]);
    return;
  }
  const pid_t run = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    close(says[0]);
    StepAside(run);
    try {
      WorkBesideRun(plan, ends[0], says[1]);
    } catch (const std::exception&) {
      _exit(1);  // memory, in practice
    }
    _exit(0);
  }
  close(ends[0]);
  close(says[1]);
  ends_ = ends[1];
  says_ = says[0];
  if (pid_ < 0) PrintError("no process beside run: nothing is sent");
}

Companion::~Companion() {
  if (ends_ >= 0) close(ends_);
  if (says_ >= 0) close(says_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// False: there is no more to come, or not in time.
bool Companion::Read(int timeout_ms) {
  pollfd wait = {says_, POLLIN, 0};
  if (says_ < 0 || poll(&wait, 1, timeout_ms) != 1) return false;
  char buffer[4096];
  const ssize_t n = read(says_, buffer, sizeof(buffer));
  if (n > 0) text_.append(buffer, static_cast<size_t>(n));
  return n > 0;
}

void Companion::PrintLines() {
  for (size_t end; (end = text_.find('\n')) != text_.npos;) {
    PrintError(text_.substr(0, end));
    text_.erase(0, end + 1);
  }
}

void Companion::Look() {
  while (Read(0)) PrintLines();
}

void Companion::Finish() {
  using Clock = std::chrono::steady_clock;
  using std::chrono::milliseconds;
  if (pid_ <= 0) return;
  close(ends_);
  ends_ = -1;
  const auto deadline = Clock::now() + milliseconds(kMostAtEndMs);
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0 || !Read(static_cast<int>(left.count()))) break;
    PrintLines();
  }
  if (Clock::now() >= deadline)
    return PrintError("reading the captures took too long: not all was sent");
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (status != 0)
    PrintError(
        "the process that reads the captures ended early, perhaps for lack of "
        "memory: not all was sent");
}

}  // namespace stepscope
