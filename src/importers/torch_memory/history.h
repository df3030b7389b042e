// SPDX-License-Identifier: Apache-2.0
//
// What a snapshot's events mean once all of it is read: what was there before
// the first of them, how large each block was (the file says what was asked
// for), and the rows, tracks and places that a Trace has.
#pragma once

#include "importers/torch_memory/snapshot_reader.h"
#include "trace/build/trace_builder.h"

namespace stepscope::torch_memory {

// Name of the events that own what was there before the first event.
inline constexpr std::string_view kFoundName = "(before the recording)";
// Name of those whose stack is empty, as in the backward pass of torch.
inline constexpr std::string_view kNoStackName = "(no Python stack)";

// Turns what `reader` left in the builder into events of a Trace. `rank`: of
// its process; negative: not known.
void FinishHistory(const SnapshotReader& reader, TraceBuilder& builder,
                   int64_t rank = -1);

}  // namespace stepscope::torch_memory
