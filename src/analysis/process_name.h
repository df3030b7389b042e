// SPDX-License-Identifier: Apache-2.0
//
// What people call a process of a trace that has several.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace stepscope
