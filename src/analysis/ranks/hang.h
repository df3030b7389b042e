// SPDX-License-Identifier: Apache-2.0
//
// A job that does not go on: which ranks wait in a collective, and which one
// has not come. From the scopes that were open when the flight recorder saved
// its window because of a hang.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

struct HangRank {
  uint32_t process = 0;
  std::vector<Row> open;    // scopes, the one that began last at the end
  Row collective = kNoRow;  // the last of them in which it waits for others
  Row step = kNoRow;        // the step that is open
  Row last_ended = kNoRow;  // what ended last before
  int64_t end_ns = 0;       // of its recording
};

struct Hang {
  // Of the processes that were saved because of a hang; without one there is
  // none. By rank, then by pid.
  std::vector<HangRank> ranks;
  std::string reason;  // as the recorder saw it first

  bool found() const { return !ranks.empty(); }
};

// Takes in all processes of the job that have steps, if one of them hangs.
Hang FindHang(const Trace& trace);

// Who waits where and who is missing, the missing ones first: "rank 1 has not
// come: in ProfileStep#41 for 12.3 s, outside any collective". A line each.
std::vector<std::string> DescribeHang(const Trace& trace, const Hang& hang);

}  // namespace stepscope
