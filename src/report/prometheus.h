// SPDX-License-Identifier: Apache-2.0
//
// Figures of a recording as Prometheus reads them: text format 0.0.4. They are
// of what the trace holds, which of a flight recorder is its window: gauges,
// not counters. docs/guide/flight_recorder.md lists the names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/event_tree.h"

namespace stepscope {

// What only the reader of a running job knows.
struct ReadingFacts {
  double time_s = 0;  // when the trace was read, seconds since 1970
  bool recording = false;
  uint64_t capture_bytes = 0;
  double reader_cpu_s = 0;               // that reading cost up to now
  std::optional<double> recorder_cpu_s;  // of the recorder's own threads
};

std::string PrometheusText(const EventTree& tree, const ReadingFacts& facts);

}  // namespace stepscope
