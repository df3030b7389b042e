// SPDX-License-Identifier: Apache-2.0
//
// Compresses into another sink, as one zstd frame. A library of its own, so
// that libstepscope.so, which has no use for it, does not need libzstd.
#pragma once

#include <memory>

#include "exporters/sink.h"

namespace stepscope {

// kUnsupported in a build without libzstd.
Result<std::unique_ptr<Sink>> MakeZstdSink(std::unique_ptr<Sink> next);

}  // namespace stepscope
