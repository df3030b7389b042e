// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/operator.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "analysis/duration_sketch.h"
#include "analysis/kinds.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/operator_detail.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

struct Totals {
  int64_t cpu_ns = 0;
  int64_t gpu_ns = 0;
};

OperatorRow NoLaunchRow(const EventTree& tree, bool detail) {
  const Trace& trace = tree.trace();
  OperatorRow row;
  row.name = kNoLaunchName;
  row.no_launch = true;
  TimeStats gpu;
  OperatorDetail kernels;
  for (const DeviceWork& work : tree.work()) {
    if (work.launch != kNoRow) continue;
    ++row.calls;
    gpu.Add(trace.dur_ns()[work.row]);
    if (detail) kernels.AddDevice(tree, work, 0, {0, work.row, 0});
  }
  row.gpu = TimeColumn::Of(gpu, gpu.total_ns);
  row.self_gpu_ns = gpu.total_ns;
  if (detail) row.device = kernels.DeviceRows(trace, 0, gpu.total_ns);
  return row;
}

class OperatorTable {
 public:
  OperatorTable(const EventTree& tree, const OperatorOptions& options)
      : tree_(tree),
        options_(options),
        has_work_(!tree.work().empty()),
        operators_(tree, options.per_thread),
        totals_(options.per_thread ? tree.threads().size() : 1) {}

  std::vector<OperatorGroup> Compute() {
    // Without them nothing can be told; memory was refused.
    if (!nested_.Resize((tree_.trace().size() + 63) / 64)) return {};
    if (has_work_ && !level_.Resize(tree_.trace().size())) return {};
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) AddThread(i);
    AddReplayed();
    AddWork();
    level_ = {};
    if (options_.spread) ComputeSpreads();
    return MakeGroups();
  }

 private:
  // An event that goes on.
  struct Open {
    Row row = kNoRow;
    uint32_t level = kNoLevel;
    int64_t end = 0;  // of its span
  };

  void AddThread(uint32_t thread) {
    const auto type = tree_.trace().type();
    Totals& totals = totals_[options_.per_thread ? thread : 0];
    const bool lanes = tree_.threads()[thread].has_lanes();
    OpenSpan outermost;
    open_.clear();
    tree_.ForEachNested(thread, [&](Row row, const Interval& span) {
      while (!open_.empty() && open_.back().end <= span.begin) open_.pop_back();
      const uint32_t level = type[row] == STEPSCOPE_OPERATOR
                                 ? AddOperator(row, thread, span)
                                 : AddInner(row, thread, span);
      AddSelf(row, level, lanes);
      if (type[row] == STEPSCOPE_OPERATOR &&
          outermost.Enter(span.begin, span.end)) {
        totals.cpu_ns =
            SaturatingAdd(totals.cpu_ns, tree_.trace().dur_ns()[row]);
        totals.gpu_ns = SaturatingAdd(totals.gpu_ns, tree_.gpu_ns(row));
      }
      if (has_work_) level_[row] = level;
      open_.push_back({row, level, span.end});
    });
  }

  void AddReplayed() {
    replayed_ = FindReplayedCalls(tree_);
    std::erase_if(replayed_, [](const ReplayedCall& call) {
      return call.type != STEPSCOPE_OPERATOR;
    });
    for (const ReplayedCall& call : replayed_) {
      operators_.Add(call);
      if (!call.outermost_operator) continue;
      const uint32_t thread = tree_.thread_of(call.launch);
      int64_t& sum = totals_[options_.per_thread ? thread : 0].gpu_ns;
      sum = SaturatingAdd(sum, call.gpu_ns);
    }
    self_ns_.resize(operators_.stats().size());
  }

  uint32_t AddOperator(Row row, uint32_t thread, const Interval& span) {
    const uint32_t level = operators_.Add(row, thread, span);
    const uint32_t slot = SlotOf(level);
    if (slot >= self_ns_.size()) self_ns_.resize(slot + 1);
    if (IsNested(level)) nested_[row / 64] |= uint64_t{1} << (row % 64);
    return level;
  }

  // Its level, if it is right inside an operator.
  uint32_t AddInner(Row row, uint32_t thread, const Interval& span) {
    const auto type = tree_.trace().type();
    if (!options_.detail || IsApiCall(type[row]) || IsPythonFunction(row))
      return kNoLevel;
    const Row parent = WithoutFunctions(tree_.parent(row));
    if (parent == kNoRow || type[parent] != STEPSCOPE_OPERATOR) return kNoLevel;
    size_t at = open_.size();
    while (at > 0 && open_[at - 1].row != parent) --at;
    if (at == 0) return kNoLevel;  // never: it goes on
    return detail_.AddInner(tree_, row, span, SlotOf(open_[at - 1].level),
                            {thread, row, tree_.end_ns(parent)});
  }

  // Self time is what is left of an operator without the events right inside,
  // of any kind: they take theirs away when they come. With lanes these may
  // overlap, and the tree knows.
  void AddSelf(Row row, uint32_t level, bool lanes) {
    const bool is_operator = tree_.trace().type()[row] == STEPSCOPE_OPERATOR;
    if (lanes) {
      if (is_operator) self_ns_[SlotOf(level)] += tree_.self_ns(row);
      return;
    }
    const int64_t dur = tree_.trace().dur_ns()[row];
    if (is_operator) self_ns_[SlotOf(level)] += dur;
    if (open_.empty()) return;
    const Open& around = open_.back();
    if (tree_.trace().type()[around.row] != STEPSCOPE_OPERATOR) return;
    self_ns_[SlotOf(around.level)] -= dur;
  }

  bool IsPythonFunction(Row row) const {
    return tree_.trace().type()[row] == STEPSCOPE_PYTHON_FUNCTION;
  }
  // What an operator calls through Python is a part of the operator; the
  // functions in between have a table of their own.
  Row WithoutFunctions(Row row) const {
    while (row != kNoRow && IsPythonFunction(row)) row = tree_.parent(row);
    return row;
  }

  void AddWork() {
    const auto dur = tree_.trace().dur_ns();
    for (const DeviceWork& work : tree_.work()) {
      const uint32_t captured = operators_.FindCaptured(work);
      if (captured != ByName::kNested) {
        AddCaptured(work, captured);
        continue;
      }
      const Row owner = WithoutFunctions(work.owner);
      if (owner == kNoRow) continue;
      uint32_t level = level_[owner];
      if (level == kNoLevel) continue;
      const bool of_inner = (level & OperatorDetail::kInner) != 0;
      if (!of_inner) level = SlotOf(level);
      if (!of_inner) {
        int64_t& self = operators_.stats()[level].self_gpu_ns;
        self = SaturatingAdd(self, dur[work.row]);
      }
      if (!options_.detail) continue;
      const Row op = of_inner ? WithoutFunctions(tree_.parent(owner)) : owner;
      detail_.AddDevice(tree_, work, level,
                        {tree_.thread_of(op), work.launch, tree_.end_ns(op)});
    }
  }

  void AddCaptured(const DeviceWork& work, uint32_t slot) {
    int64_t& self = operators_.stats()[slot].self_gpu_ns;
    self = SaturatingAdd(self, tree_.trace().dur_ns()[work.row]);
    if (!options_.detail) return;
    detail_.AddDevice(
        tree_, work, slot,
        {tree_.thread_of(work.launch), work.launch, tree_.end_ns(work.launch)});
  }

  // A second pass, now that it is known how many calls each name has. Names
  // whose calls all took the same time (no device time at all, as a rule)
  // need not be looked at one by one.
  void ComputeSpreads() {
    GroupedValues cpu = ValuesOf(&NameStats::cpu);
    GroupedValues gpu = ValuesOf(&NameStats::gpu);
    const auto type = tree_.trace().type();
    const auto dur = tree_.trace().dur_ns();
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
      const Thread& thread = tree_.threads()[i];
      for (uint32_t t = thread.first_track; t < thread.last_track; ++t) {
        const Track& track = tree_.trace().tracks()[t];
        for (Row row = track.first; row < track.last; ++row) {
          const bool nested = (nested_[row / 64] >> (row % 64) & 1) != 0;
          if (type[row] != STEPSCOPE_OPERATOR || nested) continue;
          const uint32_t slot = operators_.Find(row, i);
          cpu.Add(slot, dur[row]);
          if (has_work_) gpu.Add(slot, tree_.gpu_ns(row));
        }
      }
    }
    for (const ReplayedCall& call : replayed_) {
      if (call.nested) continue;
      cpu.Add(operators_.Find(call), 0);
      gpu.Add(operators_.Find(call), call.gpu_ns);
    }
    spreads_[0] = SpreadsOf(&NameStats::cpu, cpu);
    if (has_work_) spreads_[1] = SpreadsOf(&NameStats::gpu, gpu);
  }

  // Room for the values of each name.
  GroupedValues ValuesOf(TimeStats NameStats::*column) {
    std::vector<uint64_t> counts;
    int64_t largest = 0;
    for (const NameStats& stats : operators_.stats()) {
      const TimeStats& time = stats.*column;
      counts.push_back(time.min_ns >= time.max_ns ? 0 : stats.calls);
      largest = std::max(largest, time.max_ns);
    }
    return GroupedValues(counts, largest);
  }

  std::vector<Spread> SpreadsOf(TimeStats NameStats::*column,
                                GroupedValues& values) {
    std::vector<Spread> spreads;
    for (uint32_t i = 0; i < operators_.stats().size(); ++i) {
      const NameStats& stats = operators_.stats()[i];
      const TimeStats& time = stats.*column;
      const bool equal = time.min_ns == time.max_ns;
      spreads.push_back(equal ? SpreadOfEqual(time.max_ns, stats.calls)
                              : values.SpreadOf(i));
      if (!options_.sketch) continue;
      spreads.back().sketch = std::make_shared<const DurationSketch>(
          equal ? DurationSketch::OfEqual(time.max_ns, stats.calls)
                : values.SketchOf(i));
    }
    return spreads;
  }

  OperatorRow MakeRow(uint32_t slot, const Totals& totals) {
    const NameStats& stats = operators_.stats()[slot];
    OperatorRow row;
    row.name = tree_.trace().str(stats.name);
    row.id = stats.name;
    row.calls = stats.calls;
    row.nested_calls = stats.nested_calls;
    row.cpu = TimeColumn::Of(stats.cpu, totals.cpu_ns);
    row.gpu = TimeColumn::Of(stats.gpu, totals.gpu_ns);
    row.self_cpu_ns = static_cast<int64_t>(
        std::clamp<Wide>(self_ns_[slot], INT64_MIN, INT64_MAX));
    row.self_gpu_ns = stats.self_gpu_ns;
    if (!spreads_[0].empty()) row.cpu_spread = std::move(spreads_[0][slot]);
    if (!spreads_[1].empty()) row.gpu_spread = std::move(spreads_[1][slot]);
    if (options_.detail) {
      row.inner = detail_.InnerRows(tree_.trace(), slot, row);
      row.device = detail_.DeviceRows(tree_.trace(), slot, row.gpu.total_ns);
    }
    return row;
  }

  std::vector<OperatorGroup> MakeGroups() {
    std::vector<OperatorGroup> groups;
    OperatorRow lost;
    const std::vector<Totals> outermost = totals_;
    if (tree_.orphans() > 0) {
      lost = NoLaunchRow(tree_, options_.detail);
      // It stands beside the outermost operators.
      if (!options_.per_thread) {
        totals_[0].gpu_ns = SaturatingAdd(totals_[0].gpu_ns, lost.gpu.total_ns);
        lost.gpu.ratio = Ratio(lost.gpu.total_ns, totals_[0].gpu_ns);
      }
    }
    detail_.Finish();
    // Calls of one name that overlap on a thread may add up to more than the
    // operators around them: then they are the whole.
    for (const NameStats& stats : operators_.stats()) {
      int64_t& whole = totals_[stats.group].cpu_ns;
      whole = std::max(whole, stats.cpu.total_ns);
    }
    uint32_t group = kNoThread;
    for (const uint32_t slot : operators_.Order()) {
      const NameStats& stats = operators_.stats()[slot];
      if (stats.group != group) {
        group = stats.group;
        const Thread& thread = tree_.threads()[group];
        groups.push_back({thread.id,
                          tree_.trace().str(thread.name),
                          thread.process,
                          false,
                          {},
                          outermost[group].cpu_ns,
                          outermost[group].gpu_ns});
      }
      groups.back().rows.push_back(MakeRow(slot, totals_[group]));
    }
    if (tree_.orphans() > 0) {
      if (groups.empty() || options_.per_thread)
        groups.push_back({.unknown_thread = options_.per_thread});
      groups.back().rows.push_back(std::move(lost));
    }
    for (OperatorGroup& sorted : groups) {
      StableSort(sorted.rows.begin(), sorted.rows.end(),
                 [&](const OperatorRow& a, const OperatorRow& b) {
                   return ComesBefore(a, b, options_.sort);
                 });
    }
    return groups;
  }

  static constexpr uint32_t kNoLevel = 0xffffffffu;
  // Of an operator's level.
  static uint32_t SlotOf(uint32_t level) { return level & ~ByName::kNested; }
  static bool IsNested(uint32_t level) {
    return (level & ByName::kNested) != 0;
  }

  // A sum that is above what it comes to, on the way.
  __extension__ using Wide = __int128;

  const EventTree& tree_;
  const OperatorOptions& options_;
  const bool has_work_;
  // Of host events: what ByName gave for an operator, or an inner event's
  // level. Only where there is device work, which asks for that of its owner.
  Column<uint32_t> level_;
  Column<uint64_t> nested_;    // bit by row: an operator inside one of its name
  std::vector<Open> open_;     // of the thread at hand, outermost first
  std::vector<Wide> self_ns_;  // by slot
  ByName operators_;
  std::vector<ReplayedCall> replayed_;  // of operators
  OperatorDetail detail_;
  std::vector<Totals> totals_;  // of outermost operators, by group
  std::array<std::vector<Spread>, 2> spreads_;  // CPU and GPU, by slot
};

}  // namespace

std::vector<OperatorGroup> ComputeOperators(const EventTree& tree,
                                            const OperatorOptions& options) {
  return OperatorTable(tree, options).Compute();
}

}  // namespace stepscope
