// SPDX-License-Identifier: Apache-2.0
//
// Which row of the timeline each track has: pid and tid of its events, as in
// files written by Paddle. A thread has two rows, "<tid>(Python)" and
// "<tid>(C++)"; a stream has the number of its device as pid and its own as
// tid. Immutable after construction but for the marks of Use().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope::chrome {

enum class Side : uint8_t { kPython, kCpp };

// Stages, steps and Python events; all else is C++.
Side SideOf(uint16_t type);

class Rows {
 public:
  // `unsigned_ids`: negative thread ids lose their sign, which VisualDL cannot
  // read.
  explicit Rows(const Trace& trace, bool unsigned_ids = false);

  int64_t process_pid(uint32_t process) const { return pids_[process]; }
  int64_t pid(uint32_t track) const { return rows_[track].pid; }
  bool is_stream(uint32_t track) const {
    return trace_.tracks()[track].kind == TrackKind::kStream;
  }
  // The JSON value, quoted where it is a string.
  std::string Tid(uint32_t track, Side side) const;

  // Notes that something was written to the row, so that it gets a name.
  void Use(uint32_t track, Side side) {
    rows_[track].used[static_cast<size_t>(side)] = true;
  }
  // The metadata events: names and order of processes, devices and rows. Each
  // is followed by a comma and a newline. `last_ts_ns` is not earlier than any
  // other entry of the file.
  std::string Metadata(int64_t last_ts_ns) const;

 private:
  struct RowOf {
    int64_t pid = 0;
    uint32_t twin = 0;    // how many earlier tracks would have the same rows
    bool shared = false;  // another process has a thread of that id
    bool used[2] = {false, false};
  };
  // One per process, then one per (process, device).
  struct Group {
    int64_t pid = 0;
    uint32_t process = 0;
    bool is_device = false;
    int64_t device = -1;
    StringId device_type;
  };

  void AddGroups();
  void FindTwins();
  void AppendGroup(std::string& out, const Group& group) const;
  void AppendRow(std::string& out, uint32_t track, Side side,
                 int64_t ts_ns) const;
  std::string Suffix(uint32_t track) const;

  const Trace& trace_;
  const bool unsigned_ids_;
  std::vector<int64_t> pids_;  // by process
  std::vector<Group> groups_;
  std::vector<RowOf> rows_;  // by track
};

}  // namespace stepscope::chrome
