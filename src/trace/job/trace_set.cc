// SPDX-License-Identifier: Apache-2.0
#include "trace/job/trace_set.h"

#include <algorithm>
#include <new>
#include <utility>

#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

std::string AssumedNote(const Trace& trace) {
  const std::string name = trace.files().empty() ? "" : trace.files()[0];
  return name +
         ": states no absolute time; laid where the first of the other files "
         "begins";
}

// To processes from `first` on.
void AddFacts(const std::vector<TraceSet::Fact>& facts, uint32_t first,
              TraceBuilder& builder) {
  for (uint32_t i = first; i < builder.process_count(); ++i) {
    for (const auto& [key, value] : facts) {
      const std::pair fact = {builder.Intern(key), builder.Intern(value)};
      builder.process(i).metadata.push_back(fact);
    }
  }
}

}  // namespace

TraceSet::TraceSet(std::vector<std::shared_ptr<const Trace>> traces) {
  std::vector<ClockFacts> facts;
  for (const auto& trace : traces)
    facts.push_back({{trace->epoch_ns(), trace->clock().epoch_known},
                     trace->first_time_ns()});
  const std::vector<PlacedClock> placed = PlaceClocks(facts);
  if (!placed.empty()) epoch_ = placed[0].epoch;
  for (uint32_t i = 0; i < traces.size(); ++i) {
    const std::vector<Process>& processes = traces[i]->processes();
    for (uint32_t p = 0; p < processes.size(); ++p)
      entries_.push_back({{processes[p].rank, processes[p].pid}, i, p});
    members_.push_back({std::move(traces[i]),
                        MapBetween(placed[i].epoch, epoch_),
                        placed[i].assumed,
                        {}});
  }
  std::stable_sort(
      entries_.begin(), entries_.end(),
      [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

std::span<const TraceSet::Entry> TraceSet::Find(const Key& key) const {
  struct ByKey {
    bool operator()(const Entry& a, const Key& b) const { return a.key < b; }
    bool operator()(const Key& a, const Entry& b) const { return a < b.key; }
  };
  const auto [first, last] =
      std::equal_range(entries_.begin(), entries_.end(), key, ByKey());
  return {first, last};
}

void TraceSet::SetClock(uint32_t member, const ClockMap& clock) {
  members_[member].clock = clock;
  members_[member].assumed = false;
}

Result<std::shared_ptr<const Trace>> TraceSet::Merge(TraceSet set) {
  std::vector<Member>& members = set.members_;
  if (members.size() == 1 && set.notes_.empty() &&
      members[0].clock.is_identity())
    return std::move(members[0].trace);
  try {
    return MergeAll(set);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, "not enough memory to merge the traces");
  }
}

Result<std::shared_ptr<const Trace>> TraceSet::MergeAll(TraceSet& set) {
  std::vector<Member>& members = set.members_;
  TraceBuilder all;
  all.SetEpoch(set.epoch_);
  for (Member& member : members) {
    const uint32_t first = all.process_count();
    all.Add(*member.trace, member.clock);
    AddFacts(member.facts, first, all);
    if (member.assumed) all.AddNote(AssumedNote(*member.trace));
    member.trace.reset();
  }
  for (std::string& note : set.notes_) all.AddTraceNote(std::move(note));
  return all.Finish();
}

}  // namespace stepscope
