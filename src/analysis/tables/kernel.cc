// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/kernel.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {

std::vector<NamedRow> ComputeKernels(const EventTree& tree, SortKey sort) {
  const Trace& trace = tree.trace();
  struct Kernel {
    StringId name;
    uint64_t calls = 0;
    TimeStats gpu;
  };
  constexpr uint32_t kNone = 0xffffffffu;
  std::vector<uint32_t> slot_of_name(trace.strings().size(), kNone);
  std::vector<Kernel> kernels;
  int64_t total = 0;
  for (const DeviceWork& work : tree.work()) {
    if (trace.type()[work.row] != STEPSCOPE_KERNEL) continue;
    const StringId name = trace.name()[work.row];
    uint32_t& slot = slot_of_name[name.v];
    if (slot == kNone) {
      slot = static_cast<uint32_t>(kernels.size());
      kernels.push_back({name, 0, {}});
    }
    const int64_t dur = trace.dur_ns()[work.row];
    ++kernels[slot].calls;
    kernels[slot].gpu.Add(dur);
    total = SaturatingAdd(total, dur);
  }
  std::vector<NamedRow> rows;
  rows.reserve(kernels.size());
  for (const Kernel& kernel : kernels) {
    rows.push_back({trace.str(kernel.name), kernel.calls, {},
                    TimeColumn::Of(kernel.gpu, total)});
  }
  if (sort < SortKey::kGpuTotal) sort = SortKey::kGpuTotal;
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const NamedRow& a, const NamedRow& b) {
                     return ComesBefore(a, b, sort);
                   });
  return rows;
}

}  // namespace stepscope
