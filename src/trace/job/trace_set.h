// SPDX-License-Identifier: Apache-2.0
//
// TraceSet: the traces of one job, by (rank, pid). Their columns stay apart
// and their times stay as recorded; each has a map to the clock of the set.
// Analyses that take one Trace get Merge().
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/clock_map.h"
#include "trace/job/clock_placement.h"
#include "trace/trace.h"

namespace stepscope {

class TraceSet {
 public:
  using Fact = std::pair<std::string, std::string>;  // key, value
  struct Member {
    std::shared_ptr<const Trace> trace;
    ClockMap clock;        // from its times to those of the set
    bool assumed = false;  // it states no absolute time, and was laid somewhere
    std::vector<Fact> facts;  // metadata of its processes when merged
  };
  struct Key {
    int64_t rank = -1;
    int64_t pid = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // A process of a member.
  struct Entry {
    Key key;
    uint32_t member = 0;
    uint32_t process = 0;
  };

  TraceSet() = default;
  // Clocks are placed as clock_placement.h says; time 0 of the set is that of
  // the first trace.
  explicit TraceSet(std::vector<std::shared_ptr<const Trace>> traces);

  const std::vector<Member>& members() const { return members_; }
  // By key; those of one key in the order of the members. Windows of one
  // process have the same key.
  std::span<const Entry> processes() const { return entries_; }
  std::span<const Entry> Find(const Key& key) const;
  const Epoch& epoch() const { return epoch_; }

  // For who knows the clock of a member better.
  void SetClock(uint32_t member, const ClockMap& clock);
  // How that is known, for who reads the merged trace.
  void SetFacts(uint32_t member, std::vector<Fact> facts) {
    members_[member].facts = std::move(facts);
  }
  // What a user should know about the set as a whole.
  void AddNote(std::string note) { notes_.push_back(std::move(note)); }

  // One trace with everything. That of a single member is the member itself.
  // Gives back the memory of every member once it is merged.
  static Result<std::shared_ptr<const Trace>> Merge(TraceSet set);

 private:
  static Result<std::shared_ptr<const Trace>> MergeAll(TraceSet& set);

  std::vector<Member> members_;
  std::vector<Entry> entries_;
  Epoch epoch_;
  std::vector<std::string> notes_;
};

}  // namespace stepscope
