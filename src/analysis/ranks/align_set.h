// SPDX-License-Identifier: Apache-2.0
//
// AlignSet: gives every trace of a set the clock map that its collectives ask
// for, and says how sure that is. Recorded times stay as they are; the map of
// a member is all that changes, and what was done is among the facts of its
// processes, so that whoever reads an export knows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/ranks/align_clocks.h"
#include "trace/job/trace_set.h"

namespace stepscope {

// What is asked about one file.
struct ClockMember {
  // A process that states its rank.
  struct Owner {
    int64_t rank = -1;
    int64_t pid = 0;
    std::string host;
  };
  std::string file;
  ClockPrior prior;      // `shared` is set by AlignMembers
  bool assumed = false;  // it states no absolute time, and was laid somewhere
  // Of a capture: machine and counter, for who shares them; else empty.
  std::string machine;
  std::vector<Owner> owners;
  std::vector<const RankCalls*> calls;  // of those that made any
};
// Of a trace; `calls` are left out.
ClockMember ClockMemberOf(const Trace& trace, const ClockMap& to_set,
                          bool assumed);

// Of one member of the set.
struct MemberClock {
  std::string file;
  int64_t rank = -1;  // -1: not stated, or several in one file
  AlignedClock clock;
};

struct SetClocks {
  std::vector<MemberClock> members;  // empty: there is only one trace
  uint64_t matched = 0;              // collectives with at least two ranks
  uint64_t unmatched = 0;            // calls without a partner
  std::vector<std::string> notes;    // one sentence each
};

enum class Alignment : uint8_t {
  kByEvents,    // by what ranks did together
  kAsRecorded,  // by what recordings say about their clocks alone
};
// Of a user who may ask that clocks be left alone.
inline Alignment AlignmentOf(bool no_align) {
  return no_align ? Alignment::kAsRecorded : Alignment::kByEvents;
}

SetClocks AlignMembers(std::vector<ClockMember> members,
                       Alignment how = Alignment::kByEvents);
SetClocks AlignSet(TraceSet& set, Alignment how = Alignment::kByEvents);

}  // namespace stepscope
