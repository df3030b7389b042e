// SPDX-License-Identifier: Apache-2.0
//
// What the analyses call an event, by its type (stepscope_event_type).
#pragma once

#include <stepscope/c.h>

#include <cstdint>

#include "analysis/census.h"
#include "trace/trace.h"

namespace stepscope {

// A call of the device's API on the host: launches, copies, waits.
inline bool IsApiCall(uint16_t type) {
  return type == STEPSCOPE_CUDA_RUNTIME || type == STEPSCOPE_GRAPH_LAUNCH;
}

inline constexpr TypeSet kApiCallTypes =
    SetOf(STEPSCOPE_CUDA_RUNTIME) | SetOf(STEPSCOPE_GRAPH_LAUNCH);

inline bool IsDeviceWork(uint16_t type) {
  return type == STEPSCOPE_KERNEL || type == STEPSCOPE_MEMCPY ||
         type == STEPSCOPE_MEMSET;
}

inline constexpr TypeSet kDeviceWorkTypes =
    SetOf(STEPSCOPE_KERNEL) | SetOf(STEPSCOPE_MEMCPY) | SetOf(STEPSCOPE_MEMSET);

// Starting and ending such a kernel takes about as long as its work.
inline constexpr int64_t kSmallKernelNs = 10'000;

inline bool IsStage(uint16_t type) {
  return type == STEPSCOPE_DATALOADER || type == STEPSCOPE_FORWARD ||
         type == STEPSCOPE_BACKWARD || type == STEPSCOPE_OPTIMIZATION;
}

// A forward or backward pass that an event stands for although it was only
// concluded. Other inferred stages are ranges that the recorder did see.
inline bool IsConcludedPass(const Trace& trace, Row row) {
  const uint16_t type = trace.type()[row];
  return (type == STEPSCOPE_FORWARD || type == STEPSCOPE_BACKWARD) &&
         (trace.flags()[row] & kEventInferred) != 0;
}

inline bool IsUserDefined(uint16_t type) {
  return type == STEPSCOPE_USER_DEFINED ||
         type == STEPSCOPE_PYTHON_USER_DEFINED;
}

inline constexpr TypeSet kUserDefinedTypes =
    SetOf(STEPSCOPE_USER_DEFINED) | SetOf(STEPSCOPE_PYTHON_USER_DEFINED);

}  // namespace stepscope
