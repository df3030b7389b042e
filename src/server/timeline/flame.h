// SPDX-License-Identifier: Apache-2.0
//
// Flame: events with the same names around them, put together.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "trace/trace.h"

namespace stepscope::server {

class Flame {
 public:
  void StartTrack() { path_.clear(); }
  // Events of a track, parents before their children. `depth` is that in the
  // track.
  void Add(uint32_t depth, uint32_t name, int64_t time_ns);
  // "flame": boxes with "x" and "w" in ns, widest first within their parent.
  // Too small ones are left out.
  void Write(JsonWriter& json, const Trace& trace) const;

 private:
  struct Node {
    uint32_t name = 0;
    uint32_t parent = 0;
    uint32_t depth = 0;
    uint64_t calls = 0;
    int64_t time_ns = 0;
  };

  std::vector<Node> nodes_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known_;  // parent, name
  std::vector<uint32_t> path_;  // nodes of the events that are open
};

}  // namespace stepscope::server
