// SPDX-License-Identifier: Apache-2.0
//
// Meetings: collectives as several ranks went through them, on one clock, in
// the order in which the last rank arrived.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/ranks/match_calls.h"
#include "analysis/ranks/rank_digest.h"

namespace stepscope {

struct Arrival {
  uint32_t digest = 0;
  uint32_t call = 0;
  Interval time;  // on the clock of the job
};

struct Meeting {
  std::vector<Arrival> arrivals;
  uint32_t last = 0;            // index of `arrivals`: who came last
  int64_t last_ns = 0;          // when that was
  int64_t next_to_last_ns = 0;  // when the one before came
  int64_t step = kNoStep;       // number of the step, as the first rank counts
  // Arrivals that are closer than that may have been the other way round.
  int64_t clock_error_ns = 0;

  // How long everybody waited for the last one alone; 0 where the clocks
  // cannot tell.
  int64_t delay_ns() const {
    const int64_t delay = last_ns - next_to_last_ns;
    return delay > clock_error_ns ? delay : 0;
  }
};

// A send and its receive, in any order.
struct Exchange {
  Arrival a;
  Arrival b;
  int64_t clock_error_ns = 0;
};

struct Meetings {
  std::vector<Meeting> list;
  std::vector<Exchange> exchanges;  // by begin of who came first
  uint64_t unmatched = 0;
  std::vector<int64_t> shift;  // by digest: what is added to its step numbers
};

Meetings FindMeetings(std::span<const RankDigest> digests);

}  // namespace stepscope
