// SPDX-License-Identifier: Apache-2.0
//
// What tables and other formats call the kinds of things in a trace.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace stepscope {

std::string_view NameOf(TrackKind kind);   // "thread"
std::string_view NameOf(MemoryKind kind);  // "Allocate"

// What Paddle calls the properties of a device, by the number that they have in
// its protobuf; none has 0.
inline constexpr std::string_view kDevicePropertyKeys[] = {
    "",
    "id",
    "name",
    "totalGlobalMem",
    "computeMajor",
    "computeMinor",
    "maxThreadsPerBlock",
    "maxThreadsPerMultiprocessor",
    "regsPerBlock",
    "regsPerMultiprocessor",
    "warpSize",
    "sharedMemPerBlock",
    "sharedMemPerMultiprocessor",
    "smCount",
    "sharedMemPerBlockOptin"};

}  // namespace stepscope
