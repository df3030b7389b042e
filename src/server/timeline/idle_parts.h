// SPDX-License-Identifier: Apache-2.0
//
// Why a device did nothing, gap by gap: what the idle table adds up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/event_tree.h"
#include "analysis/step_part.h"
#include "analysis/steps.h"

namespace stepscope::server {

struct IdlePart {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  StepPart cause = StepPart::kUnexplained;
};
struct IdleDeviceParts {
  uint32_t process = 0;
  std::string name;             // "GPU0"
  std::vector<IdlePart> parts;  // by time, not overlapping
};
struct IdleParts {
  std::vector<IdleDeviceParts> devices;

  // The device that a stream is of; null: it has no work in steps.
  const IdleDeviceParts* Of(const Trace& trace, uint32_t stream) const;
};

IdleParts FindIdleParts(const EventTree& tree, const StepTable& steps);

// What of it a screen shows: where several parts fall into one pixel, the
// cause with most time stands for all. [start, duration, cause]; causes count
// from StepPart::kCommunication.
std::string IdleJson(const IdleDeviceParts& device, int64_t origin_ns,
                     int64_t begin_ns, int64_t end_ns, uint32_t pixels);
std::vector<std::string_view> IdleCauseNames();

}  // namespace stepscope::server
