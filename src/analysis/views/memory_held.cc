// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/memory_held.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/tables/rows.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct HeldThenRow {
  std::string owner;
  std::string category;
  std::string module;
  std::string line;
  int64_t bytes = 0;
  uint64_t allocations = 0;
  int64_t other_bytes = 0;
  int64_t change_bytes() const {
    return SaturatingSubtract(bytes, other_bytes);
  }
};

using HeldThen =
    std::map<std::tuple<std::string, std::string, std::string, std::string>,
             HeldThenRow>;

HeldThenRow& RowOf(HeldThen& rows, HeldThenRow key) {
  HeldThenRow& row = rows[{key.owner, key.category, key.module, key.line}];
  if (row.owner.empty()) row = std::move(key);
  return row;
}

// What the allocator states beyond what was seen to be allocated.
int64_t StatedBeyond(const Trace& trace, size_t event, int64_t known) {
  if (event >= trace.memory().totals().size()) return 0;
  const uint64_t stated = trace.memory().totals()[event].allocated;
  return stated == 0 || stated > uint64_t{1} << 62
             ? 0
             : std::max<int64_t>(
                   0, SaturatingSubtract(static_cast<int64_t>(stated), known));
}

// The bytes in all.
int64_t Add(const EventTree& tree, const MemoryAccount& account, size_t event,
            bool other, HeldThen& rows) {
  int64_t known = 0;
  const auto add = [&](HeldThenRow key, int64_t bytes, uint64_t allocations) {
    HeldThenRow& row = RowOf(rows, std::move(key));
    int64_t& sum = other ? row.other_bytes : row.bytes;
    sum = SaturatingAdd(sum, bytes);
    if (!other) row.allocations += allocations;
    known = SaturatingAdd(known, bytes);
  };
  for (const HeldByOwner& held : HeldAfter(tree.trace(), account, event)) {
    const MemoryOwner& owner = account.owners[held.owner];
    add({OwnerText(tree, owner, MemoryBy::kOperator),
         OwnerText(tree, owner, MemoryBy::kCategory),
         OwnerText(tree, owner, MemoryBy::kModule),
         OwnerText(tree, owner, MemoryBy::kLine)},
        held.bytes, held.allocations);
  }
  const int64_t before = StatedBeyond(tree.trace(), event, known);
  if (before > 0)
    add({std::string(kBeforeName),
         std::string(MemoryCategoryName(MemoryCategory::kOther)), "", ""},
        before, 0);
  return known;
}

std::vector<TableColumn> HeldThenColumns(bool compares) {
  ColumnsOf<HeldThenRow> columns;
  columns.Text(
      "owner", "the operator or function that allocated it",
      [](const HeldThenRow& row) -> std::string_view { return row.owner; });
  columns.Bytes("bytes", Adds::kSum, "bytes that were held then",
                &HeldThenRow::bytes);
  if (compares) {
    columns.Bytes("other_bytes", Adds::kSum,
                  "bytes that were held at the instant compared with",
                  &HeldThenRow::other_bytes);
    columns.Bytes("change_bytes", Adds::kSum, "how much more it is",
                  &HeldThenRow::change_bytes);
  }
  columns.Count("allocations", "allocations of these",
                &HeldThenRow::allocations);
  columns.Text(
      "category", "what it is for: concluded",
      [](const HeldThenRow& row) -> std::string_view { return row.category; });
  columns.Text("module",
               "the modules that it was allocated in, outermost first",
               [](const HeldThenRow& row) { return TextOrNone(row.module); });
  columns.Text("line", "the innermost line of the program that is not torch's",
               [](const HeldThenRow& row) { return TextOrNone(row.line); });
  return columns.Take();
}

}  // namespace

HeldTable ComputeHeldTable(const EventTree& tree, const MemoryAccount& account,
                           const HeldQuery& query) {
  HeldThen held;
  std::vector<ViewFact> facts = {
      {"held_bytes", Add(tree, account, query.event, false, held)}};
  if (query.other)
    facts.push_back(
        {"other_bytes", Add(tree, account, *query.other, true, held)});
  std::vector<HeldThenRow> rows;
  for (auto& [key, row] : held) rows.push_back(std::move(row));
  StableSort(rows.begin(), rows.end(),
             [&](const HeldThenRow& a, const HeldThenRow& b) {
               return query.other ? a.change_bytes() > b.change_bytes()
                                  : a.bytes > b.bytes;
             });
  return {HeldThenColumns(query.other.has_value()),
          ViewRows(RowList::Own(std::move(rows)), std::move(facts))};
}

}  // namespace stepscope
