// SPDX-License-Identifier: Apache-2.0
//
// MachineLoad: who used the processors while the trace was recorded. On a
// machine that is busy with other programs, times are theirs too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "trace/trace.h"

namespace stepscope {

struct MachineLoad {
  uint64_t processors = 0;
  double job = 0;             // processors that the processes of the trace used
  double others = 0;          // processors that all other programs used
  double busy = 0;            // of all processors, 0..1
  uint64_t busy_threads = 0;  // of the job, that used a tenth of one or more

  // The share of the processors that other programs used, if there was none
  // to spare; else 0. As much of a step may be a wait for a processor.
  double crowding() const;
};

// None: the recorder did not say, or several machines recorded.
std::optional<MachineLoad> FindMachineLoad(const Trace& trace);

// "The machine was busy with other programs: ..." as a sentence; empty: it was
// not, or that is not known.
std::string CrowdingText(const Trace& trace);

}  // namespace stepscope
