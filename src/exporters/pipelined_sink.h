// SPDX-License-Identifier: Apache-2.0
//
// Lets the caller format the next block while a thread writes the last one.
// Small outputs never take that thread, and none does while all are busy.
#pragma once

#include <memory>

#include "exporters/sink.h"

namespace stepscope {

// An error of `next` is returned by a later Write or by Close.
std::unique_ptr<Sink> MakePipelinedSink(std::unique_ptr<Sink> next);

}  // namespace stepscope
