// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/kernel.h"

#include <algorithm>

#include "analysis/kernel_use.h"
#include "analysis/kinds.h"

namespace stepscope {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

struct Kernel {
  StringId name;
  uint64_t calls = 0;
  TimeStats gpu;
  KernelUse use;
  Row longest = kNoRow;
};

class KernelTable {
 public:
  explicit KernelTable(const EventTree& tree)
      : tree_(tree), slot_of_name_(tree.trace().strings().size(), kNone) {}

  void AddAll() {
    const Trace& trace = tree_.trace();
    ForEach([&](Row row) {
      const StringId name = trace.name()[row];
      uint32_t& slot = slot_of_name_[name.v];
      if (slot == kNone) {
        slot = static_cast<uint32_t>(kernels_.size());
        kernels_.push_back({name, 0, {}, {}, row});
      }
      const int64_t dur = trace.dur_ns()[row];
      Kernel& kernel = kernels_[slot];
      ++kernel.calls;
      if (dur > kernel.gpu.max_ns) kernel.longest = row;
      kernel.gpu.Add(dur);
      total_ns_ = SaturatingAdd(total_ns_, dur);
    });
  }

  void AddUse() {
    const Trace& trace = tree_.trace();
    KernelUseReader reader(trace);
    if (!reader.any()) return;
    ForEach([&](Row row) {
      kernels_[slot_of_name_[trace.name()[row].v]].use.Add(
          reader.Read(row), trace.dur_ns()[row]);
    });
  }

  std::vector<Spread> Spreads() {
    const Trace& trace = tree_.trace();
    std::vector<uint64_t> counts;
    for (const Kernel& kernel : kernels_) counts.push_back(kernel.calls);
    GroupedValues values(counts);
    ForEach([&](Row row) {
      values.Add(slot_of_name_[trace.name()[row].v], trace.dur_ns()[row]);
    });
    std::vector<Spread> spreads;
    for (uint32_t i = 0; i < counts.size(); ++i) {
      spreads.push_back(values.SpreadOf(i));
    }
    return spreads;
  }

  const std::vector<Kernel>& kernels() const { return kernels_; }
  int64_t total_ns() const { return total_ns_; }

 private:
  template <typename Visit>
  void ForEach(Visit visit) {
    const auto type = tree_.trace().type();
    for (const DeviceWork& work : tree_.work()) {
      if (type[work.row] == STEPSCOPE_KERNEL) visit(work.row);
    }
  }

  const EventTree& tree_;
  std::vector<uint32_t> slot_of_name_;
  std::vector<Kernel> kernels_;
  int64_t total_ns_ = 0;
};

}  // namespace

std::vector<KernelRow> ComputeKernels(const EventTree& tree,
                                      NameClasses& names,
                                      const KernelOptions& options) {
  KernelTable table(tree);
  table.AddAll();
  table.AddUse();
  std::vector<Spread> spreads;
  if (options.spread) spreads = table.Spreads();
  std::vector<KernelRow> rows;
  rows.reserve(table.kernels().size());
  for (size_t i = 0; i < table.kernels().size(); ++i) {
    const Kernel& kernel = table.kernels()[i];
    KernelRow& row = rows.emplace_back();
    row.name = tree.trace().str(kernel.name);
    row.id = kernel.name;
    row.longest = kernel.longest;
    row.calls = kernel.calls;
    row.gpu = TimeColumn::Of(kernel.gpu, table.total_ns());
    row.matrix = names.matrix_kernel(kernel.name);
    row.tensor_core = names.tensor_core_kernel(kernel.name);
    row.occupancy = kernel.use.occupancy();
    row.unfilled = kernel.use.unfilled();
    if (options.spread) row.spread = std::move(spreads[i]);
  }
  const SortKey sort = std::max(options.sort, SortKey::kGpuTotal);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const KernelRow& a, const KernelRow& b) {
                     return ComesBefore(a, b, sort);
                   });
  return rows;
}

}  // namespace stepscope
