// SPDX-License-Identifier: Apache-2.0
#include "cli/record/trigger.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <thread>

#include "base/file.h"
#include "base/shared_folder.h"
#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/record/job_processes.h"
#include "cli/record/run_folder.h"
#include "format/job_control.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(50);
constexpr int kAttempts = 3;
// Where no process knows yet how long its steps take.
constexpr int64_t kBlindMargin = 20;

// One trigger at a time and job. The kernel opens the lock when its holder
// ends, however that comes.
class JobLock {
 public:
  // kExitOk, or what was complained of.
  ExitCode Take(const std::string& job) {
    constexpr const char* kName = "trigger.lock";
    const Result<SharedFolder> folder =
        SharedFolder::Open((fs::path(job) / format::kControlFolder).string());
    if (!folder)
      return Complain(kExitIo, folder.error().message,
                      "a trigger needs to write there");
    Result<File> file = folder->OpenToChange(kName);
    if (!file)
      return Complain(kExitIo, file.error().message,
                      "a trigger needs to write it; remove it if it is not "
                      "yours");
    file_ = *std::move(file);
    if (flock(file_.fd(), LOCK_EX | LOCK_NB) != 0) {
      char pid[32] = "";
      const ssize_t n = pread(file_.fd(), pid, sizeof(pid) - 1, 0);
      return Complain(
          kExitNo,
          "another trigger is at work for this job" +
              std::string(n > 0 ? ": process " + std::string(pid) : ""),
          "try again when it has ended");
    }
    const std::string pid = std::to_string(getpid());
    if (ftruncate(file_.fd(), 0) != 0 ||
        pwrite(file_.fd(), pid.data(), pid.size(), 0) < 0)
      return kExitOk;  // the lock counts, not what is in it
    return kExitOk;
  }

 private:
  File file_;
};

struct Outcome {
  std::string folder;
  size_t saved = 0;
  size_t late = 0;
  std::vector<std::string> lines;  // who did not record, and why
};

int64_t FirstStep(const std::vector<JobProcess>& asked, double margin_s) {
  int64_t step = 0;
  int64_t fastest_ns = 0;
  for (const JobProcess& process : asked) {
    step = std::max(step, process.step);
    if (process.step_ns > 0)
      fastest_ns = fastest_ns == 0 ? process.step_ns
                                   : std::min(fastest_ns, process.step_ns);
  }
  const int64_t margin =
      fastest_ns == 0 ? kBlindMargin
                      : static_cast<int64_t>(std::ceil(
                            margin_s * 1e9 / static_cast<double>(fastest_ns)));
  return step + 2 + margin;
}

// Waits until every process that was asked has saved, refused or ended.
Result<Outcome> Await(const std::string& folder, const PostedRequest& posted,
                      const std::vector<JobProcess>& asked,
                      Clock::time_point deadline) {
  Outcome outcome;
  outcome.folder = posted.folder;
  std::map<std::string, JobProcess> open;
  for (const JobProcess& process : asked) open.emplace(process.file, process);
  while (!open.empty()) {
    STEPSCOPE_TRY_ASSIGN(const std::vector<JobProcess> now, ReadJob(folder));
    std::map<std::string, JobProcess> seen;
    for (const JobProcess& process : now) seen.emplace(process.file, process);
    for (auto it = open.begin(); it != open.end();) {
      const auto found = seen.find(it->first);
      const bool ended = found == seen.end() || found->second.gone;
      const bool answered = !ended && found->second.request == posted.number &&
                            found->second.answer != "accepted";
      if (answered && found->second.answer == "saved") {
        ++outcome.saved;
      } else if (answered && found->second.answer == "late") {
        ++outcome.late;
        outcome.lines.push_back(it->second.Name() +
                                " had already passed the first step");
      } else if (answered) {
        outcome.lines.push_back(it->second.Name() + ": " +
                                found->second.detail);
      } else if (ended) {
        outcome.lines.push_back(it->second.Name() +
                                " ended before it had recorded all steps");
      } else {
        ++it;
        continue;
      }
      it = open.erase(it);
    }
    if (open.empty()) break;
    if (Clock::now() >= deadline) {
      for (const auto& [file, process] : open)
        outcome.lines.push_back(process.Name() +
                                " has not recorded them yet; it is in step " +
                                std::to_string(seen.at(file).step));
      break;
    }
    std::this_thread::sleep_for(kLook);
  }
  return outcome;
}

}  // namespace

ExitCode RunTrigger(const TriggerArguments& arguments) {
  if (arguments.steps < 1)
    return Complain(kExitUsage, "--steps", "expected 1 or more");
  Result<std::vector<JobProcess>> job = ReadJob(arguments.job);
  if (!job)
    return Complain(kExitUnreadable, job.error().message,
                    "start it with stepscope run --always or --on-demand, or "
                    "with Profiler(mode=\"flight\")");
  JobLock lock;
  const ExitCode locked = lock.Take(arguments.job);
  if (locked != kExitOk) return locked;

  std::vector<JobProcess> alive;
  for (const JobProcess& process : *job) {
    if (!process.gone) {
      alive.push_back(process);
      continue;
    }
    PrintError("note: " + process.Name() +
               " is dead; the others are asked without it");
  }
  if (alive.empty())
    return Complain(kExitNo, arguments.job + ": no process of the job is alive",
                    "see what they left with: stepscope info " + arguments.job);
  std::vector<JobProcess> stepping;
  for (const JobProcess& process : alive)
    if (process.step >= 0) stepping.push_back(process);
  const bool by_time = stepping.empty();
  if (by_time)
    PrintError("note: no process has shown a step; " +
               Format("%.3g", arguments.seconds) + " seconds are recorded");
  const std::vector<JobProcess>& asked = by_time ? alive : stepping;

  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(arguments.timeout_s));
  double margin_s = arguments.margin_s;
  Outcome outcome;
  TriggerRequest request;
  for (int attempt = 0; attempt < kAttempts; ++attempt, margin_s *= 4) {
    request.by_time = by_time;
    request.length_ns = std::llround(arguments.seconds * 1e9);
    Result<std::vector<JobProcess>> now = ReadJob(arguments.job);
    request.first = FirstStep(now ? *now : asked, margin_s);
    request.last = request.first + arguments.steps;
    const Result<PostedRequest> posted = PostRequest(arguments.job, request);
    if (!posted)
      return Complain(kExitIo, posted.error().message,
                      "a trigger needs to write there");
    Result<Outcome> result = Await(arguments.job, *posted, asked, deadline);
    if (!result)
      return Complain(kExitNo, arguments.job + ": the job ended",
                      "see what it left with: stepscope info " + arguments.job);
    outcome = *result;
    if (outcome.late == 0) break;
    if (attempt + 1 < kAttempts)
      PrintError(
          "note: some processes were too far ahead; asking again for "
          "later steps");
  }
  for (const std::string& line : outcome.lines) PrintError("note: " + line);
  if (outcome.saved == 0)
    return Complain(kExitNo, "nothing was recorded",
                    "try again, or with a larger --margin");
  const std::string shown = ShownFolder(outcome.folder);
  const std::string what = by_time ? Format("%.3g seconds", arguments.seconds)
                           : arguments.steps == 1
                               ? "step " + std::to_string(request.first)
                               : "steps " + std::to_string(request.first) +
                                     " to " + std::to_string(request.last - 1);
  const ExitCode written = WriteOutput(
      "recorded " + what + " of " +
      (outcome.saved == 1 ? std::string("1 process")
                          : CountText(outcome.saved) + " processes") +
      " in " + shown + "\nsee it with: stepscope summary " + shown + "\n");
  if (written != kExitOk) return written;
  return outcome.saved == asked.size() ? kExitOk : kExitNo;
}

}  // namespace stepscope
