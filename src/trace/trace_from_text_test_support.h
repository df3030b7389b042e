// SPDX-License-Identifier: Apache-2.0
//
// TraceFromText: draws a trace as text, for tests. One line, one thing;
// indentation is free and best follows the nesting:
//
//   process 100 rank=0 name=train host=a   # optional; the first is pid 1
//   process 101 cpus=2 cpus_usable=1       # processors of its machine
//   process 102 first_chosen_step=5        # by the user
//   process 103 step_range=decode*         # likewise
//   process 104 saved=slow                 # why its last steps were saved
//   process 105 unprofiled_times_ns="9 8"  # steps that were not recorded
//   thread 7 main                          # later events are on this track
//     0..100 ProfileStep#0 ProfileStep     # start..end name [type] [flag]...
//       10..40 forward Forward shape=[2,3] bytes=64 note="a b"
//       50..50 "mark here" instant
//       60..100 late open                  # flags: instant open clipped
//   stream 3 GPU:0                         # device type and number
//     20..35 gemm Kernel correlation=5     # a link, as on the launching call
//   counter 15 loss 0.5                    # time name value; nan: none
//   memory 15 +1024 Place(cpu) 0x10 total=1024 reserved=2048
//   memory 30 -1024 Place(cpu) 0x10        # on the current track
//   memory 9 +4096 Place(cpu) 0x0 reserve  # by the allocator itself
//   cpu 1.5 0.25                           # use: process in cores, system
//   flow 12 5 begin arrow                  # time id begin|step|end name
//   window 0 120                           # recorded window
//
// Types are named as in event_type.h; UserDefined unless stated. Times are
// nanoseconds. A line that makes no sense aborts the test with a message.
// Part of the test-only library stepscope_trace_testing.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "trace/build/trace_builder.h"
#include "trace/trace.h"

namespace stepscope {

std::shared_ptr<const Trace> TraceFromText(std::string_view text);
// The same, without Finish().
void BuildFromText(std::string_view text, TraceBuilder& builder);

// The events of `trace` in the same notation, by track, indented by depth;
// for expectations.
std::string TraceToText(const Trace& trace);

}  // namespace stepscope
