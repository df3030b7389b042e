// SPDX-License-Identifier: Apache-2.0
//
// What the fields of a TracePacket that are not read would say.
#pragma once

#include <cstdint>
#include <string_view>

namespace stepscope::pftrace {

enum class Meaning : uint8_t {
  kDetail,          // of the packet: who wrote it
  kAboutRecording,  // configuration, statistics, marks: nothing happened
  kUnread,          // something happened
};
Meaning MeaningOf(uint32_t field);

// Why a packet with that field is rejected.
std::string_view ReasonOf(uint32_t field);

}  // namespace stepscope::pftrace
