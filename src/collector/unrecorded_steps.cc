// SPDX-License-Identifier: Apache-2.0
#include "collector/unrecorded_steps.h"

#include <algorithm>
#include <cstdio>

#include "collector/own_thread.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

constexpr uint64_t kKept = 32;   // the latest steps
constexpr uint64_t kAfter = 32;  // behind the end of a capture
constexpr size_t kLongest = 24;  // " 9223372036854775807", and a zero

BoundedLock steps_lock;
// Guarded by it.
int64_t times[kKept];
uint64_t steps_seen = 0;  // seen so far
struct {
  char path[4096];
  uint64_t bytes = 0;  // 0: there is none
  uint64_t added = 0;  // bytes that were written behind them
  uint32_t next_seq = 0;
  uint64_t after = 0;  // steps since
} sealed_file;

// The steps in order, oldest first. Readers judge which of them had settled;
// the first of a loop never had.
void AppendLocked(CaptureFile* file) {
  char text[kKept * kLongest] = "";
  size_t length = 0;
  const uint64_t have = steps_seen < 2 ? 0 : std::min(steps_seen - 1, kKept);
  for (uint64_t i = have; i-- > 0;) {
    length += static_cast<size_t>(std::snprintf(
        text + length, kLongest, length == 0 ? "%lld" : " %lld",
        static_cast<long long>(times[(steps_seen - 1 - i) % kKept])));
  }
  if (length > 0) file->AppendFact("unprofiled_times_ns", text);
  sealed_file.added = file->bytes() - sealed_file.bytes;
}

// Instead of what is there from earlier steps. Where anybody else has changed
// the file it is left alone.
void ReplaceLocked(void*) {
  CaptureFile file;
  if (!file.Reopen(sealed_file.path, sealed_file.bytes,
                   sealed_file.bytes + sealed_file.added,
                   sealed_file.next_seq)) {
    sealed_file.bytes = 0;
    return;
  }
  AppendLocked(&file);
  file.Close();
}

bool IsPowerOfTwo(uint64_t n) { return (n & (n - 1)) == 0; }

}  // namespace

void AddUnrecordedStep(int64_t ns) {
  const SignalsHeld held;
  if (!steps_lock.Lock()) return;
  if (ns <= 0) {
    steps_seen = 0;
    sealed_file.bytes = 0;
    steps_lock.Unlock();
    return;
  }
  times[steps_seen++ % kKept] = ns;
  if (sealed_file.bytes != 0 && sealed_file.after < kAfter &&
      IsPowerOfTwo(++sealed_file.after))
    RunApart(ReplaceLocked, nullptr);
  steps_lock.Unlock();
}

void AppendUnrecordedSteps(const char* path, CaptureFile* file) {
  if (!steps_lock.Lock()) return;
  std::snprintf(sealed_file.path, sizeof(sealed_file.path), "%s", path);
  sealed_file.bytes = file->bytes();
  sealed_file.next_seq = file->next_seq();
  sealed_file.after = 0;
  AppendLocked(file);
  steps_lock.Unlock();
}

void ResetUnrecordedStepsAfterFork() {
  steps_lock.ResetAfterFork();
  steps_seen = 0;
  sealed_file.bytes = 0;
}

}  // namespace stepscope::collector
