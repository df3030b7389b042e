// SPDX-License-Identifier: Apache-2.0
//
// Readers of the C ABI: a Dataloader event, and the timer of the profiler that
// runs.
#include <stepscope/c.h>
#include <stepscope/external.h>

#include <memory>

#include "profiler/process_state.h"
#include "profiler/profiler_core.h"
#include "profiler/recorder.h"

using stepscope::profiler::ProcessState;
using stepscope::profiler::ProfilerCore;

extern "C" {

stepscope_read stepscope_reader_begin_silent(const void* reader) noexcept {
  stepscope_read read = {{nullptr, 0}, 0, reader};
  try {
    if (auto core = ProcessState::Get().LastRunning()) core->BeginRead(reader);
  } catch (...) {  // the first use of the process found no memory
  }
  read.begin_ns = stepscope::profiler::CollectorRecorder().NowNs();
  return read;
}

stepscope_read stepscope_reader_begin(const void* reader) noexcept {
  static stepscope_site site = {"Dataloader", STEPSCOPE_DATALOADER, 0};
  stepscope_read read = stepscope_reader_begin_silent(reader);
  read.scope = stepscope_begin_site(&site);
  return read;
}

void stepscope_reader_end(stepscope_read read) noexcept {
  stepscope_end(read.scope);
  try {
    if (auto core = ProcessState::Get().LastRunning())
      core->EndRead(read.reader, read.begin_ns);
  } catch (...) {  // as above
  }
}

void stepscope_reader_cancel(stepscope_read read) noexcept {
  stepscope_end(read.scope);
}

}  // extern "C"
