// SPDX-License-Identifier: Apache-2.0
#include "importers/perfetto/arrows.h"

#include <algorithm>

namespace stepscope::pftrace {

// In order of time the first of an id begins the arrow and the last ends it;
// after an end that is stated, the id may be used again.
void Arrows::Finish(TraceBuilder& builder) {
  std::stable_sort(marks_.begin(), marks_.end(),
                   [](const Mark& a, const Mark& b) {
                     return a.id != b.id ? a.id < b.id : a.time_ns < b.time_ns;
                   });
  bool open = false;
  for (size_t i = 0; i < marks_.size(); ++i) {
    const Mark& mark = marks_[i];
    const bool last =
        mark.last || i + 1 == marks_.size() || marks_[i + 1].id != mark.id;
    Flow flow;
    flow.time_ns = mark.time_ns;
    flow.id = mark.id;
    flow.track = mark.track;
    flow.phase = !open  ? FlowPhase::kBegin
                 : last ? FlowPhase::kEnd
                        : FlowPhase::kStep;
    builder.AddFlow(flow);
    open = !last;
  }
  marks_.clear();
}

}  // namespace stepscope::pftrace
