// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcupti that sample counters of the hardware, found at run
// time; 12.6 and later have them.
#pragma once

#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include "gpu/cupti_api.h"

namespace stepscope::gpu {

#define STEPSCOPE_CUPTI_SAMPLING(X)            \
  X(cuptiProfilerInitialize)                   \
  X(cuptiDeviceGetChipName)                    \
  X(cuptiPmSamplingGetCounterAvailability)     \
  X(cuptiPmSamplingEnable)                     \
  X(cuptiPmSamplingDisable)                    \
  X(cuptiPmSamplingSetConfig)                  \
  X(cuptiPmSamplingStart)                      \
  X(cuptiPmSamplingStop)                       \
  X(cuptiPmSamplingDecodeData)                 \
  X(cuptiPmSamplingGetCounterDataSize)         \
  X(cuptiPmSamplingCounterDataImageInitialize) \
  X(cuptiPmSamplingGetCounterDataInfo)         \
  X(cuptiPmSamplingCounterDataGetSampleInfo)   \
  X(cuptiProfilerHostInitialize)               \
  X(cuptiProfilerHostDeinitialize)             \
  X(cuptiProfilerHostConfigAddMetrics)         \
  X(cuptiProfilerHostGetConfigImageSize)       \
  X(cuptiProfilerHostGetConfigImage)           \
  X(cuptiProfilerHostGetNumOfPasses)           \
  X(cuptiProfilerHostEvaluateToGpuValues)

struct CounterApi {
#define STEPSCOPE_CUPTI_SLOT(name) decltype(&::name) name = nullptr;
  STEPSCOPE_CUPTI_SAMPLING(STEPSCOPE_CUPTI_SLOT)
#undef STEPSCOPE_CUPTI_SLOT
  const CuptiApi* cupti = nullptr;

  // False: this libcupti cannot sample.
  bool Load(const CuptiApi& api);
};

// A parameter block of CUPTI's, with its size.
#define STEPSCOPE_CUPTI_PARAMS(type, name) \
  type name = {};                          \
  name.structSize = type##_STRUCT_SIZE

}  // namespace stepscope::gpu
