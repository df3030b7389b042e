// SPDX-License-Identifier: Apache-2.0
#include "trace/kind_names.h"

namespace stepscope {

std::string_view NameOf(TrackKind kind) {
  switch (kind) {
    case TrackKind::kThread:
      return "thread";
    case TrackKind::kStream:
      return "stream";
    case TrackKind::kCounter:
      return "counter";
    case TrackKind::kAsync:
      return "async";
  }
  return "";
}

std::string_view NameOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kAllocate:
      return "Allocate";
    case MemoryKind::kFree:
      return "Free";
    case MemoryKind::kReservedAllocate:
      return "ReservedAllocate";
    case MemoryKind::kReservedFree:
      return "ReservedFree";
  }
  return "Memory";
}

}  // namespace stepscope
