// SPDX-License-Identifier: Apache-2.0
#include "collector/unrecorded_steps.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "collector/own_thread.h"
#include "collector/sync.h"

namespace stepscope::collector {
namespace {

constexpr uint64_t kKept = 64;   // the latest steps
constexpr uint64_t kAfter = 32;  // behind the end of a capture

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

size_t PutPair(const char* key, unsigned long long value, uint8_t* out,
               size_t room) {
  char text[32];
  const int digits = std::snprintf(text, sizeof(text), "%llu", value);
  const uint32_t lengths[2] = {static_cast<uint32_t>(std::strlen(key)),
                               static_cast<uint32_t>(digits)};
  const size_t all = sizeof(lengths) + lengths[0] + lengths[1];
  if (digits <= 0 || all > room) return 0;
  std::memcpy(out, lengths, sizeof(lengths));
  std::memcpy(out + sizeof(lengths), key, lengths[0]);
  std::memcpy(out + sizeof(lengths) + lengths[0], text, lengths[1]);
  return all;
}

// Of the later half: earlier steps may be warm-up, and the first one is.
size_t DescribeLocked(uint8_t* out, size_t room) {
  if (steps_seen < 2) return 0;
  const uint64_t have = std::min(steps_seen - 1, kKept);
  const uint64_t wanted = (have + 1) / 2;
  int64_t latest[kKept];
  for (uint64_t i = 0; i < wanted; ++i)
    latest[i] = times[(steps_seen - 1 - i) % kKept];
  std::sort(latest, latest + wanted);
  const int64_t low = latest[(wanted - 1) / 2];
  const int64_t high = latest[wanted / 2];
  const int64_t median = low + (high - low) / 2;
  if (median <= 0) return 0;
  const size_t first =
      PutPair("unprofiled_step_ns", static_cast<unsigned long long>(median),
              out, room);
  if (first == 0) return 0;
  const size_t second =
      PutPair("unprofiled_steps", wanted, out + first, room - first);
  return second == 0 ? 0 : first + second;
}

void AppendLocked(CaptureFile* file) {
  uint8_t payload[256];
  const size_t bytes = DescribeLocked(payload, sizeof(payload));
  if (bytes > 0)
    file->AppendSmall(format::BlockKind::kProcess, payload, bytes);
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
