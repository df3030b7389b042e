// SPDX-License-Identifier: Apache-2.0
//
// The one collector of this process: constant-initialised, never destroyed, so
// that events in static constructors and destructors are safe.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "collector/capture_file.h"
#include "collector/ring.h"
#include "collector/sync.h"

namespace stepscope::collector {

enum class SessionState : uint32_t {
  kUnused,
  kPrepared,  // file open, ring ready, gate closed
  kRecording,
  kStopping,  // gate closed, writer has to collect and seal
  kSealed,    // file complete
};

// One capture. The control functions fill it in before it records; afterwards
// the writer thread owns everything but `state`, which changes under
// Core::control.
struct Session {
  static constexpr uint32_t kPlugins = 4;

  std::atomic<SessionState> state{SessionState::kUnused};
  std::atomic<uint32_t> generation{0};
  uint64_t id = 0;
  uint64_t start_tick = 0;
  uint64_t stop_tick = 0;
  CaptureFile file;
  char path[4096] = {};
  char live_link[4096] = {};  // symbolic link beside the capture, or ""
  // Writer thread.
  uint64_t names_written = 0;  // bytes of the name arena
  uint64_t names_refused_before = 0;
  int64_t last_anchor_ns = 0;
  bool usage_started = false;
  uint64_t rewrite_at = 0;   // bytes before which it is in vain to write anew
  uint64_t window_from = 0;  // tick; what is older did not fit
  uint32_t device_lines[kPlugins] = {};  // last line written of each plugin
  uint64_t device_lost_io = 0;           // device records that were not written
  uint64_t device_lost_limit = 0;
  // Figures of threads whose entries are gone, for stepscope_get_stats;
  // guarded by Core::control.
  uint32_t threads = 0;
  uint64_t dropped[STEPSCOPE_DROP_REASONS] = {};

  bool NeedsRing() const {
    const SessionState now = state.load(std::memory_order_acquire);
    return now == SessionState::kPrepared || now == SessionState::kRecording ||
           now == SessionState::kStopping;
  }
};

struct Core {
  static constexpr uint32_t kSessions = 16;

  pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;
  EventCount sealed;
  std::atomic<pid_t> pid{0};  // 0: not set up in this process
  Ring ring;
  uint64_t ring_serials = 0;
  Session sessions[kSessions];
  std::atomic<uint64_t> start_tick{0};  // of the recording session
  uint64_t session_ids = 0;
  uint32_t generations = 0;
  std::atomic<bool> writer_running{false};
  bool keep_live = false;  // a session could not be sealed: leave its counters
  Sleeper writer_sleeper;
};

extern Core core;

// The session that records or is being sealed under `generation`, or null.
Session* SessionOf(uint32_t generation);

// The gate, ordered before what the session set up.
inline uint32_t GateAcquire() {
  return __atomic_load_n(&stepscope_gate_v1[0], __ATOMIC_ACQUIRE);
}
inline void StoreGate(uint32_t generation) {
  __atomic_store_n(&stepscope_gate_v1[0], generation, __ATOMIC_RELEASE);
}

// Sets up what must exist before anything else: gate page and fork handlers.
// Cheap when done already. REQUIRES: control held.
void EnsureCore();

// Before any lock is taken: in a child that the C library knows nothing of
// (raw clone) all locks are as its parent's threads held them. Makes the state
// fresh there, as the fork handlers do in other children.
void ForgetParent();

// What a function of the C interface does first.
class ApiCall {
 public:
  ApiCall() { ForgetParent(); }

 private:
  const CancelOff cancel_off_;
};

}  // namespace stepscope::collector
