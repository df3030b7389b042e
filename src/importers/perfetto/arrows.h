// SPDX-License-Identifier: Apache-2.0
//
// Arrows: flows that several events name. Which is first is known at the end.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/build/trace_builder.h"

namespace stepscope::pftrace {

class Arrows {
 public:
  // An event at `time_ns` names the flow; `last`: and ends it.
  void Add(uint64_t id, int64_t time_ns, uint32_t track, bool last) {
    marks_.push_back({id, time_ns, track, last});
  }
  void Finish(TraceBuilder& builder);

 private:
  struct Mark {
    uint64_t id;
    int64_t time_ns;
    uint32_t track;
    bool last;
  };
  std::vector<Mark> marks_;
};

}  // namespace stepscope::pftrace
