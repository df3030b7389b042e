// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/device_copies.h"

#include <stepscope/c.h>

#include <algorithm>

#include "analysis/flat_map.h"

namespace stepscope {
namespace {

struct CopyStats {
  StringId name;
  uint64_t calls = 0;
  TimeStats cpu;
  TimeStats gpu;
};

bool AnyCopies(const EventTree& tree) {
  const std::vector<Track>& tracks = tree.trace().tracks();
  TypeSet types = 0;
  for (uint32_t i = 0; i < tracks.size(); ++i) {
    if (tracks[i].kind == TrackKind::kStream) types |= tree.census().types(i);
  }
  return (types & (SetOf(STEPSCOPE_MEMCPY) | SetOf(STEPSCOPE_MEMSET))) != 0;
}

}  // namespace

std::vector<NamedRow> ComputeDeviceCopies(const EventTree& tree,
                                          const StepTable& steps,
                                          SortKey sort) {
  const Trace& trace = tree.trace();
  std::vector<CopyStats> copies;
  if (!AnyCopies(tree)) return {};
  FlatMap slots;
  FlatMap launches;  // a call that launched several counts once
  for (const DeviceWork& work : tree.work()) {
    const uint16_t type = trace.type()[work.row];
    if (type != STEPSCOPE_MEMCPY && type != STEPSCOPE_MEMSET) continue;
    const StringId name = trace.name()[work.row];
    uint32_t slot = slots.Insert(name.v);
    if (slot == FlatMap::kNew) {
      slot = static_cast<uint32_t>(copies.size());
      copies.push_back({name, 0, {}, {}});
    }
    CopyStats& stats = copies[slot];
    ++stats.calls;
    stats.gpu.Add(trace.dur_ns()[work.row]);
    if (work.launch != kNoRow &&
        launches.Insert(work.launch) == FlatMap::kNew) {
      stats.cpu.Add(trace.dur_ns()[work.launch]);
    }
  }
  std::vector<NamedRow> rows;
  for (const CopyStats& stats : copies) {
    rows.push_back({trace.str(stats.name), stats.calls,
                    TimeColumn::Of(stats.cpu, steps.total_ns()),
                    TimeColumn::Of(stats.gpu, steps.gpu_ns())});
    // Of other ranks there may be a call: none is no call of 0 ns.
    if (sort == SortKey::kVisit) rows.back().cpu.min_ns = stats.cpu.min_ns;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const NamedRow& a, const NamedRow& b) {
                     return ComesBefore(a, b, sort);
                   });
  return rows;
}

}  // namespace stepscope
