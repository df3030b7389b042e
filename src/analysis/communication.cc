// SPDX-License-Identifier: Apache-2.0
#include "analysis/communication.h"

#include <algorithm>

#include "analysis/interval_search.h"
#include "analysis/kinds.h"

namespace stepscope {
namespace {

// Types whose names say whether they communicate.
constexpr TypeSet kByName = SetOf(STEPSCOPE_OPERATOR) |
                            SetOf(STEPSCOPE_USER_DEFINED) |
                            SetOf(STEPSCOPE_PYTHON_USER_DEFINED);

}  // namespace

// Names are looked at first: most traces of one process have none that
// matters, and then no event has to be.
Communication::Communication(const EventTree& tree, NameClasses& names)
    : tree_(tree), names_(names), by_thread_(tree.threads().size()) {
  const Census& census = tree.census();
  const auto count = static_cast<uint32_t>(tree.trace().strings().size());
  for (uint32_t i = 0; i < count && !(any_host_ && named_kernel_); ++i) {
    const StringId name{i};
    const TypeSet host = census.host_types(name);
    any_host_ = any_host_ || (host & SetOf(STEPSCOPE_COMMUNICATION)) != 0 ||
                ((host & kByName) != 0 && names.collective_event(name));
    named_kernel_ =
        named_kernel_ ||
        ((census.device_types(name) & SetOf(STEPSCOPE_KERNEL)) != 0 &&
         names.collective_kernel(name));
  }
  if (!any_host_) return;
  for (size_t i = 0; i < by_thread_.size(); ++i) {
    if (!tree.Has(i, kByName | SetOf(STEPSCOPE_COMMUNICATION))) continue;
    IntervalCollector thread;
    tree.threads().ForEachRow(i, [&](Row row) {
      if (!Exchanges(row)) return;
      ++host_calls_;
      thread.Add(tree.trace().start_ns()[row], tree.end_ns(row));
    });
    by_thread_[i] = thread.Finish();
  }
}

bool Communication::Exchanges(Row row) const {
  const uint16_t type = tree_.trace().type()[row];
  if (type == STEPSCOPE_COMMUNICATION) return true;
  return (SetOf(type) & kByName) != 0 &&
         names_.collective_event(tree_.trace().name()[row]);
}

bool Communication::Communicates(const DeviceWork& work) const {
  const Trace& trace = tree_.trace();
  if (trace.type()[work.row] != STEPSCOPE_KERNEL) return false;
  if (names_.collective_kernel(trace.name()[work.row])) return true;
  if (work.launch == kNoRow || host_calls_ == 0) return false;
  return Contains(by_thread_[tree_.thread_of(work.launch)],
                  trace.start_ns()[work.launch]);
}

std::vector<IntervalSet> HostComputation(const EventTree& tree,
                                         const Communication& communication) {
  const Trace& trace = tree.trace();
  const size_t processes = trace.processes().size();
  std::vector<bool> has_device(processes);
  for (const DeviceWork& work : tree.work())
    has_device[trace.tracks()[trace.track()[work.row]].process] = true;
  std::vector<IntervalCollector> computing(processes);
  for (uint32_t i = 0; i < tree.threads().size(); ++i) {
    const uint32_t process = tree.threads()[i].process;
    if (has_device[process] || !tree.Has(i, SetOf(STEPSCOPE_OPERATOR)))
      continue;
    IntervalCollector operators;
    IntervalCollector loading;
    tree.threads().ForEachRow(i, [&](Row row) {
      const uint16_t type = trace.type()[row];
      if (type != STEPSCOPE_OPERATOR && type != STEPSCOPE_DATALOADER) return;
      (type == STEPSCOPE_OPERATOR ? operators : loading)
          .Add(trace.start_ns()[row], tree.end_ns(row));
    });
    // An operator may wait for communication that it started itself.
    const IntervalSet own =
        Difference(operators.Finish(), communication.by_thread()[i]);
    for (const Interval& part : Difference(own, loading.Finish()))
      computing[process].Add(part.begin, part.end);
  }
  std::vector<IntervalSet> result(processes);
  for (size_t i = 0; i < processes; ++i) result[i] = computing[i].Finish();
  return result;
}

}  // namespace stepscope
