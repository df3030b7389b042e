// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_retries.h"

#include "analysis/interval.h"

namespace stepscope {

std::vector<MemoryRetry> FindMemoryRetries(const Trace& trace,
                                           const MemoryScript& script) {
  std::vector<MemoryRetry> retries;
  const auto events = trace.memory().stored();
  MemoryRetry open;
  Row owner = kNoRow;  // of the segments
  // Nothing comes in between: the allocator is locked.
  for (const memory::Op& op : script.script.ops) {
    const StoredMemoryEvent& event = events[op.event];
    switch (op.kind) {
      case memory::OpKind::kRelease:
        if (open.segments == 0 || owner != event.owner ||
            open.reserved_bytes > 0) {
          open = {};
          open.begin_ns = event.time_ns;
          owner = event.owner;
        }
        ++open.segments;
        open.released_bytes =
            SaturatingAdd(open.released_bytes, Magnitude(event.bytes));
        break;
      case memory::OpKind::kReserve:
        open.reserved_bytes = SaturatingAdd(open.reserved_bytes, event.bytes);
        break;
      case memory::OpKind::kAllocate:
        if (open.segments > 0 && open.reserved_bytes > 0 &&
            owner == event.owner && owner != kNoRow) {
          open.event = op.event;
          open.took_ns = SaturatingSubtract(event.time_ns, open.begin_ns);
          retries.push_back(open);
        }
        [[fallthrough]];
      default:
        open = {};
    }
  }
  return retries;
}

}  // namespace stepscope
