// SPDX-License-Identifier: Apache-2.0
//
// Memory of a TensorFlow step: when tensors lived, and what the allocators
// held.
#pragma once

#include <vector>

#include "importers/proto/recorder.h"
#include "importers/tensorflow/edges.h"

namespace stepscope::proto::tf {

// Adds a process "<device> Tensors" a device, in which every output has a span
// from its producer's start to its last consumer's end, and a counter an
// allocator in a process "<worker> Allocators". Allocations are those that
// TensorFlow recorded; where it recorded none, they follow from the spans of
// buffers, several tensors at one address being one buffer. REQUIRES: the nodes
// have been placed.
void AddTfMemory(const TfStep& step, const std::vector<TfEdge>& edges,
                 Recorder& out);

}  // namespace stepscope::proto::tf
