// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/kernel.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/duration_sketch.h"
#include "analysis/kinds.h"
#include "analysis/name_totals.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/common_columns.h"
#include "analysis/tables/counter_columns.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

class KernelTable {
 public:
  explicit KernelTable(const EventTree& tree)
      : tree_(tree), slot_of_name_(tree.trace().strings().size(), kNoTableRow) {
    NameTotals totals(tree.trace());
    ForEachStream([&](const Track& track, bool only_kernels) {
      if (only_kernels)
        totals.Add(track.first, track.last);
      else
        ForEachKernel(track, [&](Row row) { totals.Add(row); });
    });
    for (uint32_t i = 0; i < totals.totals().size(); ++i) {
      if (totals.totals()[i].calls == 0) continue;
      kernels_.push_back({StringId{i}, totals.totals()[i], {}});
      total_ns_ = SaturatingAdd(total_ns_, totals.totals()[i].total_ns);
    }
    std::sort(kernels_.begin(), kernels_.end(),
              [](const Kernel& a, const Kernel& b) {
                return a.sum.first < b.sum.first;
              });
    for (uint32_t i = 0; i < kernels_.size(); ++i)
      slot_of_name_[kernels_[i].name.v] = i;
  }

  void AddUse() {
    KernelUseReader reader(tree_.trace());
    if (!reader.any()) return;
    const auto dur = tree_.trace().dur_ns();
    ForEachKernel([&](Row row) {
      kernels_[SlotOf(row)].use.Add(reader.Read(row), dur[row]);
    });
  }

  std::vector<KernelRow> Rows(NameClasses& names,
                              const KernelOptions& options) {
    std::vector<Spread> spreads(kernels_.size());
    if (options.spread) spreads = Spreads(options.sketch);
    std::vector<KernelRow> rows;
    rows.reserve(kernels_.size());
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const Kernel& kernel = kernels_[i];
      const TimeStats gpu{kernel.sum.total_ns, kernel.sum.max_ns,
                          kernel.sum.min_ns};
      KernelRow& row = rows.emplace_back();
      row.name = tree_.trace().str(kernel.name);
      row.id = kernel.name;
      row.longest = kernel.sum.longest;
      row.calls = kernel.sum.calls;
      row.gpu = TimeColumn::Of(gpu, total_ns_);
      row.matrix = names.matrix_kernel(kernel.name);
      row.tensor_core = names.tensor_core_kernel(kernel.name);
      row.occupancy = kernel.use.occupancy();
      row.unfilled = kernel.use.unfilled();
      row.use = kernel.use;
      row.spread = std::move(spreads[i]);
    }
    return rows;
  }

 private:
  struct Kernel {
    StringId name;
    NameTotal sum;
    KernelUse use;
  };

  // Streams that have kernels; and whether they have anything else.
  template <typename Visit>
  void ForEachStream(Visit visit) const {
    const std::vector<Track>& tracks = tree_.trace().tracks();
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      const TypeSet types = tree_.census().types(i);
      if (tracks[i].kind != TrackKind::kStream) continue;
      if ((types & SetOf(STEPSCOPE_KERNEL)) == 0) continue;
      visit(tracks[i], types == SetOf(STEPSCOPE_KERNEL));
    }
  }
  template <typename Visit>
  void ForEachKernel(const Track& track, Visit visit) const {
    const auto type = tree_.trace().type();
    for (Row row = track.first; row < track.last; ++row)
      if (type[row] == STEPSCOPE_KERNEL) visit(row);
  }
  template <typename Visit>
  void ForEachKernel(Visit visit) const {
    ForEachStream(
        [&](const Track& track, bool) { ForEachKernel(track, visit); });
  }

  uint32_t SlotOf(Row row) const {
    return slot_of_name_[tree_.trace().name()[row].v];
  }

  std::vector<Spread> Spreads(bool sketch) {
    std::vector<uint64_t> counts;
    int64_t largest = 0;
    for (const Kernel& kernel : kernels_) {
      counts.push_back(kernel.sum.calls);
      largest = std::max(largest, kernel.sum.max_ns);
    }
    GroupedValues values(counts, largest);
    const auto dur = tree_.trace().dur_ns();
    ForEachKernel([&](Row row) { values.Add(SlotOf(row), dur[row]); });
    std::vector<Spread> spreads;
    for (uint32_t i = 0; i < counts.size(); ++i) {
      spreads.push_back(values.SpreadOf(i));
      if (!sketch) continue;
      spreads.back().sketch =
          std::make_shared<const DurationSketch>(values.SketchOf(i));
    }
    return spreads;
  }

  const EventTree& tree_;
  std::vector<uint32_t> slot_of_name_;
  std::vector<Kernel> kernels_;  // as they were met first
  int64_t total_ns_ = 0;
};

}  // namespace

std::vector<KernelRow> ComputeKernels(const EventTree& tree, NameClasses& names,
                                      const KernelOptions& options) {
  KernelTable table(tree);
  table.AddUse();
  std::vector<KernelRow> rows = table.Rows(names, options);
  const SortKey sort = std::max(options.sort, SortKey::kGpuTotal);
  StableSort(rows.begin(), rows.end(),
             [&](const KernelRow& a, const KernelRow& b) {
               return ComesBefore(a, b, sort);
             });
  return rows;
}

TableSchema DeclareKernelTable() {
  ColumnsOf<KernelRow> columns;
  columns.Text("name", "whole name of the kernel", &KernelRow::name);
  columns.Count("calls", "how often it ran", &KernelRow::calls);
  AddTimes(
      columns, "gpu", {"time of the calls", "all kernels"},
      [](const KernelRow& row) { return row.gpu; },
      [](const KernelRow& row) { return row.calls; });
  AddSpread(columns, "gpu",
            [](const KernelRow& row) -> const Spread& { return row.spread; });
  columns
      .Bool("tensor_core_estimated",
            "whether it uses tensor cores, concluded from its name",
            &KernelRow::tensor_core)
      .As("Tensor cores");
  columns.Ratio("occupancy",
                "mean share of the warps that a multiprocessor can hold",
                &KernelRow::occupancy);
  columns
      .Ratio("unfilled", "mean share of the multiprocessors that had no block",
             &KernelRow::unfilled)
      .As("SMs without a block");
  AddCounters(columns, [](const KernelRow& row) { return row.measured; });
  return {.key = "kernel",
          .paddle_name = "KernelView",
          .title = "Kernel",
          .meaning = "which kernels?",
          .view = kKernelView,
          .json_views = kKernelView | kPercentileView,
          .ranked = true,
          .columns = columns.Take(),
          .rows = [](const Summary& s) { return RowList::Of(s.kernel); },
          .nothing = [](const Summary& s) { return s.kernel.empty(); }};
}

}  // namespace stepscope
