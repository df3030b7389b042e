// SPDX-License-Identifier: Apache-2.0
//
// Signal handlers that record, on top of any instruction of the recorder:
// attempted = recorded + dropped, and no thread stores into a chunk that the
// writer has.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "recorded.h"

namespace stepscope {
namespace {

using testing::CountByName;
using testing::Dropped;
using testing::Recorded;

std::atomic<uint64_t> handler_events{0};
void RecordInHandler(int) {
  STEPSCOPE_EVENT("in handler", EventType::kUserDefined);
  handler_events.fetch_add(1, std::memory_order_relaxed);
}

// While it lives, SIGALRM calls a handler that records.
class Interruptions {
 public:
  explicit Interruptions(void (*handler)(int)) {
    handler_events.store(0);
    // The site is registered outside the handler: names need the collector.
    RecordInHandler(0);
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before_);
  }
  ~Interruptions() {
    Every(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  static void Every(suseconds_t microseconds) {
    const itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

 private:
  struct sigaction before_ {};
};

void ExpectAllAccountedFor(const Trace& trace, uint64_t attempted) {
  auto counts = CountByName(trace);
  std::string seen;
  for (const auto& [reason, bin] : trace.ledger().rejected())
    seen += reason + ": " + std::to_string(bin.count) + "; ";
  for (const auto& [name, count] : counts)
    seen += name + " x " + std::to_string(count) + "; ";
  EXPECT_EQ(counts["interrupted"] + counts["in handler"] + Dropped(trace),
            attempted + handler_events.load())
      << seen;
  EXPECT_GT(counts["in handler"], 0u);
}

TEST(Handlers, MayRecord) {
  Recorded recorded;
  uint64_t attempted = 0;
  const Interruptions interruptions(RecordInHandler);
  Interruptions::Every(50);
  // A busy machine may take its time to interrupt us often enough.
  while (handler_events.load() < 2000) {
    for (int i = 0; i < 100; ++i) {
      STEPSCOPE_EVENT("interrupted", EventType::kOperator);
      ++attempted;
    }
  }
  Interruptions::Every(0);
  ExpectAllAccountedFor(*recorded.Finish(), attempted);
}

// A handler that puts itself off to the next place where it may run.
// ThreadSanitizer runs handlers before atomic operations only, so the n-th call
// comes before the n-th of them.
std::atomic<int> calls_to_go{0};
void RecordAtLast(int) {
  if (calls_to_go.fetch_sub(1, std::memory_order_relaxed) > 1)
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGALRM);
  else
    RecordInHandler(0);
}

// A look at memory that is the writer's by now, for this test's sake: the
// recorder never does that, so ThreadSanitizer does not hear of it.
__attribute__((no_sanitize("thread"))) bool IsCleared(
    const stepscope_slot_v1* slot) {
  return *static_cast<const volatile uint64_t*>(&slot->begin) == 0;
}

// A handler may find its thread between two instructions of an end, and need a
// chunk of its own: the thread then stores into a chunk that was current a
// moment ago. The writer must not have it yet.
TEST(Handlers, MayLeaveTheChunkInTheMiddleOfAnEnd) {
  Recorded recorded;
  const Interruptions interruptions(RecordAtLast);
  auto& thread = stepscope_thread_local_v1;
  uint64_t attempted = 0;
  for (int place = 1; place <= 8; ++place) {
    // Up to the last slot of the chunk: the handler's event does not fit.
    const auto* end = thread.end;
    while (thread.end == end && thread.cur + 1 < thread.end) {
      STEPSCOPE_EVENT("interrupted", EventType::kOperator);
      ++attempted;
    }
    const auto* last = thread.cur;
    {
      STEPSCOPE_EVENT("interrupted", EventType::kOperator);
      ++attempted;
      calls_to_go.store(place, std::memory_order_relaxed);
      syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGALRM);
    }
    while (calls_to_go.load(std::memory_order_relaxed) > 0) {
    }
    // Until the writer has taken the chunk, or long enough for it to do so.
    for (int i = 0; i < 30; ++i) {
      if (IsCleared(last)) break;
      usleep(1000);
    }
  }
  EXPECT_EQ(handler_events.load(), 9u);
  ExpectAllAccountedFor(*recorded.Finish(), attempted);
}

}  // namespace
}  // namespace stepscope
