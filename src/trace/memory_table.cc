// SPDX-License-Identifier: Apache-2.0
#include "trace/memory_table.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace stepscope {

MemoryEvent MemoryTable::operator[](size_t i) const {
  const StoredMemoryEvent& stored = events_[i];
  MemoryEvent event;
  event.time_ns = stored.time_ns;
  event.address = stored.address;
  event.bytes = stored.bytes;
  event.place = stored.place;
  event.track = stored.track;
  event.kind = stored.kind();
  event.owner = stored.owner;
  event.owner_stated = stored.owner_stated();
  event.padding_bytes = stored.padding_bytes();
  if (i < totals_.size()) {
    const StoredMemoryTotals& totals = totals_[i];
    event.total_allocated = totals.allocated;
    event.total_reserved = totals.reserved;
    event.peak_allocated = totals.peak_allocated;
    event.peak_reserved = totals.peak_reserved;
  }
  return event;
}

bool MemoryTable::Add(const MemoryEvent& event) {
  StoredMemoryEvent stored{
      event.time_ns,
      event.address,
      event.bytes,
      event.place,
      event.track,
      event.owner,
      static_cast<uint32_t>(event.kind) | (event.owner_stated ? 4u : 0u)};
  stored.SetPadding(event.padding_bytes);
  const StoredMemoryTotals totals{event.total_allocated, event.total_reserved,
                                  event.peak_allocated, event.peak_reserved};
  const bool stated = (totals.allocated | totals.reserved |
                       totals.peak_allocated | totals.peak_reserved) != 0;
  if (stated || !totals_.empty()) {
    // Those before the first that states any have none.
    if (!totals_.ReserveMore(events_.size() + 1 - totals_.size()) ||
        !totals_.Resize(events_.size()) || !totals_.Append(totals))
      return false;
  }
  return events_.Append(stored);
}

bool MemoryTable::Sort() {
  const auto earlier = [](const StoredMemoryEvent& a,
                          const StoredMemoryEvent& b) {
    return a.time_ns < b.time_ns;
  };
  const auto events = events_.span();
  if (std::is_sorted(events.begin(), events.end(), earlier)) return true;
  if (totals_.empty()) {
    std::stable_sort(events.begin(), events.end(), earlier);
    return true;
  }
  std::vector<size_t> order(events.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return earlier(events_[a], events_[b]);
  });
  MemoryTable sorted;
  if (!sorted.events_.Reserve(events.size()) ||
      !sorted.totals_.Reserve(events.size()))
    return false;
  for (const size_t i : order) {
    sorted.events_.AppendReserved(events_[i]);
    sorted.totals_.AppendReserved(totals_[i]);
  }
  events_ = std::move(sorted.events_);
  totals_ = std::move(sorted.totals_);
  return true;
}

}  // namespace stepscope
