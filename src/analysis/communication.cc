// SPDX-License-Identifier: Apache-2.0
#include "analysis/communication.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

bool Contains(const IntervalSet& set, int64_t time_ns) {
  const auto after = std::upper_bound(
      set.begin(), set.end(), time_ns,
      [](int64_t time, const Interval& part) { return time < part.begin; });
  return after != set.begin() && time_ns < after[-1].end;
}

}  // namespace

Communication::Communication(const EventTree& tree, NameClasses& names)
    : tree_(tree), names_(names), by_thread_(tree.threads().size()) {
  for (size_t i = 0; i < by_thread_.size(); ++i) {
    IntervalCollector thread;
    tree.threads().ForEachRow(i, [&](Row row) {
      if (!IsHostEvent(row)) return;
      ++host_calls_;
      thread.Add(tree.trace().start_ns()[row], tree.end_ns(row));
    });
    by_thread_[i] = thread.Finish();
  }
  const Trace& trace = tree.trace();
  named_kernel_ = std::any_of(
      tree.work().begin(), tree.work().end(), [&](const DeviceWork& work) {
        return trace.type()[work.row] == STEPSCOPE_KERNEL &&
               names.collective_kernel(trace.name()[work.row]);
      });
}

bool Communication::IsHostEvent(Row row) const {
  const uint16_t type = tree_.trace().type()[row];
  if (type == STEPSCOPE_COMMUNICATION) return true;
  return (type == STEPSCOPE_OPERATOR || IsUserDefined(type)) &&
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

}  // namespace stepscope
