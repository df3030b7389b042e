// SPDX-License-Identifier: Apache-2.0
#include "cli/record/companion_work.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/event_tree.h"
#include "analysis/serving/requests.h"
#include "base/file.h"
#include "cli/otlp_environment.h"
#include "cli/record/job_reading.h"
#include "cli/record/otlp_sender.h"
#include "report/prometheus.h"

namespace stepscope {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kPeriod(5000);
// Of the time, one part in so many goes into reading at most.
constexpr int kReadingShare = 20;
// Device work is recorded some seconds after it ran.
constexpr int64_t kSettleNs = 10'000'000'000;
constexpr milliseconds kSendWhileRunning(20'000);
constexpr milliseconds kSendAtEnd(30'000);

int64_t UnixNs() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double OwnCpuSeconds() {
  timespec used = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) +
         static_cast<double>(used.tv_nsec) / 1e9;
}

class Work {
 public:
  Work(const CompanionPlan& plan, int says) : plan_(plan), says_(says) {
    if (plan.otlp.empty()) return;
    std::vector<std::string> bad;
    Result<OtlpEndpoint> endpoint = EndpointOfEnvironment(plan.otlp, &bad);
    resource_ = ResourceOfEnvironment(&bad);
    for (const std::string& key : bad)
      Say("note: OpenTelemetry's variables: left out " + key +
          ", which is not KEY=VALUE");
    if (endpoint) sender_.emplace(*std::move(endpoint));
  }

  // Returns how long reading took.
  Clock::duration Read(bool ended) {
    const Clock::time_point began = Clock::now();
    uint64_t bytes = 0;
    Result<std::shared_ptr<const Trace>> read =
        ReadRun(plan_.folder, plan_.run_id, &bytes);
    if (read) {
      const std::shared_ptr<const Trace> trace = *std::move(read);
      const EventTree tree(*trace);
      if (sender_) TakeRequests(tree, ended);
      if (!plan_.prometheus.empty()) WritePrometheus(tree, bytes, ended);
    } else if (ended && read.error().code != ErrorCode::kNotFound) {
      Say(read.error().message);
    }
    return Clock::now() - began;
  }

  // After the trace is gone: each batch is sent by a process of its own, for
  // which the memory of this one is as if copied.
  void Send(bool ended, const std::function<bool()>& stop) {
    if (!sender_) return;
    sender_->Send(ended ? kSendAtEnd : kSendWhileRunning, ended, stop);
    if (ended) return Report();
    if (const std::string trouble = sender_->TakeTrouble(); !trouble.empty())
      Say(trouble);
  }

 private:
  void Say(const std::string& line) {
    static_cast<void>(WriteAll(says_, line + "\n", "pipe"));
  }

  void TakeRequests(const EventTree& tree, bool ended) {
    const IterationTable iterations = ComputeIterations(tree);
    const RequestTable requests = ComputeRequests(iterations, plan_.bill);
    Result<otlp::RequestSpans> spans =
        otlp::MakeRequestSpans(tree.trace(), iterations, requests, resource_);
    if (spans) {
      notes_ = spans->Notes();
      sender_->Take(*std::move(spans), UnixNs() - kSettleNs, ended);
      nothing_.clear();
    } else {
      nothing_ = spans.error().message;
    }
  }

  void WritePrometheus(const EventTree& tree, uint64_t bytes, bool ended) {
    ReadingFacts facts;
    facts.time_s = static_cast<double>(UnixNs()) / 1e9;
    facts.recording = !ended;
    facts.capture_bytes = bytes;
    facts.reader_cpu_s = OwnCpuSeconds();
    if (!ended) facts.recorder_cpu_s = RecorderCpuSeconds(tree.trace());
    const Status written =
        ReplaceFile(plan_.prometheus, PrometheusText(tree, facts));
    if (written || said_of_file_) return;
    said_of_file_ = true;
    Say("--prometheus: " + written.error().message);
  }

  void Report() {
    if (!nothing_.empty()) return Say("nothing was sent: " + nothing_);
    for (const std::string& note : notes_) Say("note: " + note);
    const OtlpSender::Report report = sender_->Finish();
    if (!report.sent.empty() && !plan_.quiet) Say(report.sent);
    if (!report.error.empty()) Say(report.error);
  }

  const CompanionPlan& plan_;
  int says_;
  otlp::Attributes resource_;
  std::optional<OtlpSender> sender_;
  std::vector<std::string> notes_;
  std::string nothing_ = "nothing was recorded";
  bool said_of_file_ = false;
};

// True: the program has ended; false: the time is over.
bool WaitForEnd(int ends, milliseconds time) {
  pollfd wait = {ends, POLLIN, 0};
  return poll(&wait, 1, static_cast<int>(time.count())) != 0;
}

}  // namespace

void WorkBesideRun(const CompanionPlan& plan, int ends, int says) {
  Work work(plan, says);
  milliseconds pause = kPeriod;
  for (bool ended = false; !ended;) {
    ended = WaitForEnd(ends, pause);
    const auto took =
        std::chrono::duration_cast<milliseconds>(work.Read(ended));
    work.Send(ended,
              [&] { return !ended && WaitForEnd(ends, milliseconds(0)); });
    pause = std::max(kPeriod, kReadingShare * took);
  }
}

}  // namespace stepscope
