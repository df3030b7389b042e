// SPDX-License-Identifier: Apache-2.0
//
// Handlers that record, jump and exit, on top of any instruction of the
// recorder, and a thread that sends signals as fast as it can.
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "guest/troubles.h"

namespace stepscope::guest {
namespace {

constexpr int kTargets = 64;
constexpr int kJumpSignal = SIGUSR2;
// Enough for the 4 slots behind a chunk, and then for a chunk of another
// thread.
constexpr int kEventsAtChunkEnd = 100;
constexpr int kStaysInterrupted = 8;
constexpr int kMostStays = 500;  // where signals are refused
constexpr size_t kLongName = size_t{64} << 20;

std::atomic<int> targets[kTargets];
thread_local int my_target = -1;

// Set while a thread stays inside the recorder at the end of a chunk.
thread_local volatile std::sig_atomic_t at_chunk_end = 0;
thread_local volatile std::sig_atomic_t interrupted = 0;

thread_local sigjmp_buf jump_back;
thread_local volatile std::sig_atomic_t may_jump = 0;

// Interrupts the thread itself, also where another thread that sends signals
// would find no processor.
thread_local timer_t my_timer;
thread_local bool has_timer = false;
bool with_timers = false;
constexpr long kEveryNs = 7000;

// Where handlers interrupt themselves, only so deep: a stack has an end. Then
// the timer goes off once. Handlers set it again as long as they are not too
// deep, and user code does when they are done.
bool nested = false;
constexpr int kDeepest = 3;
thread_local volatile std::sig_atomic_t depth = 0;
thread_local volatile std::sig_atomic_t went_off = 0;

std::atomic<bool> one_ends{false};
int code_of_handler = 0;
Ending ending_of_handler = Ending::kStop;

void RecordInHandler() {
  static stepscope_site site = {"in handler", STEPSCOPE_USER_DEFINED, 0};
  Add(&my_row->handler_attempted);
  stepscope_end(stepscope_begin_site(&site));
  Add(&my_row->handler_completed);
}

void RecordNameInHandler() {
  Add(&my_row->handler_attempted);
  stepscope_end(stepscope_begin("name in handler", STEPSCOPE_USER_DEFINED));
  Add(&my_row->handler_completed);
}

void EndInHandler() {
  ProcessRow* process = ThisProcess();
  if (process->bound != Bound::kAtMost) process->bound = Bound::kAtLeastFloor;
  process->floor = CompletedSoFar();
  if (ending_of_handler == Ending::kHandlerExit) Exit(code_of_handler);
  _exit(code_of_handler);
}

void SetTimer() {
  const itimerspec times = {{0, nested ? 0 : kEveryNs}, {0, kEveryNs}};
  if (has_timer) timer_settime(my_timer, 0, &times, nullptr);
}

void RecordOnSignal() {
  const uint64_t before = Read(&my_row->handler_attempted);
  const std::sig_atomic_t was_inside = inside_stepscope;
  inside_stepscope = 1;  // another handler may come on top
  // Once a stay: a handler that takes longer than it is until the next signal
  // would be all that this thread ever does.
  int events = 1;
  if (at_chunk_end != 0 && interrupted == 0) {
    events = kEventsAtChunkEnd;
    interrupted = 1;
  }
  for (int i = 0; i < events; ++i) RecordInHandler();
  if (before % 8 == 0) RecordNameInHandler();
  inside_stepscope = was_inside;
  if (one_ends.load(std::memory_order_relaxed) &&
      one_ends.exchange(false, std::memory_order_relaxed))
    EndInHandler();
}

void OnRecord(int) {
  if (my_row == nullptr) return;
  depth = depth + 1;
  if (nested && depth < kDeepest) SetTimer();
  RecordOnSignal();
  depth = depth - 1;
  went_off = 1;
}

void OnJump(int) {
  // Nobody comes back from an exit() that was left.
  if (may_jump == 0 || inside_stepscope != 0 || ExitHasBegun()) return;
  may_jump = 0;
  siglongjmp(jump_back, 1);
}

void StartTimer(int tid) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR1;
  event._sigev_un._tid = tid;
  has_timer =
      with_timers && timer_create(CLOCK_MONOTONIC, &event, &my_timer) == 0;
  SetTimer();
}

void SendOnce(int signal) {
  for (auto& target : targets) {
    const int tid = target.load(std::memory_order_relaxed);
    if (tid != 0) syscall(SYS_tgkill, getpid(), tid, signal);
  }
}

}  // namespace

void InstallHandlers(const Scenario& scenario) {
  with_timers = scenario.Has(kStorm);
  nested = scenario.Has(kNoDefer);
  struct sigaction action {};
  action.sa_handler = OnRecord;
  action.sa_flags = SA_RESTART | (nested ? SA_NODEFER : 0);
  sigaction(SIGUSR1, &action, nullptr);
  action.sa_handler = OnJump;
  action.sa_flags = SA_RESTART;
  sigaction(kJumpSignal, &action, nullptr);
}

void BecomeTarget() {
  const int tid = static_cast<int>(syscall(SYS_gettid));
  StartTimer(tid);
  for (int i = 0; i < kTargets; ++i) {
    int none = 0;
    if (!targets[i].compare_exchange_strong(none, tid)) continue;
    my_target = i;
    return;
  }
}

void NoLongerTarget() {
  if (has_timer) timer_delete(my_timer);
  has_timer = false;
  if (my_target >= 0) targets[my_target].store(0);
  my_target = -1;
}

void ExpectSignals() {
  if (!nested || went_off == 0) return;
  went_off = 0;
  SetTimer();
}

void SendSignals() {
  // A thread that is interrupted again before it gets an instruction done would
  // not end, recorder or not.
  constexpr int kAtOnce = 64;
  for (int rounds = 1; RecordersAtWork(); ++rounds) {
    if (rounds % kAtOnce == 0) usleep(500);
    if (!nested) SendOnce(SIGUSR1);
    SendOnce(kJumpSignal);
  }
}

void StayAtChunkEnds() {
  // Its length is measured inside the recorder, which takes a while.
  const std::string name(kLongName, 'n');
  const stepscope_thread_v1& thread = stepscope_thread_local_v1;
  static stepscope_site site = {"fills the chunk", STEPSCOPE_USER_DEFINED, 0};
  int stays = 0;
  for (int i = 0; i < kMostStays && stays < kStaysInterrupted; ++i) {
    if (stepscope_gate() == 0) return;
    ExpectSignals();
    // A handler may take the last slots; then there is another chunk to fill.
    for (int n = 0; n < 100000 && thread.cur != thread.end; ++n)
      Attempt([] { return stepscope_begin_site(&site); });
    interrupted = 0;
    at_chunk_end = 1;
    Attempt(
        [&] { return stepscope_begin(name.c_str(), STEPSCOPE_USER_DEFINED); });
    at_chunk_end = 0;
    stays += interrupted;
  }
}

void JumpAbout(int count, Rng* rng) {
  volatile int left = count;
  while (left > 0) {
    left = left - 1;
    if (sigsetjmp(jump_back, 1) == 0) {
      may_jump = 1;
      inside_stepscope = 1;
      Add(&my_row->attempted);
      const stepscope_scope open =
          stepscope_begin("left by a jump", STEPSCOPE_USER_DEFINED);
      Add(&my_row->completed);  // its begin is what counts
      inside_stepscope = 0;
      for (uint64_t i = (*rng)() % 2000; i > 0; --i) {
        __asm__ volatile("" ::: "memory");
      }
      raise(kJumpSignal);
      may_jump = 0;
      stepscope_end(open);
    }
  }
}

void EndInSomeHandler(const Scenario& scenario) {
  ExpectExit(scenario.code);
  code_of_handler = scenario.code;
  ending_of_handler = scenario.ending;
  one_ends.store(true);
  // Where there is no timer and no thread left, this one is interrupted.
  for (;; usleep(1000)) {
    SendOnce(SIGUSR1);
    if (!RecordersAtWork()) raise(SIGUSR1);
  }
}

}  // namespace stepscope::guest
