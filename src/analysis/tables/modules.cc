// SPDX-License-Identifier: Apache-2.0
//
// Modules table: calls of nn.Module by instance, with the work on devices that
// they launch, in the forward pass and by their gradients.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/counters/measured_groups.h"
#include "analysis/gradients.h"
#include "analysis/module_names.h"
#include "analysis/replayed_calls.h"
#include "analysis/schema.h"
#include "analysis/summary.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/counter_columns.h"
#include "analysis/tables/self_times.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct ModuleRow {
  std::string_view name;
  std::string_view parent;  // empty: outermost
  uint64_t calls = 0;       // not inside another call of the same module
  uint64_t nested_calls = 0;
  TimeColumn cpu;
  TimeColumn gpu;
  int64_t self_cpu_ns = 0;  // less the modules inside
  int64_t self_gpu_ns = 0;  // launched in it, and in no module inside
  int64_t backward_gpu_ns = 0;
  const MeasuredWork* measured = nullptr;  // of Summary::measured
};

class ModuleTable {
 public:
  // `measured` may be null.
  ModuleTable(const EventTree& tree, const StepTable& steps,
              const ModuleNames& modules, const MeasuredGroups* measured)
      : tree_(tree),
        steps_(steps),
        modules_(modules),
        measured_(measured),
        by_name_(tree, /*per_thread=*/false),
        shares_(tree, steps) {}

  std::vector<ModuleRow> Compute() {
    for (uint32_t i = 0; i < tree_.threads().size(); ++i)
      if (tree_.Has(i, SetOf(STEPSCOPE_PYTHON_FUNCTION))) AddThread(i);
    for (const ReplayedCall& call : FindReplayedCalls(tree_))
      if (modules_.Has(call.name, call.type)) by_name_.Add(call);
    sums_.resize(by_name_.stats().size());
    self_ns_.resize(sums_.size(), 0);
    AddWork();
    AddGradients();
    std::vector<ModuleRow> rows;
    for (const uint32_t slot : by_name_.Order()) rows.push_back(MakeRow(slot));
    StableSort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      const int64_t x = SaturatingAdd(a.gpu.total_ns, a.backward_gpu_ns);
      const int64_t y = SaturatingAdd(b.gpu.total_ns, b.backward_gpu_ns);
      return x != y ? x > y : a.cpu.total_ns > b.cpu.total_ns;
    });
    return rows;
  }

 private:
  struct Sums {
    Row parent = kNoRow;  // around the first call
    int64_t self_gpu_ns = 0;
    int64_t backward_gpu_ns = 0;
    Row last_gradient = kNoRow;
  };

  void AddThread(uint32_t thread) {
    const Trace& trace = tree_.trace();
    SelfTimes self(self_ns_);
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      if (!modules_.Has(row)) return;
      const uint32_t slot = by_name_.Add(row, thread, span) & ~ByName::kNested;
      shares_.Add(slot, row, thread);
      self.Add(slot, {trace.start_ns()[row], tree_.end_ns(row)}, span);
      if (slot < sums_.size()) return;
      sums_.resize(slot + 1);
      sums_[slot].parent = modules_.Around(tree_.parent(row));
    });
  }

  void AddWork() {
    for (const DeviceWork& work : tree_.work()) {
      const int64_t dur = tree_.trace().dur_ns()[work.row];
      whole_gpu_ns_ = SaturatingAdd(whole_gpu_ns_, dur);
      const uint32_t slot = SlotOf(work);
      if (slot == kNoTableRow) continue;
      int64_t& self = sums_[slot].self_gpu_ns;
      self = SaturatingAdd(self, dur);
    }
  }

  // Of the innermost module that launched it.
  uint32_t SlotOf(const DeviceWork& work) {
    if (work.launch == kNoRow) return kNoTableRow;
    const uint32_t thread = tree_.thread_of(work.launch);
    for (const CapturedIn& event : tree_.captured_in(work))
      if (modules_.Has(event.name, event.type))
        return by_name_.Find(
            ReplayedCall{event.name, event.type, false, false, work.launch, 0});
    const Row module = modules_.Around(work.owner);
    return module == kNoRow ? kNoTableRow : by_name_.Find(module, thread);
  }

  // Work that gradients launch belongs to the modules around what they are the
  // gradients of, on whichever thread.
  void AddGradients() {
    const AutogradNames autograd(tree_);
    if (!autograd.any()) return;
    const auto add = [&](Row forward, Row backward) {
      for (Row row = modules_.Around(forward); row != kNoRow;
           row = modules_.Around(tree_.parent(row))) {
        Sums& sums = sums_[by_name_.Find(row, tree_.thread_of(row))];
        // Once where a module is inside itself.
        if (std::exchange(sums.last_gradient, backward) == backward) continue;
        sums.backward_gpu_ns =
            SaturatingAdd(sums.backward_gpu_ns, tree_.gpu_ns(backward));
      }
    };
    const Trace& trace = tree_.trace();
    for (uint32_t process = 0; process < trace.processes().size(); ++process)
      ForEachGradient(
          tree_, autograd, process, [](Row) { return true; }, add);
  }

  ModuleRow MakeRow(uint32_t slot) {
    const Trace& trace = tree_.trace();
    const NameStats& stats = by_name_.stats()[slot];
    const Sums& sums = sums_[slot];
    ModuleRow row;
    row.name = ModuleIn(trace.str(stats.name));
    if (sums.parent != kNoRow)
      row.parent = ModuleIn(trace.str(trace.name()[sums.parent]));
    row.calls = stats.calls;
    row.nested_calls = stats.nested_calls;
    row.cpu =
        TimeColumn::Of(stats.cpu, shares_.share(slot), steps_.window_ns());
    row.gpu = TimeColumn::Of(stats.gpu, whole_gpu_ns_);
    row.self_cpu_ns = self_ns_[slot];
    row.self_gpu_ns = sums.self_gpu_ns;
    row.backward_gpu_ns = sums.backward_gpu_ns;
    if (measured_ != nullptr)
      row.measured =
          measured_->Find(MeasuredGroups::Level::kModule, stats.name);
    return row;
  }

  const EventTree& tree_;
  const StepTable& steps_;
  const ModuleNames& modules_;
  const MeasuredGroups* const measured_;
  ByName by_name_;
  StepShares shares_;
  std::vector<int64_t> self_ns_;  // by slot
  std::vector<Sums> sums_;        // by slot
  int64_t whole_gpu_ns_ = 0;
};

RowList ModuleRows(const Summary& summary) {
  const EventTree tree(*summary.trace);
  const ModuleNames modules(tree);
  if (!modules.any()) return {};
  const StepTable steps(tree);
  return RowList::Own(
      ModuleTable(tree, steps, modules, summary.measured.get()).Compute());
}

}  // namespace

TableSchema DeclareModulesTable() {
  ColumnsOf<ModuleRow> columns;
  // Few columns, so that host and device are seen beside each other.
  const auto add = [&](const std::string& side, const std::string& what,
                       const char* whole, TimeColumn ModuleRow::*time) {
    columns.Time(side + ".total_ns", Adds::kSum, what + ", together",
                 [=](const ModuleRow& row) { return (row.*time).total_ns; });
    columns.Time(side + ".avg_ns", what + ", on average",
                 [=](const ModuleRow& row) {
                   return AverageNs((row.*time).total_ns, row.calls);
                 });
    columns.Ratio(side + ".ratio", std::string("total as a share of ") + whole,
                  [=](const ModuleRow& row) { return (row.*time).ratio; });
  };
  columns.Text("name", "class of the module, and which of that class",
               &ModuleRow::name);
  columns.Count("calls", "calls of the module, outermost ones",
                &ModuleRow::calls);
  columns.Count("nested_calls",
                "calls inside one of the same module, which are part of it",
                &ModuleRow::nested_calls);
  add("gpu", "device work launched in the calls", "all device work",
      &ModuleRow::gpu);
  columns.Time("self_gpu_ns", Adds::kSum,
               "device work launched in the calls, but in no module inside",
               &ModuleRow::self_gpu_ns);
  columns.Time("backward_gpu_ns", Adds::kSum,
               "device work of the gradients of its operators, which autograd "
               "launches later",
               &ModuleRow::backward_gpu_ns);
  add("cpu", "time of the calls",
      "the steps of its threads, as far as it lies in them", &ModuleRow::cpu);
  columns.Time("self_cpu_ns", Adds::kSum,
               "time of all calls without that of the modules inside",
               &ModuleRow::self_cpu_ns);
  columns.Text("parent", "the module around the first call",
               [](const ModuleRow& row) { return TextOrNone(row.parent); });
  AddCounters(columns, [](const ModuleRow& row) { return row.measured; });
  return {.key = "modules",
          .title = "Modules",
          .meaning =
              "which modules of the model take the time, on the host "
              "and on the device?",
          .ranked = true,
          .columns = columns.Take(),
          .rows = ModuleRows};
}

}  // namespace stepscope
