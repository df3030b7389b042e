// SPDX-License-Identifier: Apache-2.0
//
// XEventFacts: what the stats of one event say beside being arguments.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace stepscope::proto::xplane {

// What a line is, which decides what its events are.
enum class LineRole : uint8_t {
  kHostThread,
  kDeviceStream,
  kDeviceSteps,
  kDerived,  // a view of other lines
};
inline constexpr size_t kLineRoles = 4;

// Stats that decide what an event is or that go elsewhere than into arguments.
enum class KnownStat : uint8_t {
  kOther,
  kCorrelation,
  kStepNumber,
  kStepName,
  kKernelDetails,
  kMemcpyDetails,
  kMemsetDetails,
  kHloOp,
  kTfOp,
  kProducerType,
  kProducerId,
  kConsumerType,
  kConsumerId,
  kAllocator,
  kBytesReserved,
  kBytesAllocated,
  kAllocationBytes,
  kAddress,
};

struct StatName {
  StringId name;
  KnownStat known = KnownStat::kOther;
};

// A stat's value: of an event, an event's metadata or a plane.
struct StatValue {
  enum class Kind : uint8_t { kNone, kInt, kUint, kDouble, kText };
  const StatName* stat = nullptr;
  uint64_t number = 0;  // bits of kInt, kUint, kDouble
  StringId text;        // kText
  Kind kind = Kind::kNone;
};

struct XEventFacts {
  uint64_t correlation = 0;
  bool has_correlation = false;
  bool step = false;
  bool copy = false;
  bool set = false;
  bool framework_op = false;
  bool has_producer = false;
  bool has_consumer = false;
  StringId allocator;
  uint64_t producer_type = 0;
  uint64_t consumer_type = 0;
  uint64_t producer = 0;
  uint64_t consumer = 0;
  uint64_t reserved = 0;
  uint64_t allocated = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;

  void Take(const StatValue& value) {
    switch (value.stat->known) {
      case KnownStat::kOther:
      case KnownStat::kStepName:
      case KnownStat::kKernelDetails:
        break;
      case KnownStat::kCorrelation:
        correlation = value.number;
        has_correlation = true;
        break;
      case KnownStat::kStepNumber:
        step = true;
        break;
      case KnownStat::kMemcpyDetails:
        copy = true;
        break;
      case KnownStat::kMemsetDetails:
        set = true;
        break;
      case KnownStat::kHloOp:
      case KnownStat::kTfOp:
        framework_op = true;
        break;
      case KnownStat::kProducerType:
        producer_type = value.number;
        break;
      case KnownStat::kProducerId:
        producer = value.number;
        has_producer = true;
        break;
      case KnownStat::kConsumerType:
        consumer_type = value.number;
        break;
      case KnownStat::kConsumerId:
        consumer = value.number;
        has_consumer = true;
        break;
      case KnownStat::kAllocator:
        allocator = value.text;
        break;
      case KnownStat::kBytesReserved:
        reserved = value.number;
        break;
      case KnownStat::kBytesAllocated:
        allocated = value.number;
        break;
      case KnownStat::kAllocationBytes:
        bytes = value.number;
        break;
      case KnownStat::kAddress:
        address = value.number;
        break;
    }
  }

  // The type of an event of `name`; `two_names`: it has a longer one as well.
  uint16_t Type(LineRole role, std::string_view name, bool two_names) const {
    if (role == LineRole::kDeviceSteps) return STEPSCOPE_PROFILE_STEP;
    if (role == LineRole::kDeviceStream) {
      if (copy || name.starts_with("Memcpy")) return STEPSCOPE_MEMCPY;
      if (set || name.starts_with("Memset")) return STEPSCOPE_MEMSET;
      return STEPSCOPE_KERNEL;
    }
    if (role == LineRole::kDerived) return STEPSCOPE_USER_DEFINED;
    if (has_correlation) return STEPSCOPE_CUDA_RUNTIME;
    if (step) return STEPSCOPE_PROFILE_STEP;
    if (name.starts_with('$')) return STEPSCOPE_PYTHON_FUNCTION;
    return two_names || framework_op ? STEPSCOPE_OPERATOR
                                     : STEPSCOPE_USER_DEFINED;
  }
};

}  // namespace stepscope::proto::xplane
