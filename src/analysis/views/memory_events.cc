// SPDX-License-Identifier: Apache-2.0
//
// Every allocation with its release, matched by process, place, kind and
// address in the order of time. One of the two sides is empty where it was not
// recorded.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/process_name.h"
#include "analysis/tables/accountable.h"
#include "analysis/tables/rows.h"
#include "analysis/views/view_table.h"
#include "base/text.h"

namespace stepscope {
namespace {

struct AllocationRow {
  uint64_t address = 0;
  std::string address_text;
  std::string_view place;
  std::string_view type;  // Allocated, or Reserved by the allocator itself
  int64_t bytes = 0;
  std::optional<std::string_view> allocated_by;
  std::optional<int64_t> allocated_at_ns;
  std::optional<std::string_view> freed_by;
  std::optional<int64_t> freed_at_ns;

  std::optional<int64_t> dur_ns() const {
    if (!allocated_at_ns || !freed_at_ns) return std::nullopt;
    return SaturatingSubtract(*freed_at_ns, *allocated_at_ns);
  }
  bool Touches(const Interval& range) const {
    const auto inside = [&](std::optional<int64_t> time) {
      return time && *time >= range.begin && *time < range.end;
    };
    return inside(allocated_at_ns) || inside(freed_at_ns);
  }
};

class AllocationMatcher {
 public:
  explicit AllocationMatcher(const ViewInput& input)
      : trace_(input.tree.trace()),
        query_(input.query),
        accountable_(input.tree) {
    const ProcessFilter of_process(trace_, query_.process);
    for (const MemoryEvent& event : trace_.memory()) {
      const uint32_t process = trace_.tracks()[event.track].process;
      if ((query_.place.empty() || trace_.str(event.place) == query_.place) &&
          of_process(process))
        Add(event, process);
    }
  }

  std::vector<AllocationRow> Rows() {
    if (query_.range) {
      std::erase_if(rows_, [&](const AllocationRow& row) {
        return !row.Touches(*query_.range);
      });
    }
    for (AllocationRow& row : rows_) {
      row.address_text =
          Format("0x%llx", static_cast<unsigned long long>(row.address));
    }
    return std::move(rows_);
  }

 private:
  // Ranks have the same places, and often the same addresses.
  using Key = std::tuple<uint32_t, uint32_t, bool, uint64_t>;

  void Add(const MemoryEvent& event, uint32_t process) {
    const bool reserved = event.kind == MemoryKind::kReservedAllocate ||
                          event.kind == MemoryKind::kReservedFree;
    const bool frees = event.kind == MemoryKind::kFree ||
                       event.kind == MemoryKind::kReservedFree;
    const Key key{process, event.place.v, reserved, event.address};
    const auto live = live_.find(key);
    if (frees && live != live_.end()) {
      Free(rows_[live->second], event);
      live_.erase(live);
      return;
    }
    AllocationRow& row = rows_.emplace_back();
    row.address = event.address;
    row.place = trace_.str(event.place);
    row.type = reserved ? "Reserved" : "Allocated";
    row.bytes = Magnitude(event.bytes);
    if (frees) {
      Free(row, event);
      return;
    }
    row.allocated_by = NameOf(event);
    row.allocated_at_ns = event.time_ns;
    live_[key] = rows_.size() - 1;
  }

  void Free(AllocationRow& row, const MemoryEvent& event) {
    row.freed_by = NameOf(event);
    row.freed_at_ns = event.time_ns;
  }
  std::string_view NameOf(const MemoryEvent& event) {
    const StringId name = accountable_.NameOf(event.owner);
    return name == kOutsideId ? kOutsideName : trace_.str(name);
  }

  const Trace& trace_;
  const ViewQuery query_;
  Accountable accountable_;
  std::map<Key, size_t> live_;
  std::vector<AllocationRow> rows_;
};

}  // namespace

ViewTable DeclareMemoryEventsViewTable() {
  ColumnsOf<AllocationRow> columns;
  columns.Text("allocated_by", "event that allocated; empty: not recorded",
               &AllocationRow::allocated_by);
  columns.Text("place", "where the memory is", &AllocationRow::place);
  columns.Text("type", "Allocated, or Reserved by the allocator itself",
               &AllocationRow::type);
  columns.Bytes("bytes", Adds::kNothing, "size of the allocation",
                &AllocationRow::bytes);
  columns.Moment("allocated_at_ns", "when it was taken",
                 &AllocationRow::allocated_at_ns);
  columns.Text("freed_by", "event that freed it; empty: not recorded",
               &AllocationRow::freed_by);
  columns.Moment("freed_at_ns", "when it was given back",
                 &AllocationRow::freed_at_ns);
  columns.Time("dur_ns", "how long it was held", &AllocationRow::dur_ns)
      .As("Held for");
  columns.Text("address", "address of the memory",
               &AllocationRow::address_text);
  return {.key = "memory_events",
          .title = "Allocations",
          .meaning = "who took which memory, and for how long?",
          .columns = columns.Take(),
          .rows = [](const ViewInput& input) {
            return RowList::Own(AllocationMatcher(input).Rows());
          }};
}

}  // namespace stepscope
