// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/memory_processes.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "analysis/memory_accounts.h"
#include "analysis/memory_retries.h"
#include "analysis/memory_sums.h"
#include "analysis/out_of_memory.h"
#include "analysis/process_name.h"
#include "analysis/schema.h"
#include "analysis/step_finder.h"
#include "analysis/summary.h"
#include "base/short_place.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

void SetLargestCategory(const Trace& trace, const MemoryAccount& account,
                        size_t peak_event, MemoryOfProcess& row) {
  std::array<int64_t, kMemoryCategories> bytes{};
  for (const HeldByOwner& held : HeldAfter(trace, account, peak_event)) {
    int64_t& sum =
        bytes[static_cast<size_t>(account.owners[held.owner].category)];
    sum = SaturatingAdd(sum, held.bytes);
  }
  const auto most = std::max_element(bytes.begin(), bytes.end());
  if (*most <= 0) return;
  row.category =
      MemoryCategoryName(static_cast<MemoryCategory>(most - bytes.begin()));
  row.category_bytes = *most;
}

void AddRetries(const Trace& trace, std::vector<MemoryOfProcess>& rows,
                const std::vector<MemoryAccount>& accounts) {
  for (const MemoryScript& script : MakeMemoryScripts(trace))
    for (size_t i = 0; i < rows.size(); ++i) {
      if (accounts[i].process != script.process ||
          accounts[i].place != script.place)
        continue;
      for (const MemoryRetry& retry : FindMemoryRetries(trace, script)) {
        ++rows[i].retries;
        rows[i].retries_ns = SaturatingAdd(rows[i].retries_ns, retry.took_ns);
      }
    }
}

RowList ProcessRows(const Summary& summary) {
  if (summary.trace->memory().empty()) return {};
  const EventTree tree(*summary.trace);
  return RowList::Own(ComputeMemoryOfProcesses(tree, StepTable(tree)));
}

}  // namespace

std::vector<MemoryOfProcess> ComputeMemoryOfProcesses(const EventTree& tree,
                                                      const StepTable& steps) {
  const Trace& trace = tree.trace();
  std::vector<MemoryAccount> accounts = MakeMemoryAccounts(tree);
  std::erase_if(accounts, [&](const MemoryAccount& account) {
    return !IsOfDevice(trace.str(account.place));
  });
  const std::vector<MemorySums> sums = SumsOf(trace, accounts);
  std::vector<uint64_t> out_of_memory(trace.processes().size());
  for (const Row row : OutOfMemoryEvents(trace))
    ++out_of_memory[trace.tracks()[trace.track()[row]].process];
  const StepFinder finder(tree, steps);
  std::vector<MemoryOfProcess> rows;
  for (size_t i = 0; i < accounts.size(); ++i) {
    MemoryOfProcess& row = rows.emplace_back();
    const uint32_t process = accounts[i].process;
    row.process = NameAmongSeveral(trace, process);
    if (!row.process.empty() && trace.processes()[process].rank >= 0)
      row.rank = trace.processes()[process].rank;
    row.device = ShortPlace(trace.str(accounts[i].place));
    row.allocated_bytes = sums[i].peak_allocated();
    row.reserved_bytes = sums[i].peak_reserved();
    row.out_of_memory = out_of_memory[process];
    const size_t peak = sums[i].peak_event();
    if (peak == SIZE_MAX) continue;
    row.peak_at_ns = trace.memory()[peak].time_ns;
    const uint32_t step = finder.Find(process, *row.peak_at_ns);
    if (step != StepFinder::kNone) row.step = step;
    SetLargestCategory(trace, accounts[i], peak, row);
  }
  AddRetries(trace, rows, accounts);
  StableSort(rows.begin(), rows.end(),
             [](const MemoryOfProcess& a, const MemoryOfProcess& b) {
               return std::tie(a.reserved_bytes, a.allocated_bytes) >
                      std::tie(b.reserved_bytes, b.allocated_bytes);
             });
  return rows;
}

TableSchema DeclareMemoryProcessesTable() {
  ColumnsOf<MemoryOfProcess> columns;
  columns.Text(
      "process", "the rank, or else the file or the process",
      [](const MemoryOfProcess& row) { return TextOrNone(row.process); });
  columns.Count("rank", "the rank, where there are several",
                &MemoryOfProcess::rank);
  columns.Text("device", "where the memory is", &MemoryOfProcess::device);
  columns.Bytes("reserved_bytes", Adds::kNothing,
                "the most that the allocator held at once",
                &MemoryOfProcess::reserved_bytes);
  columns.Bytes("allocated_bytes", Adds::kNothing,
                "the most that was allocated at once",
                &MemoryOfProcess::allocated_bytes);
  columns.Moment("peak_at_ns", "when that was", &MemoryOfProcess::peak_at_ns);
  columns.Count("step", "in which step, counted from 0",
                &MemoryOfProcess::step);
  columns.Text(
      "category", "what most of it was for",
      [](const MemoryOfProcess& row) { return TextOrNone(row.category); });
  columns
      .Bytes("category_bytes", Adds::kNothing, "how much that was",
             &MemoryOfProcess::category_bytes)
      .As("Of this category");
  columns.Count("out_of_memory", "how often the process ran out of memory",
                &MemoryOfProcess::out_of_memory);
  columns.Count("retries",
                "allocations before which segments were given back, since the "
                "device had no more",
                &MemoryOfProcess::retries);
  columns
      .Time("retries_ns", Adds::kSum, "the least that these took",
            &MemoryOfProcess::retries_ns)
      .As("Time of retries");
  return {.key = "memory_processes",
          .title = "Memory by process",
          .meaning = "which rank holds most memory, and which ran out of it?",
          .columns = columns.Take(),
          .rows = ProcessRows};
}

}  // namespace stepscope
