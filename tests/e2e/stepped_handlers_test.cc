// SPDX-License-Identifier: Apache-2.0
//
// Signal handlers that record at chosen instructions of the recorder, where
// signals from outside come by luck: the processor stops after each
// instruction (the trap flag), and the handler of that decides by a fixed
// sequence of numbers whether to record.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <random>
#include <string>
#include <thread>

#include "recorded.h"

namespace stepscope {
namespace {

using testing::Dropped;
using testing::Recorded;

// Enough that a chunk is used up every 200 handlers.
constexpr int kEventsInHandler = 20;

std::minstd_rand numbers;
unsigned one_in = 1;
uint64_t stops = 0;
uint64_t events = 0;
uint64_t entered_on_top = 0;

void RecordBetweenInstructions(int, siginfo_t*, void* context) {
  ++stops;
  // Where the recorder holds signals, only this one gets through.
  if (sigismember(&static_cast<ucontext_t*>(context)->uc_sigmask, SIGALRM))
    return;
  if (numbers() % one_in != 0) return;
  const uint32_t busy = stepscope_thread_local_v1.busy;
  for (int i = 0; i < kEventsInHandler; ++i) {
    STEPSCOPE_EVENT("between instructions", EventType::kUserDefined);
    ++events;
  }
  // A handler that was let in on top of the recorder leaves it open to others.
  if (stepscope_thread_local_v1.busy != busy) ++entered_on_top;
}

void StepOn() {
  __asm__ volatile(
      "subq $128, %%rsp\n\tpushfq\n\torq $0x100, (%%rsp)\n\t"
      "popfq\n\taddq $128, %%rsp" ::
          : "memory", "cc");
}
void StepOff() {
  __asm__ volatile(
      "subq $128, %%rsp\n\tpushfq\n\tandq $~0x100, (%%rsp)\n\t"
      "popfq\n\taddq $128, %%rsp" ::
          : "memory", "cc");
}

// The first event of a thread, names that are new, arguments, chunks that are
// used up, and what becomes of events when the memory is.
void RecordStepped() {
  for (int i = 0; i < 12; ++i) {
    const std::string name = "new " + std::to_string(i);
    StepOn();
    {
      STEPSCOPE_EVENT("site", EventType::kOperator);
      const stepscope_scope scope =
          stepscope_begin(name.c_str(), STEPSCOPE_USER_DEFINED);
      stepscope_arg_i64(scope, "i", i);
      stepscope_end(scope);
    }
    StepOff();
    events += 2;
  }
}

TEST(Handlers, MayRecordBetweenAnyTwoInstructions) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = RecordBetweenInstructions;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, &before);
  numbers.seed(1);
  for (one_in = 1; one_in <= 12; ++one_in) {
    stops = events = entered_on_top = 0;
    Recorded recorded(uint64_t{1} << 20);
    std::thread(RecordStepped).join();
    const auto trace = recorded.Finish();
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(trace->size() + Dropped(*trace), events) << "one in " << one_in;
    for (const auto& [reason, bin] : trace->ledger().rejected())
      ADD_FAILURE() << "one in " << one_in << ": " << reason;
    EXPECT_EQ(entered_on_top, 0u) << "one in " << one_in;
    EXPECT_GT(stops, 1000u);
  }
  sigaction(SIGTRAP, &before, nullptr);
}

}  // namespace
}  // namespace stepscope
#endif
