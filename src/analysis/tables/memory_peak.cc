// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/memory_peak.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "analysis/memory_accounts.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_columns.h"
#include "analysis/tables/rows.h"
#include "base/short_place.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

using HeldByText =
    std::map<std::tuple<std::string_view, std::string_view, std::string_view>,
             HeldRow>;

std::vector<HeldRow> BySize(const HeldByText& held) {
  std::vector<HeldRow> rows;
  for (const auto& [key, row] : held) rows.push_back(row);
  StableSort(rows.begin(), rows.end(), [](const HeldRow& a, const HeldRow& b) {
    return a.bytes > b.bytes;
  });
  return rows;
}

void AddHeld(const Trace& trace, const MemoryAccount& account,
             size_t peak_event, HeldByText& held) {
  for (const HeldByOwner& one : HeldAfter(trace, account, peak_event)) {
    const MemoryOwner& owner = account.owners[one.owner];
    const std::string_view name = OwnerName(trace, owner.row);
    const std::string_view line = LineOf(trace, owner.stack);
    const std::string_view category = MemoryCategoryName(owner.category);
    HeldRow& row = held[{name, line, category}];
    row.owner = name;
    row.line = line;
    row.category = category;
    row.bytes = SaturatingAdd(row.bytes, one.bytes);
    row.allocations += one.allocations;
  }
}

}  // namespace

std::vector<PeakOfDevice> ComputeMemoryPeaks(const Trace& trace) {
  std::vector<PeakOfDevice> devices;
  if (trace.memory().empty()) return devices;
  const EventTree tree(trace);
  const std::vector<MemoryAccount> accounts = MakeMemoryAccounts(tree);
  for (const MemoryPlace& place : ComputeMemory(tree, StepTable(tree))) {
    const size_t peak_event = place.life.peak_event;
    if (peak_event >= trace.memory().size()) continue;
    HeldByText held;
    for (const MemoryAccount& account : accounts)
      if (account.process == place.process &&
          trace.str(account.place) == place.place)
        AddHeld(trace, account, peak_event, held);
    if (place.life.before_bytes > 0)
      held[{kBeforeName, {}, {}}] = {
          kBeforeName, {}, "other", place.life.before_bytes, 0};
    devices.push_back({ShortPlace(place.place),
                       place.process_name,
                       place.peak_allocated_bytes,
                       place.peak_reserved_bytes,
                       BySize(held),
                       {}});
  }
  StableSort(devices.begin(), devices.end(),
             [](const PeakOfDevice& a, const PeakOfDevice& b) {
               return a.allocated_bytes > b.allocated_bytes;
             });
  return devices;
}

namespace {

RowList PeakRows(const Summary& summary) {
  std::vector<PeakOfDevice> devices = ComputeMemoryPeaks(*summary.trace);
  if (devices.empty()) return {};
  std::vector<PeakOfDevice> first;
  first.push_back(std::move(devices.front()));
  first[0].others.assign(std::make_move_iterator(devices.begin() + 1),
                         std::make_move_iterator(devices.end()));
  return RowList::Own(std::move(first));
}

ColumnsOf<HeldRow> HeldColumns() {
  ColumnsOf<HeldRow> columns;
  columns.Text("owner", "the operator or function that allocated it",
               &HeldRow::owner);
  columns.Text("category",
               "concluded from where and when it was made and freed: "
               "parameters, gradients, optimizer state, activations, "
               "temporary, workspace or other",
               &HeldRow::category);
  columns.Bytes("bytes", Adds::kSum, "bytes not freed at the peak",
                &HeldRow::bytes);
  columns.Count("allocations", "allocations of these", &HeldRow::allocations);
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const HeldRow& row) { return TextOrNone(row.line); });
  return columns;
}

ColumnsOf<PeakOfDevice> PeakDeviceColumns() {
  ColumnsOf<PeakOfDevice> columns;
  columns.Text("device", "where the memory is", &PeakOfDevice::device);
  AddProcessColumn(columns, &PeakOfDevice::process);
  columns.Bytes("allocated_bytes", Adds::kNothing,
                "the most that was allocated at once",
                &PeakOfDevice::allocated_bytes);
  columns.Bytes("reserved_bytes", Adds::kNothing,
                "the most that the allocator held at once",
                &PeakOfDevice::reserved_bytes);
  columns.Nested("live", "what was live at the peak", HeldColumns(),
                 [](const PeakOfDevice& row) { return RowList::Of(row.live); });
  return columns;
}

}  // namespace

TableSchema DeclareMemoryPeakTable() {
  ColumnsOf<PeakOfDevice> columns = PeakDeviceColumns();
  columns.Nested(
      "others", "devices that held less, of any process", PeakDeviceColumns(),
      [](const PeakOfDevice& row) { return RowList::Of(row.others); });
  return {.key = "memory_peak",
          .title = "Memory at the peak by line",
          .meaning = "which lines hold the memory at the peak, and for what?",
          .shape = TableShape::kOne,
          .columns = columns.Take(),
          .rows = PeakRows};
}

}  // namespace stepscope
