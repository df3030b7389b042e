// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/device_copies.h"

#include <stepscope/c.h>

#include <algorithm>

#include "analysis/flat_map.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct CopyStats {
  StringId name;
  uint64_t calls = 0;
  TimeStats cpu;
  TimeStats gpu;
};

// A call that launched copies of a name.
struct CopyCall {
  Row row;
  uint32_t slot;
};

// Calls come by stream, and shares want them by thread: as rows are.
StepShares SharesOf(std::vector<CopyCall>& calls, const EventTree& tree,
                    const StepTable& steps) {
  std::sort(calls.begin(), calls.end(),
            [](const CopyCall& a, const CopyCall& b) { return a.row < b.row; });
  StepShares shares(tree, steps);
  for (const CopyCall& call : calls)
    shares.Add(call.slot, call.row, tree.thread_of(call.row));
  return shares;
}

bool AnyCopies(const EventTree& tree) {
  const std::vector<Track>& tracks = tree.trace().tracks();
  TypeSet types = 0;
  for (uint32_t i = 0; i < tracks.size(); ++i)
    if (tracks[i].kind == TrackKind::kStream) types |= tree.census().types(i);
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
  std::vector<CopyCall> calls;
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
      calls.push_back({work.launch, slot});
    }
  }
  const StepShares shares = SharesOf(calls, tree, steps);
  std::vector<NamedRow> rows;
  for (uint32_t slot = 0; slot < copies.size(); ++slot) {
    const CopyStats& stats = copies[slot];
    const StepShare share = shares.share(slot);
    rows.push_back({.name = trace.str(stats.name),
                    .calls = stats.calls,
                    .cpu = TimeColumn::Of(stats.cpu, share, steps.window_ns()),
                    .gpu = TimeColumn::Of(stats.gpu, steps.all_gpu_ns()),
                    .share = share});
    // Of other ranks there may be a call: none is no call of 0 ns.
    if (sort == SortKey::kVisit) rows.back().cpu.min_ns = stats.cpu.min_ns;
  }
  StableSort(rows.begin(), rows.end(),
             [&](const NamedRow& a, const NamedRow& b) {
               return ComesBefore(a, b, sort);
             });
  return rows;
}

}  // namespace stepscope
