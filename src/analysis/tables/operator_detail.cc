// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/operator_detail.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"

namespace stepscope {
namespace {

uint64_t EntryKey(uint32_t level, StringId name) {
  return uint64_t{level} << 32 | name.v;
}

}  // namespace

OperatorDetail::Entry& OperatorDetail::Index::Search(uint32_t level,
                                                     StringId name) {
  const size_t at = level & ~kInner;
  std::vector<uint32_t>& last = last_[level >= kInner];
  if (at >= last.size()) {
    last.resize(2 * at + 16, kNone);
    expected_[level >= kInner].resize(last.size());
  }
  uint32_t slot = map_.Insert(EntryKey(level, name));
  if (slot == FlatMap::kNew) {
    slot = static_cast<uint32_t>(entries_.size());
    Entry entry;
    entry.level = level;
    entry.slot = entry.next = slot;
    entry.name = entry.next_name = name;
    if (last[at] != kNone) {
      Entry& before = entries_[last[at]];
      entry.next = std::exchange(before.next, slot);
      entry.next_name = std::exchange(before.next_name, name);
    }
    last[at] = slot;
    entries_.push_back(entry);
  }
  Expect(entries_[slot]);
  return entries_[slot];
}

void OperatorDetail::Sort(Entries& entries) {
  StableSort(entries.begin(), entries.end(),
             [](const Entry& a, const Entry& b) {
               if (a.level != b.level) return a.level < b.level;
               return a.first.Before(b.first);
             });
}

void OperatorDetail::Finish() {
  Sort(inner_.entries());
  Sort(device_.entries());
}

std::pair<size_t, size_t> OperatorDetail::Range(const Entries& entries,
                                                uint32_t level) {
  Entry key;
  key.level = level;
  const auto [first, last] = std::equal_range(
      entries.begin(), entries.end(), key,
      [](const Entry& a, const Entry& b) { return a.level < b.level; });
  return {static_cast<size_t>(first - entries.begin()),
          static_cast<size_t>(last - entries.begin())};
}

std::vector<OperatorInnerRow> OperatorDetail::InnerRows(
    const Trace& trace, uint32_t op, const OperatorRow& row) const {
  std::vector<OperatorInnerRow> rows;
  const auto [first, last] = Range(inner_.entries(), op);
  // As for operators: those that overlap may be the whole.
  int64_t whole_ns = row.cpu.total_ns;
  for (size_t i = first; i < last; ++i)
    whole_ns = std::max(whole_ns, inner_.entries()[i].cpu.total_ns);
  for (size_t i = first; i < last; ++i) {
    const Entry& entry = inner_.entries()[i];
    rows.push_back({trace.str(entry.name), entry.calls,
                    TimeColumn::Of(entry.cpu, whole_ns),
                    TimeColumn::Of(entry.gpu, row.gpu.total_ns),
                    DeviceRows(trace, kInner | entry.slot, entry.gpu.total_ns),
                    entry.nested_calls});
  }
  return rows;
}

std::vector<OperatorDeviceRow> OperatorDetail::DeviceRows(
    const Trace& trace, uint32_t level, int64_t whole_ns) const {
  std::vector<OperatorDeviceRow> rows;
  const auto [first, last] = Range(device_.entries(), level);
  for (size_t i = first; i < last; ++i) {
    const Entry& entry = device_.entries()[i];
    rows.push_back({trace.str(entry.name), entry.calls,
                    TimeColumn::Of(entry.gpu, whole_ns)});
  }
  return rows;
}

}  // namespace stepscope
