// SPDX-License-Identifier: Apache-2.0
//
// A training run for the benchmarks of analyses.
#pragma once

#include <stepscope/c.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "trace/build/trace_builder.h"
#include "trace/device_counter.h"

namespace stepscope {

inline constexpr int kStepTraceNames = 300;

// Steps of stages of operators, each with a phase; with a device, each phase
// launches one kernel: 5 events an operator instead of 2. With counters, the
// device's are sampled once for every ten kernels.
inline std::shared_ptr<const Trace> MakeStepTrace(uint32_t events, bool gpu,
                                                  bool with_counters = false) {
  TraceBuilder builder;
  builder.AddProcess({});
  Track host;
  host.id = 1;
  Track stream;
  stream.kind = TrackKind::kStream;
  stream.id = 7;
  stream.device = 0;
  stream.device_type = builder.Intern("GPU");
  const uint32_t thread = builder.AddTrack(host);
  const uint32_t device = builder.AddTrack(stream);
  std::vector<StringId> ops;
  std::vector<StringId> phases;
  std::vector<StringId> kernels;
  for (int i = 0; i < kStepTraceNames; ++i) {
    const std::string name = "op" + std::to_string(i);
    ops.push_back(builder.Intern(name));
    phases.push_back(builder.Intern(name + "::compute"));
    kernels.push_back(builder.Intern("void " + name + "_kernel<float>(int)"));
  }
  const StringId launch = builder.Intern("cudaLaunchKernel");
  std::vector<uint32_t> counters;
  for (const auto kind :
       {DeviceCounterKind::kSmsActive, DeviceCounterKind::kTensorCoresActive,
        DeviceCounterKind::kDramRead, DeviceCounterKind::kDramWritten}) {
    if (!with_counters) break;
    Track counter;
    counter.kind = TrackKind::kCounter;
    counter.name = builder.Intern(DeviceCounterTrackName({kind, 0}));
    counters.push_back(builder.AddTrack(counter));
  }
  uint64_t random = 88172645463325252u;
  int64_t time = 0;
  uint64_t id = 0;
  for (uint32_t step = 0; builder.event_count() < events; ++step) {
    const int64_t step_start = time;
    for (const uint16_t stage : {STEPSCOPE_DATALOADER, STEPSCOPE_FORWARD,
                                 STEPSCOPE_BACKWARD, STEPSCOPE_OPTIMIZATION}) {
      const int64_t stage_start = time;
      for (int i = 0; i < 250; ++i) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const size_t name = random % kStepTraceNames;
        // No two calls are alike, as in life.
        const auto more = static_cast<int64_t>(random >> 32 & 255);
        builder.AddEvent(
            {thread, time, 1000 + more, ops[name], STEPSCOPE_OPERATOR, 0});
        builder.AddEvent({thread, time + 100, 800, phases[name],
                          STEPSCOPE_OPERATOR_INNER, 0});
        if (gpu) {
          const Row call =
              builder.AddEvent({thread, time + 200, 100 + more / 4, launch,
                                STEPSCOPE_CUDA_RUNTIME, 0});
          const Row kernel =
              builder.AddEvent({device, time + 400 + more, 600 - more,
                                kernels[name], STEPSCOPE_KERNEL, 0});
          builder.AddLink({0, LinkSpace::kCorrelation, id, call});
          builder.AddLink({0, LinkSpace::kCorrelation, id++, kernel});
        }
        if (i % 10 == 0)
          for (const uint32_t counter : counters)
            builder.AddCounter({.time_ns = time,
                                .track = counter,
                                .value = static_cast<double>(more)});
        time += 1300;
      }
      builder.AddEvent({thread, stage_start, time - stage_start,
                        builder.Intern("stage"), stage, 0});
    }
    builder.AddEvent({thread, step_start, time - step_start,
                      builder.Intern("ProfileStep#" + std::to_string(step)),
                      STEPSCOPE_PROFILE_STEP, 0});
    time += 10;
  }
  const Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  if (!trace) {
    std::fprintf(stderr, "step_trace: %s\n", trace.error().message.c_str());
    std::exit(1);
  }
  (*trace)->nesting();  // is part of the trace
  return *trace;
}

}  // namespace stepscope
