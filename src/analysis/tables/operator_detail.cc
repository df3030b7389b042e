// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/operator_detail.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

uint64_t Key(uint32_t level, StringId name) {
  return uint64_t{level} << 32 | name.v;
}

}  // namespace

OperatorDetail::Entry& OperatorDetail::At(Index& index, Entries& entries,
                                          uint32_t level, StringId name) {
  uint32_t& last = index.Last(level);
  if (last != Index::kNone && entries[last].name == name) return entries[last];
  const uint32_t slot = index.map.Insert(Key(level, name));
  if (slot != FlatMap::kNew) {
    last = slot;
    return entries[slot];
  }
  Entry entry;
  entry.level = level;
  entry.slot = static_cast<uint32_t>(entries.size());
  entry.name = name;
  last = entry.slot;
  return entries.emplace_back(entry);
}

void OperatorDetail::AddInner(const EventTree& tree, Row row, uint32_t op,
                              const Visit& visit) {
  const Trace& trace = tree.trace();
  Entry& entry = At(inner_index_, inner_, op, trace.name()[row]);
  if (entry.calls++ == 0 || visit.Before(entry.first)) entry.first = visit;
  entry.cpu.Add(trace.dur_ns()[row]);
  entry.gpu.Add(tree.gpu_ns(row));
}

uint32_t OperatorDetail::FindInner(const EventTree& tree, Row row,
                                   uint32_t op) {
  return At(inner_index_, inner_, op, tree.trace().name()[row]).slot;
}

void OperatorDetail::AddDevice(const EventTree& tree, const DeviceWork& work,
                               uint32_t level, const Visit& visit) {
  const Trace& trace = tree.trace();
  Entry& entry = At(device_index_, device_, level, trace.name()[work.row]);
  if (entry.calls++ == 0 || visit.Before(entry.first)) entry.first = visit;
  entry.gpu.Add(trace.dur_ns()[work.row]);
}

void OperatorDetail::Sort(Entries& entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) {
                     if (a.level != b.level) return a.level < b.level;
                     return a.first.Before(b.first);
                   });
}

void OperatorDetail::Finish() {
  Sort(inner_);
  Sort(device_);
}

std::pair<size_t, size_t> OperatorDetail::Range(const Entries& entries,
                                                uint32_t level) {
  const auto [first, last] = std::equal_range(
      entries.begin(), entries.end(), Entry{level, 0, {}, 0, {}, {}, {}},
      [](const Entry& a, const Entry& b) { return a.level < b.level; });
  return {static_cast<size_t>(first - entries.begin()),
          static_cast<size_t>(last - entries.begin())};
}

std::vector<OperatorInnerRow> OperatorDetail::InnerRows(
    const Trace& trace, uint32_t op, const OperatorRow& row) const {
  std::vector<OperatorInnerRow> rows;
  const auto [first, last] = Range(inner_, op);
  for (size_t i = first; i < last; ++i) {
    const Entry& entry = inner_[i];
    rows.push_back({trace.str(entry.name), entry.calls,
                    TimeColumn::Of(entry.cpu, row.cpu.total_ns),
                    TimeColumn::Of(entry.gpu, row.gpu.total_ns),
                    DeviceRows(trace, kInner | entry.slot,
                               entry.gpu.total_ns)});
  }
  return rows;
}

std::vector<OperatorDeviceRow> OperatorDetail::DeviceRows(
    const Trace& trace, uint32_t level, int64_t whole_ns) const {
  std::vector<OperatorDeviceRow> rows;
  const auto [first, last] = Range(device_, level);
  for (size_t i = first; i < last; ++i) {
    const Entry& entry = device_[i];
    rows.push_back({trace.str(entry.name), entry.calls,
                    TimeColumn::Of(entry.gpu, whole_ns)});
  }
  return rows;
}

}  // namespace stepscope
