// SPDX-License-Identifier: Apache-2.0
//
// The functions of libcupti that the plugin calls, found at run time. The
// optional ones are null where the library does not have them.
#pragma once

#include <cupti.h>

#include <cstdint>

namespace stepscope::gpu {

#define STEPSCOPE_CUPTI_REQUIRED(X)    \
  X(cuptiGetVersion)                   \
  X(cuptiSubscribe)                    \
  X(cuptiUnsubscribe)                  \
  X(cuptiEnableCallback)               \
  X(cuptiGetCallbackName)              \
  X(cuptiGetTimestamp)                 \
  X(cuptiActivityEnable)               \
  X(cuptiActivityDisable)              \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityFlushAll)             \
  X(cuptiGetResultString)
#define STEPSCOPE_CUPTI_OPTIONAL(X)         \
  X(cuptiSubscribe_v2)                      \
  X(cuptiSetThreadIdType)                   \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiActivityEnableAndDump)             \
  X(cuptiEnableDomain)                      \
  X(cuptiGetGraphNodeId)                    \
  X(cuptiFinalize)

struct CuptiApi {
#define STEPSCOPE_CUPTI_SLOT(name) decltype(&::name) name = nullptr;
  STEPSCOPE_CUPTI_REQUIRED(STEPSCOPE_CUPTI_SLOT)
  STEPSCOPE_CUPTI_OPTIONAL(STEPSCOPE_CUPTI_SLOT)
#undef STEPSCOPE_CUPTI_SLOT
  void* library = nullptr;
  // As cuptiGetVersion says: 130001 is 13.0, numbers before 13 are small.
  uint32_t version = 0;
  char path[1024] = {};

  // "cuptiActivityEnable: CUPTI_ERROR_... (n)" with what can be done about it.
  void Explain(const char* function, CUptiResult result, char* text,
               size_t size) const;
};

// CUPTI_API_VERSION of CUDA 12.0; everything before is too old.
inline constexpr uint32_t kOldestVersion = 19;
// From 12.9 on the library may be refused a buffer; earlier ones may crash.
inline constexpr uint32_t kMayRefuseBuffer = 27;
// From 12.6 on the library may be finalised in a program with CUDA graphs.
inline constexpr uint32_t kMayFinalize = 24;
// The first one that nobody has tried.
inline constexpr uint32_t kUnknownVersion = 140000;

// Loads libcupti and checks its version. False: `why` has a line for the user.
bool LoadCupti(CuptiApi* api, char* why, size_t size);

}  // namespace stepscope::gpu
