// SPDX-License-Identifier: Apache-2.0
//
// Rows of devices in the JSON that TensorFlow 2 and JAX write. Their events
// have no category; a process named "/device:GPU:0" is what tells that its
// threads are streams and their events work of the device. A device is no
// process: its rows become those of the host, where the file has one.
#pragma once

#include "trace/build/trace_builder.h"

namespace stepscope::json {

// Once processes and threads have their names.
void MarkDeviceTracks(TraceBuilder& builder);

}  // namespace stepscope::json
