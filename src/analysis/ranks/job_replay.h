// SPDX-License-Identifier: Apache-2.0
//
// JobReplay: what a job would gain if one rank were like the others on average.
// The job is replayed as its ranks' work between collectives: a rank arrives
// when its work is done, and all leave when the last has come and the transfer
// is over. What goes on between two collectives, and whether it waited for the
// first of them, traces do not say. So it is replayed twice: as if all work
// waited for each collective, which gives the most that can be gained, and as
// if work within a step went on beside the collectives, which gives the least.
// Unchanged, both give the recorded times back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/ranks/meetings.h"

namespace stepscope {

// Of one step, on average.
struct ReplayedGain {
  int64_t low_ns = 0;
  int64_t high_ns = 0;
  // What the clocks leave open: arrivals in the collectives to which the rank
  // came last may be off by that.
  int64_t error_ns = 0;
};

class JobReplay {
 public:
  // `rank_of`: by digest. `steps`: of the job. All must outlive this.
  JobReplay(std::span<const RankDigest> digests,
            const std::vector<int64_t>& rank_of, const Meetings& meetings,
            uint64_t steps);

  ReplayedGain IfAverage(int64_t rank) const;

 private:
  // One call of one rank.
  struct Visit {
    uint32_t meeting = 0;
    int64_t arrival_ns = 0;
    int64_t leave_ns = 0;  // not before the last has arrived
    int64_t step = kNoStep;
  };
  // The calls of one rank, by arrival.
  struct Line {
    int64_t rank = 0;
    int64_t begin_ns = 0;  // of its first step, or its first arrival
    std::vector<Visit> visits;
  };
  enum class Model : uint8_t { kWorkWaits, kWorkGoesOn };

  // What the rank would spend less before each of its calls.
  std::vector<int64_t> Savings(const Line& line) const;
  // The work of a rank before a call: since it left the one before. Negative:
  // it had not left yet.
  static int64_t WorkBefore(const Line& line, size_t visit);
  // When the last call ends if `changed` saves `savings` before its calls.
  int64_t EndOf(Model model, const Line* changed,
                std::span<const int64_t> savings) const;

  struct Member {
    uint32_t line = 0;
    uint32_t visit = 0;
  };
  struct Meet {
    std::vector<Member> members;
    uint32_t last = 0;  // line of who came last
    int64_t last_ns = 0;
    int64_t clock_error_ns = 0;
  };

  std::vector<Line> lines_;
  std::vector<Meet> meets_;
  uint64_t steps_ = 0;
};

}  // namespace stepscope
