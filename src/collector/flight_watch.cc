// SPDX-License-Identifier: Apache-2.0
//
// The watch of the flight recorder: a thread that looks twenty times a second.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "collector/clock.h"
#include "collector/error.h"
#include "collector/flight.h"
#include "collector/own_thread.h"
#include "collector/plugin_host.h"
#include "collector/session.h"
#include "collector/sync.h"
#include "collector/window_file.h"

namespace stepscope::collector {
namespace {

constexpr int64_t kOneSecondNs = 1000000000;
constexpr int64_t kPeriodNs = 50000000;
constexpr int64_t kLeastHangNs = 30 * kOneSecondNs;
constexpr int64_t kHangMedians = 10;
// What is kept of a program without steps.
constexpr int64_t kWithoutStepsNs = 30 * kOneSecondNs;
constexpr int kSaveMs = 60000;
constexpr int kFlushMs = 2000;

}  // namespace

bool Flight::StartWatch() {
  judge_.Reset();
  judged_ = quiet_until_ = hang_step_ = -1;
  save_count_ = 0;
  answered_ = 0;
  answer_[0] = answer_detail_[0] = '\0';
  save_asked_.store(false);
  const format::Anchor anchor = TakeAnchor();
  tick0_ = anchor.tick;
  ns0_ = anchor.monotonic_ns;
  watching_.store(true);
  // Not read by the thread itself: a Stop() may come before it runs.
  watch_ = watches_.load();
  const bool made = StartOwnThread(WatchMain, this);
  if (!made) watching_.store(false);
  return made;
}

void* Flight::WatchMain(void* self) {
  const OwnThread thread("stepscope-fly", Files::kOwn);
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), 5);
  auto* const watched = static_cast<Flight*>(self);
  watched->Watch();
  watched->watching_.store(false, std::memory_order_release);
  return nullptr;
}

void Flight::Watch() {
  const uint32_t mine = watch_;
  while (!running_.load(std::memory_order_acquire)) {  // Start() is not done
    if (watches_.load() != mine) return;
    Pause(kPeriodNs / 10);
  }
  while (watches_.load(std::memory_order_acquire) == mine) {
    const int64_t now_ns = MonotonicNs();
    ReadRequests();
    TendSpan(now_ns);
    if (!on_demand()) {
      if (save_asked_.exchange(false)) {
        char reason[sizeof(asked_reason_)];
        {
          const MutexLock lock(&reason_mutex_);
          std::snprintf(reason, sizeof(reason), "%s", asked_reason_);
        }
        Report("asked", step_.load(), reason);
      }
      CheckForHang();
    }
    JudgeSteps();
    if (!on_demand()) MoveWindow();
    Say(/*urgent=*/false);
    Pause(kPeriodNs);
  }
}

bool Flight::WatchEnds(int timeout_ms) const {
  for (int i = 0; watching_.load(std::memory_order_acquire); ++i) {
    if (i == timeout_ms) return false;
    Pause(kOneSecondNs / 1000);
  }
  return true;
}

int64_t Flight::NsOfTicks(uint64_t ticks) const {
  const uint64_t passed = Now() - tick0_;
  const double ns = static_cast<double>(MonotonicNs() - ns0_);
  return passed == 0 ? 0
                     : static_cast<int64_t>(static_cast<double>(ticks) * ns /
                                            static_cast<double>(passed));
}

uint64_t Flight::TicksOfNs(int64_t ns) const {
  const int64_t passed = MonotonicNs() - ns0_;
  const auto ticks = static_cast<double>(Now() - tick0_);
  return passed <= 0 ? 0
                     : static_cast<uint64_t>(static_cast<double>(ns) * ticks /
                                             static_cast<double>(passed));
}

void Flight::JudgeSteps() {
  const int64_t now = step_.load(std::memory_order_acquire);
  const int64_t first = first_step_.load();
  if (now < 0) return;
  // Marks that were overwritten meanwhile, and a count that went back.
  if (judged_ < first - 1 || judged_ >= now) judged_ = first - 1;
  if (now - judged_ > int64_t{kMarks} / 2) judged_ = now - int64_t{kMarks} / 2;
  while (judged_ + 1 < now) {
    const int64_t step = ++judged_;
    const uint64_t began = TickOf(step);
    const uint64_t ended = TickOf(step + 1);
    if (ended <= began) continue;
    const int64_t ns = NsOfTicks(ended - began);
    const int64_t median = judge_.median_ns();
    if (!judge_.IsSlow(ns, options_.slow_factor) || on_demand() ||
        step <= quiet_until_)
      continue;
    char reason[160];
    std::snprintf(reason, sizeof(reason),
                  "slow step: step %lld took %.1f ms, the median is %.1f ms",
                  static_cast<long long>(step), static_cast<double>(ns) / 1e6,
                  static_cast<double>(median) / 1e6);
    Report("slow", step, reason);
  }
}

uint64_t Flight::WindowFrom(int64_t step) const {
  const int64_t first = first_step_.load();
  int64_t from = step - options_.steps;  // this one is not over
  if (from < first) from = first;
  return TickOf(from);
}

void Flight::MoveWindow() {
  const int64_t step = step_.load(std::memory_order_acquire);
  uint64_t from = 0;
  if (step >= 0) {
    from = WindowFrom(step);
  } else {
    const uint64_t back = TicksOfNs(kWithoutStepsNs);
    const uint64_t now = Now();
    from = now - tick0_ > back ? now - back : tick0_;
  }
  {
    const MutexLock lock(&mutex_);
    if ((span_ == Span::kOpen || span_ == Span::kOver) && span_from_ != 0 &&
        span_from_ < from)
      from = span_from_;
  }
  KeepWindow(from, options_.max_bytes);
}

int64_t Flight::HangAfterNs() const {
  if (options_.hang_ns != 0) return options_.hang_ns;
  const int64_t medians = kHangMedians * judge_.median_ns();
  return medians > kLeastHangNs ? medians : kLeastHangNs;
}

void Flight::CheckForHang() {
  const int64_t step = step_.load(std::memory_order_acquire);
  const int64_t limit = HangAfterNs();
  // A program that has not ended one step may be compiling.
  if (limit < 0 || step < 0 || step <= first_step_.load() || step == hang_step_)
    return;
  const uint64_t now = Now();
  const uint64_t began = TickOf(step);
  if (now <= began || NsOfTicks(now - began) < limit) return;
  char reason[160];
  std::snprintf(reason, sizeof(reason),
                "hang: step %lld began %.1f s ago and has not ended",
                static_cast<long long>(step),
                static_cast<double>(NsOfTicks(now - began)) / 1e9);
  hang_step_ = step;
  Report("hang", step, reason);
}

bool Flight::MaySaveNow(int64_t now_ns) {
  const auto limit = static_cast<uint32_t>(options_.saves_per_hour);
  if (save_count_ < limit) return true;
  return now_ns - saves_[(save_count_ - limit) % 64] > 3600 * kOneSecondNs;
}

// Something happened here: every process of the job saves its window, this one
// when it reads its own request.
void Flight::Report(const char* what, int64_t step, const char* reason) {
  if (!MaySaveNow(MonotonicNs())) return;
  quiet_until_ = step_.load();
  control_.AskToSave(what, step, reason);
  ReadRequests();
}

void Flight::ReadRequests() {
  JobRequest request;
  while (control_.Next(&request)) {
    // Steps that are over are saved before others are taken on.
    TendSpan(MonotonicNs());
    TakeRequest(request);
  }
}

void Flight::TakeRequest(const JobRequest& request) {
  if (request.kind == RequestKind::kSave) {
    const int64_t now_ns = MonotonicNs();
    if (on_demand() || !MaySaveNow(now_ns)) return;
    saves_[save_count_++ % 64] = now_ns;
    const int64_t step = step_.load();
    quiet_until_ = step;
    // What hangs here as well is in this window.
    if (std::strncmp(request.reason, "hang", 4) == 0) hang_step_ = step;
    SaveFor(request, {step >= 0 ? WindowFrom(step) : 0, UINT64_MAX});
    return;
  }
  pthread_mutex_lock(&mutex_);
  if (span_ == Span::kOpen) {
    pthread_mutex_unlock(&mutex_);
    Answer(request.number, "failed", "still records for an earlier request");
    return;
  }
  span_request_ = request;
  span_failed_ = false;
  span_from_ = 0;
  FilePath(request.folder, span_path_, sizeof(span_path_));
  if (on_demand() && request.kind == RequestKind::kSteps) PrepareSpan();
  bool accepted = true;
  if (request.kind == RequestKind::kSteps) {
    span_ = Span::kAhead;
    edge_.store(request.first);
    // A step that began before the edge was set is too late to be first.
    accepted = step_.load(std::memory_order_seq_cst) < request.first;
    if (!accepted && span_ == Span::kAhead) {
      span_ = Span::kNone;
      edge_.store(kNever);
      if (on_demand()) DropPreparedSpan();
    }
  } else {
    span_until_ns_ = MonotonicNs() + request.length_ns;
    span_from_ = Now();
    if (on_demand())
      span_failed_ =
          StartSession(span_path_, options_.memory_budget) != STEPSCOPE_OK;
    span_ = span_failed_ ? Span::kOver : Span::kOpen;
    if (!span_failed_ && options_.detail != nullptr) options_.detail(1);
  }
  pthread_mutex_unlock(&mutex_);
  if (accepted && request.kind == RequestKind::kSteps) SayAhead(true);
  Answer(request.number, accepted ? "accepted" : "late", "");
}

void Flight::SayAhead(bool on) {
  if (options_.ahead != nullptr) options_.ahead(on ? 1 : 0);
}

// Ends spans by time, and finishes those that are over.
void Flight::TendSpan(int64_t now_ns) {
  pthread_mutex_lock(&mutex_);
  if (span_ == Span::kOpen && span_request_.kind == RequestKind::kSeconds &&
      now_ns >= span_until_ns_) {
    if (options_.detail != nullptr) options_.detail(0);
    if (on_demand()) {
      session_ = CurrentSession();
      collector::StopSession();
    }
    span_end_ = Now();
    span_ = Span::kOver;
  }
  const bool over = span_ == Span::kOver;
  const TickWindow window = {span_from_, span_end_};
  pthread_mutex_unlock(&mutex_);
  if (!over) return;
  SayAhead(false);
  const JobRequest& request = span_request_;
  if (span_failed_) {
    Answer(request.number, "failed", span_error_);
  } else if (window.from == 0) {
    if (on_demand()) DropPreparedSpan();
    Answer(request.number, "late", "");
  } else if (!on_demand()) {
    SaveFor(request, window);
  } else if (WaitSealed(session_, kSaveMs) == STEPSCOPE_OK) {
    Answer(request.number, "saved", span_path_);
  } else {
    Answer(request.number, "failed", LastError());
  }
  pthread_mutex_lock(&mutex_);
  span_ = Span::kNone;
  pthread_mutex_unlock(&mutex_);
}

void Flight::SaveFor(const JobRequest& request, const TickWindow& window) {
  FlushDevices(kFlushMs);
  char path[4096];
  FilePath(request.folder, path, sizeof(path));
  char step[24];
  std::snprintf(step, sizeof(step), "%lld",
                static_cast<long long>(step_.load()));
  char median[24];
  std::snprintf(median, sizeof(median), "%lld",
                static_cast<long long>(judge_.median_ns()));
  const WindowFact facts[] = {{"saved", request.reason},
                              {"saved_in_step", step},
                              {"median_step_ns", median}};
  const bool saved =
      SaveWindow(path, window, facts, 3, kSaveMs) == STEPSCOPE_OK;
  // Nobody waits for the others.
  if (request.kind != RequestKind::kSave)
    Answer(request.number, saved ? "saved" : "failed",
           saved ? path : LastError());
}

void Flight::Answer(int request, const char* answer, const char* detail) {
  answered_ = request;
  std::snprintf(answer_, sizeof(answer_), "%s", answer);
  std::snprintf(answer_detail_, sizeof(answer_detail_), "%.1000s", detail);
  Say(/*urgent=*/true);
}

void Flight::Say(bool urgent) {
  ProcessState state;
  state.step = step_.load();
  state.step_ns = judge_.median_ns();
  state.keeps = on_demand() ? "nothing" : "the last steps";
  state.request = answered_;
  state.answer = answer_;
  state.detail = answer_detail_;
  control_.Say(state, urgent);
}

}  // namespace stepscope::collector
