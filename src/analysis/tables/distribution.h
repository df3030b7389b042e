// SPDX-License-Identifier: Apache-2.0
//
// Distribution table: communication against computation, as unions.
//   Communication  host events and kernels that communicate
//   Computation    all other kernels; a kernel is one or the other
//   Overlap        the time when both went on
// Host events of communication wait and prepare as well. So beside it, of the
// device alone: kernels that communicate, and what of them lies under kernels
// that do not, which is how HTA computes its overlap.
#pragma once

#include <cstdint>

#include "analysis/communication.h"
#include "analysis/step_busy.h"
#include "analysis/steps.h"

namespace stepscope {

struct Distribution {
  int64_t communication_ns = 0;
  int64_t computation_ns = 0;
  int64_t overlap_ns = 0;
  // What of these lies in the steps: shares of them are of this.
  struct InSteps {
    int64_t communication_ns = 0;
    int64_t computation_ns = 0;
    int64_t overlap_ns = 0;
  } in_steps;
  // The parts of Communication, for the Overview table.
  uint64_t host_calls = 0;
  BusyPair host;
  uint64_t gpu_calls = 0;
  BusyPair gpu;
  int64_t gpu_overlap_ns = 0;  // of gpu, with Computation
  BusyPair kernel;             // all kernels, communicating or not

  bool any() const { return host_calls > 0 || gpu_calls > 0; }
};

Distribution ComputeDistribution(const EventTree& tree, const StepTable& steps,
                                 const Communication& communication);

}  // namespace stepscope
