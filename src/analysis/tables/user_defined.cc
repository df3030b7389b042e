// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/user_defined.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/duration_sketch.h"
#include "analysis/kinds.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/device_copies.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

NamedRow MakeNamedRow(std::string_view name, const StepTable& steps,
                      const NameStats& stats, const StepShare& share) {
  return {name,
          stats.calls,
          TimeColumn::Of(stats.cpu, share, steps.window_ns()),
          TimeColumn::Of(stats.gpu, steps.all_gpu_ns()),
          stats.nested_calls,
          stats.self_cpu_ns,
          share};
}

void MergeStats(const TimeStats& from, TimeStats& to) {
  to.total_ns = SaturatingAdd(to.total_ns, from.total_ns);
  to.max_ns = std::max(to.max_ns, from.max_ns);
  to.min_ns = std::min(to.min_ns, from.min_ns);
}

// "request 17" as "request #".
std::string WithoutDigits(std::string_view name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool again = i > 0 && IsDigit(name[i]) && IsDigit(name[i - 1]);
    if (!again) text += IsDigit(name[i]) ? '#' : name[i];
  }
  return text;
}

// The events of one row: those of a name, or of several that are one.
struct RangeSum {
  std::string_view name;
  NameStats stats;
  uint32_t kind = 0;            // of its share
  std::vector<int64_t> cpu_ns;  // of the calls, for their spread
  std::vector<int64_t> gpu_ns;
};

class RangeTable {
 public:
  RangeTable(const EventTree& tree, const StepTable& steps,
             const UserDefinedOptions& options)
      : tree_(tree),
        steps_(steps),
        options_(options),
        events_(tree, options.per_thread),
        shares_(tree, steps) {}

  void Add(Row row, uint32_t thread, const Interval& span) {
    const uint32_t slot = events_.Add(row, thread, span, tree_.self_ns(row));
    shares_.Add(KindOf(slot & ~ByName::kNested), row, thread);
    if (!options_.spread || (slot & ByName::kNested) != 0) return;
    if (slot >= values_.size()) values_.resize(slot + 1);
    values_[slot].first.push_back(tree_.trace().dur_ns()[row]);
    if (!tree_.work().empty())
      values_[slot].second.push_back(tree_.gpu_ns(row));
  }

  void Add(const ReplayedCall& call) {
    const uint32_t slot = events_.Add(call);
    if (!options_.spread || call.nested) return;
    if (slot >= values_.size()) values_.resize(slot + 1);
    values_[slot].first.push_back(0);
    values_[slot].second.push_back(call.gpu_ns);
  }

  std::vector<ThreadRows> Finish(std::deque<std::string>& names) {
    std::vector<ThreadRows> groups;
    std::vector<RangeSum> sums;
    uint32_t group = kNoThread;
    const auto finish = [&] {
      if (!sums.empty()) groups.back().rows = MakeRows(sums);
      sums.clear();
      index_.clear();
    };
    for (const uint32_t slot : events_.Order()) {
      const NameStats& stats = events_.stats()[slot];
      if (stats.group != group) {
        finish();
        group = stats.group;
        const Thread& thread = tree_.threads()[group];
        groups.push_back(
            {thread.id, tree_.trace().str(thread.name), thread.process, {}});
      }
      Merge(slot, names, sums);
    }
    finish();
    return groups;
  }

 private:
  // Names that are one row have one share.
  uint32_t KindOf(uint32_t slot) {
    if (!options_.group_digits) return slot;
    if (slot >= kind_.size()) kind_.resize(slot + 1, kNoTableRow);
    if (kind_[slot] != kNoTableRow) return kind_[slot];
    const NameStats& stats = events_.stats()[slot];
    const auto next = static_cast<uint32_t>(kinds_.size());
    const std::string name = WithoutDigits(tree_.trace().str(stats.name)) +
                             '\0' + std::to_string(stats.group);
    return kind_[slot] = kinds_.try_emplace(name, next).first->second;
  }

  void Merge(uint32_t slot, std::deque<std::string>& names,
             std::vector<RangeSum>& sums) {
    const NameStats& stats = events_.stats()[slot];
    std::string_view name = tree_.trace().str(stats.name);
    if (options_.group_digits) name = names.emplace_back(WithoutDigits(name));
    const auto [known, is_new] = index_.try_emplace(name, sums.size());
    if (is_new) {
      sums.push_back({name, stats, KindOf(slot), {}, {}});
    } else {
      NameStats& sum = sums[known->second].stats;
      sum.calls += stats.calls;
      sum.nested_calls += stats.nested_calls;
      sum.self_cpu_ns = SaturatingAdd(sum.self_cpu_ns, stats.self_cpu_ns);
      MergeStats(stats.cpu, sum.cpu);
      MergeStats(stats.gpu, sum.gpu);
      if (options_.group_digits) names.pop_back();
    }
    if (slot >= values_.size()) return;
    RangeSum& sum = sums[known->second];
    auto& [cpu, gpu] = values_[slot];
    sum.cpu_ns.insert(sum.cpu_ns.end(), cpu.begin(), cpu.end());
    sum.gpu_ns.insert(sum.gpu_ns.end(), gpu.begin(), gpu.end());
  }

  std::vector<RangeRow> MakeRows(std::vector<RangeSum>& sums) const {
    std::vector<RangeRow> rows;
    for (RangeSum& sum : sums) {
      rows.push_back(
          {MakeNamedRow(sum.name, steps_, sum.stats, shares_.share(sum.kind)),
           SpreadOf(sum.cpu_ns), SpreadOf(sum.gpu_ns)});
    }
    StableSort(rows.begin(), rows.end(),
               [&](const RangeRow& a, const RangeRow& b) {
                 return ComesBefore(a, b, options_.sort);
               });
    return rows;
  }

  Spread SpreadOf(std::vector<int64_t>& values) const {
    Spread spread = ComputeSpread(values);
    if (options_.sketch && !values.empty()) {
      spread.sketch = std::make_shared<const DurationSketch>(
          DurationSketch::Of(std::span<const int64_t>(values)));
    }
    return spread;
  }

  const EventTree& tree_;
  const StepTable& steps_;
  const UserDefinedOptions& options_;
  ByName events_;
  StepShares shares_;
  std::vector<uint32_t> kind_;  // by slot, where names are grouped
  std::unordered_map<std::string, uint32_t> kinds_;
  // By slot: times of the calls on the host, and of what they launched.
  std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> values_;
  std::unordered_map<std::string_view, size_t> index_;  // of a group
};

}  // namespace

UserDefined ComputeUserDefined(const EventTree& tree, const StepTable& steps,
                               NameClasses& names,
                               const UserDefinedOptions& options) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  RangeTable events(tree, steps, options);
  ByName memory(tree, false);
  StepShares shares(tree, steps);
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    if (!tree.Has(i, kUserDefinedTypes)) continue;
    tree.ForEachNested(i, [&](Row row, const Interval& span) {
      if (!IsUserDefined(type[row])) return;
      if (names.memory_manipulation(trace.name()[row])) {
        const uint32_t slot = memory.Add(row, i, span, tree.self_ns(row));
        shares.Add(slot & ~ByName::kNested, row, i);
      } else {
        events.Add(row, i, span);
      }
    });
  }
  for (const ReplayedCall& call : FindReplayedCalls(tree))
    if (IsUserDefined(call.type) && !names.memory_manipulation(call.name))
      events.Add(call);
  UserDefined result;
  for (const uint32_t slot : memory.Order()) {
    const NameStats& stats = memory.stats()[slot];
    result.memory_manipulation.push_back(
        MakeNamedRow(trace.str(stats.name), steps, stats, shares.share(slot)));
  }
  if (result.memory_manipulation.empty()) {
    result.of_device = true;
    result.memory_manipulation = ComputeDeviceCopies(
        tree, steps,
        options.sort == SortKey::kVisit ? options.sort : SortKey::kGpuTotal);
  }
  auto group_names = std::make_shared<std::deque<std::string>>();
  result.events = events.Finish(*group_names);
  result.group_names = std::move(group_names);
  return result;
}

}  // namespace stepscope
