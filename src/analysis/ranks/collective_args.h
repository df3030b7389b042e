// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of an event say about a collective: torch's metadata of
// NCCL and gloo ("Collective name", "Process Group Ranks", "Seq", ...), else
// the shape and type of what it is given.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct CollectiveArgs {
  std::string name;            // "allreduce"; empty: not stated
  std::string group;           // name of the process group
  std::vector<int64_t> ranks;  // of the group; empty: not stated, or elided
  int64_t group_size = 0;      // 0: not stated
  int64_t seq = -1;            // -1: not stated
  int64_t source = -1;         // of point-to-point
  int64_t target = -1;
  uint64_t bytes = 0;  // the larger of in and out; 0: not stated

  bool any() const {
    return !name.empty() || !group.empty() || seq >= 0 || bytes > 0;
  }
};

// Reads many events of one trace. Not thread-safe.
class CollectiveArgReader {
 public:
  explicit CollectiveArgReader(const Trace& trace)
      : trace_(trace), raw_(trace) {}

  CollectiveArgs Read(Row row);

 private:
  const Trace& trace_;
  RawArgReader raw_;
};

// "Float" and "float" 4, "BFloat16" 2, ...; 0: unknown.
uint64_t ElementBytes(std::string_view type);

}  // namespace stepscope
