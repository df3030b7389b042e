// SPDX-License-Identifier: Apache-2.0
//
// What people call a process of a trace that has several.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

// "rank 3"; else the name of its file, if it is the only one of that; else
// "process 4711". Empty: the trace has no other.
inline std::string NameAmongSeveral(const Trace& trace, uint32_t process) {
  if (trace.processes().size() < 2) return {};
  const Process& one = trace.processes()[process];
  if (one.rank >= 0) return "rank " + std::to_string(one.rank);
  uint32_t of_file = 0;
  for (const Process& other : trace.processes())
    of_file += other.source == one.source;
  if (of_file > 1 || one.source >= trace.sources().size())
    return "process " + std::to_string(one.pid);
  const std::string& path = trace.sources()[one.source].path;
  return path.substr(path.rfind('/') + 1);
}

// Whether a process has that name among several; an empty one: all have.
class ProcessFilter {
 public:
  ProcessFilter(const Trace& trace, std::string_view name) {
    if (name.empty()) return;
    for (uint32_t i = 0; i < trace.processes().size(); ++i)
      fits_.push_back(NameAmongSeveral(trace, i) == name);
  }
  bool operator()(uint32_t process) const {
    return fits_.empty() || fits_[process];
  }

 private:
  std::vector<bool> fits_;
};

}  // namespace stepscope
