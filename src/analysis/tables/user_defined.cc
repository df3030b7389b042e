// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/user_defined.h"

#include <algorithm>

#include "analysis/kinds.h"
#include "analysis/tables/by_name.h"
#include "analysis/tables/device_copies.h"

namespace stepscope {
namespace {

NamedRow MakeNamedRow(const Trace& trace, const StepTable& steps,
                      const NameStats& stats) {
  return {trace.str(stats.name), stats.calls,
          TimeColumn::Of(stats.cpu, steps.total_ns()),
          TimeColumn::Of(stats.gpu, steps.gpu_ns()), stats.nested_calls};
}

}  // namespace

UserDefined ComputeUserDefined(const EventTree& tree, const StepTable& steps,
                               NameClasses& names, SortKey sort,
                               bool per_thread) {
  const Trace& trace = tree.trace();
  const auto type = trace.type();
  ByName events(tree, per_thread);
  ByName memory(tree, false);
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    if (!tree.Has(i, kUserDefinedTypes)) continue;
    tree.ForEachNested(i, [&](Row row, const Interval& span) {
      if (!IsUserDefined(type[row])) return;
      const bool moves = names.memory_manipulation(trace.name()[row]);
      (moves ? memory : events).Add(row, i, span);
    });
  }
  UserDefined result;
  for (const uint32_t slot : memory.Order()) {
    result.memory_manipulation.push_back(
        MakeNamedRow(trace, steps, memory.stats()[slot]));
  }
  if (result.memory_manipulation.empty()) {
    result.of_device = true;
    result.memory_manipulation = ComputeDeviceCopies(
        tree, steps,
        sort == SortKey::kVisit ? sort : SortKey::kGpuTotal);
  }
  uint32_t group = kNoThread;
  for (const uint32_t slot : events.Order()) {
    const NameStats& stats = events.stats()[slot];
    if (stats.group != group) {
      group = stats.group;
      const Thread& thread = tree.threads()[group];
      result.events.push_back({thread.id, thread.process, {}});
    }
    result.events.back().rows.push_back(MakeNamedRow(trace, steps, stats));
  }
  for (ThreadRows& thread : result.events) {
    std::stable_sort(thread.rows.begin(), thread.rows.end(),
                     [&](const NamedRow& a, const NamedRow& b) {
                       return ComesBefore(a, b, sort);
                     });
  }
  return result;
}

}  // namespace stepscope
