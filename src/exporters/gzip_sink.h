// SPDX-License-Identifier: Apache-2.0
//
// Compresses into another sink, as one gzip member.
#pragma once

#include <memory>

#include "exporters/sink.h"

namespace stepscope {

Result<std::unique_ptr<Sink>> MakeGzipSink(std::unique_ptr<Sink> next,
                                           int level);

}  // namespace stepscope
