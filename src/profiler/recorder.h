// SPDX-License-Identifier: Apache-2.0
//
// What the profiler needs of the collector, as an interface so that the state
// machine can be tested on a virtual clock without recording anything.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace stepscope::profiler {

// Thread-safe.
class Recorder {
 public:
  virtual ~Recorder() = default;

  // Nanoseconds of a steady clock.
  virtual int64_t NowNs() = 0;

  // Makes the next Start with the same arguments cheap. memory_budget in
  // bytes, 0: the collector's default.
  virtual void Prepare(const std::string& path, uint64_t memory_budget) = 0;

  // Takes Prepare back.
  virtual void Unprepare() = 0;

  // Begins recording into a capture at `path`; of stepscope_profiler_flag it
  // heeds STEPSCOPE_EMIT_NVTX. Returns the session's id.
  virtual Result<uint64_t> Start(const std::string& path,
                                 uint64_t memory_budget, uint32_t flags) = 0;

  // Seals a session; its file is completed behind. Leaves alone a session
  // that is not the running one.
  virtual void Stop(uint64_t session) = 0;

  // Waits until the file of a sealed session is complete.
  virtual Status Wait(uint64_t session, int timeout_ms) = 0;

  // The event ProfileStep#<number> on the calling thread. `rested`: after
  // something that is in no step.
  virtual stepscope_scope BeginStep(int64_t number, bool rested) = 0;
  // num_samples that it worked on; < 0: not stated.
  virtual void EndStep(stepscope_scope scope, int64_t num_samples) = 0;
  // It was no step.
  virtual void TakeBackStep(stepscope_scope scope) = 0;

  // Whether what lies between Start and Stop is a window, in the capture at
  // `path`. Where false, nothing is delivered.
  virtual bool has_window() const { return true; }

  // Why events of the running session are lost; empty: they can be written.
  virtual std::string WriteProblem() { return ""; }

  // A step took so long in which nothing was recorded; 0: a loop begins.
  virtual void UnrecordedStep(int64_t ns) = 0;
};

// The collector of this process; never destroyed.
Recorder& CollectorRecorder();

}  // namespace stepscope::profiler
