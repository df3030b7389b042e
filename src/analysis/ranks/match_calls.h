// SPDX-License-Identifier: Apache-2.0
//
// Which calls of different ranks are one collective. By the group and the
// sequence number that the program states; where it states none, by kind, size
// and group, in the order of calls within steps of the same number; without
// steps, in the order of calls. A step in which a rank made another number of
// such calls than most is left out for that rank, so that lost events do no
// harm elsewhere. Ranks that count their steps (or calls) from different ones
// are brought together by how well the ends of their calls agree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/ranks/rank_calls.h"
#include "trace/clock_map.h"

namespace stepscope {

// The calls of one rank, and the clock that they were recorded by.
struct MatchInput {
  const RankCalls* rank = nullptr;
  uint32_t clock = 0;  // who share a clock have the same number
  ClockMap to_set;     // as far as it is known so far
};

struct MatchedCall {
  uint32_t rank = 0;  // index of the input
  uint32_t call = 0;  // index of its calls
};

// One collective: `count` entries of MatchedCalls::calls from `first`, by
// rank.
struct Match {
  uint32_t first = 0;
  uint32_t count = 0;
  CollectiveKind kind = CollectiveKind::kOther;
};

struct MatchedCalls {
  std::vector<Match> matches;  // at least two ranks each
  std::vector<MatchedCall> calls;
  uint64_t unmatched = 0;  // calls that no other rank has
  uint64_t repeated = 0;   // calls that one rank has twice
  // By input: what was added to its step numbers (or its count of calls).
  std::vector<int64_t> shift;

  std::span<const MatchedCall> of(const Match& match) const {
    return std::span(calls).subspan(match.first, match.count);
  }
};

MatchedCalls MatchCalls(std::span<const MatchInput> ranks);

}  // namespace stepscope
