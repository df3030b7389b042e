// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/align_set.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/ranks/rpc_pairs.h"
#include "base/executor.h"
#include "base/text.h"
#include "trace/clock_facts.h"

namespace stepscope {
namespace {

std::vector<RankCalls> FindCalls(const Trace& trace) {
  const EventTree tree(trace);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  if (!MayHaveCalls(trace, communication)) return {};
  return FindRankCalls(tree, StepTable(tree), names, communication);
}

// A recording by our own collector, on a machine that it names, was laid upon
// absolute time by the same counter as others of that machine.
void FindSharedClocks(std::vector<ClockMember>& members) {
  std::map<std::string, int64_t> machines;
  for (ClockMember& member : members) {
    if (member.machine.empty() || !member.prior.epoch_known) continue;
    member.prior.shared =
        machines
            .try_emplace(member.machine, static_cast<int64_t>(machines.size()))
            .first->second;
  }
}

// For who met nobody: as well as the recordings themselves know.
void StateWithoutCalls(std::span<const ClockMember> members,
                       std::vector<AlignedClock>& clocks) {
  size_t first = 0;
  while (first < clocks.size() &&
         clocks[first].method != ClockMethod::kReference)
    ++first;
  if (first == clocks.size()) {
    first = 0;
    clocks[0].method = ClockMethod::kReference;
    clocks[0].error_ns = 0;
  }
  const ClockPrior& reference = members[first].prior;
  for (size_t i = 0; i < clocks.size(); ++i) {
    AlignedClock& clock = clocks[i];
    const ClockPrior& prior = members[i].prior;
    if (clock.method != ClockMethod::kAlone) continue;
    if (prior.shared >= 0 && prior.shared == reference.shared) {
      clock.method = ClockMethod::kSameClock;
      clock.error_ns = prior.error_ns + reference.error_ns;
    } else if (prior.epoch_known && reference.epoch_known) {
      clock.method = ClockMethod::kEpoch;
    } else if (members[i].assumed) {
      clock.method = ClockMethod::kAssumed;
    }
  }
}

uint64_t CountOf(const SetClocks& clocks, ClockMethod method) {
  return static_cast<uint64_t>(
      std::count_if(clocks.members.begin(), clocks.members.end(),
                    [&](const MemberClock& member) {
                      return member.clock.method == method;
                    }));
}

void AddClockNotes(const MatchedCalls& matched, Alignment how,
                   SetClocks& result) {
  // Processes of one machine have one clock, a trainer and its workers too:
  // there is nothing to say.
  const bool one_clock = CountOf(result, ClockMethod::kSameClock) +
                             CountOf(result, ClockMethod::kReference) ==
                         result.members.size();
  if (matched.matches.empty() && !one_clock) {
    std::string note = how == Alignment::kAsRecorded
                           ? "Clocks were not aligned, as asked: "
                           : "No collectives that two ranks recorded: ";
    if (CountOf(result, ClockMethod::kRpc) > 0) {
      note +=
          "clocks lie by requests to parameter servers, which are handled "
          "between their begin and their end.";
    } else if (CountOf(result, ClockMethod::kEpoch) > 0) {
      note +=
          "ranks lie beside each other by the absolute time of their "
          "recordings, which is as good as their machines' clocks agree.";
    } else if (CountOf(result, ClockMethod::kSameClock) > 0) {
      note += "ranks of one machine lie beside each other by its clock.";
    } else {
      note += "nothing says how the clocks of these files lie.";
    }
    result.notes.push_back(std::move(note));
  }
  if (matched.repeated > 0) {
    result.notes.push_back(
        Format("%llu collectives were recorded twice by one rank; the first "
               "file counts.",
               static_cast<unsigned long long>(matched.repeated)));
  }
  if (CountOf(result, ClockMethod::kReference) > 1) {
    result.notes.push_back(
        "Some ranks share no collective with the others, even by way of a "
        "third: each such group keeps the clock of its first file.");
  }
}

// Ranks that two processes claim. Windows of one process are no claims.
void NameClaims(std::span<const ClockMember> members, SetClocks& result) {
  std::map<int64_t, std::pair<const ClockMember::Owner*, std::string>> first;
  for (const ClockMember& member : members) {
    for (const ClockMember::Owner& owner : member.owners) {
      const auto [known, is_new] =
          first.try_emplace(owner.rank, &owner, member.file);
      const auto& [other, file] = known->second;
      if (is_new || (other->pid == owner.pid && other->host == owner.host))
        continue;
      result.notes.push_back(Format("Two processes claim rank %lld: ",
                                    static_cast<long long>(owner.rank)) +
                             file + " and " + member.file +
                             "; the first counts.");
    }
  }
}

std::vector<TraceSet::Fact> ClockFactsOf(const AlignedClock& clock,
                                         const Trace& trace) {
  std::vector<TraceSet::Fact> facts;
  const auto add = [&](std::string_view key, std::string value) {
    facts.emplace_back(key, std::move(value));
  };
  add(kClockMethodKey, std::string(ClockMethodName(clock.method)));
  add(kClockOffsetKey, std::to_string(clock.offset_ns));
  const int64_t epoch = trace.clock().epoch_known ? trace.epoch_ns() : 0;
  add(kClockCenterKey, std::to_string(SaturatingAdd(clock.center_ns, epoch)));
  add(kClockDriftKey, Format("%.6f", clock.drift_ppm));
  if (clock.error_ns < 0) return facts;
  add(kClockErrorKey, std::to_string(clock.error_ns));
  add(kClockErrorGrowthKey, Format("%.6f", clock.error_ppm));
  return facts;
}

}  // namespace

ClockMember ClockMemberOf(const Trace& trace, const ClockMap& to_set,
                          bool assumed) {
  ClockMember member;
  if (!trace.files().empty()) member.file = trace.files()[0];
  member.prior.to_set = to_set;
  member.prior.epoch_known = trace.clock().epoch_known && !assumed;
  member.prior.error_ns = trace.clock().worst_error_ns;
  member.assumed = assumed;
  std::string host;
  for (const Process& process : trace.processes()) {
    if (host.empty()) host = trace.str(process.host);
    if (host != trace.str(process.host)) host.clear();
    if (process.rank < 0) continue;
    member.owners.push_back(
        {process.rank, process.pid, std::string(trace.str(process.host))});
  }
  if (trace.format() == "capture" && !host.empty() &&
      !trace.clock().source.empty())
    member.machine = host + '\n' + trace.clock().source;
  return member;
}

SetClocks AlignMembers(std::vector<ClockMember> members, Alignment how) {
  SetClocks result;
  if (members.size() < 2) return result;
  if (how == Alignment::kAsRecorded)
    for (ClockMember& member : members) member.calls.clear();
  FindSharedClocks(members);
  std::vector<MatchInput> inputs;
  std::vector<ClockPrior> priors;
  for (uint32_t i = 0; i < members.size(); ++i) {
    priors.push_back(members[i].prior);
    for (const RankCalls* rank : members[i].calls)
      inputs.push_back({rank, i, members[i].prior.to_set});
  }
  const MatchedCalls matched = MatchCalls(inputs);
  std::vector<AlignedClock> clocks = AlignClocks(priors, inputs, matched);
  std::vector<RpcMember> rpc;
  for (const ClockMember& member : members)
    rpc.push_back({member.calls, member.prior});
  AlignByRpc(rpc, clocks);
  StateWithoutCalls(members, clocks);
  result.matched = matched.matches.size();
  result.unmatched = matched.unmatched;
  for (size_t i = 0; i < members.size(); ++i) {
    MemberClock member;
    member.file = members[i].file;
    if (members[i].owners.size() == 1) member.rank = members[i].owners[0].rank;
    if (members[i].calls.size() == 1) member.rank = members[i].calls[0]->rank;
    member.clock = clocks[i];
    result.members.push_back(std::move(member));
  }
  AddClockNotes(matched, how, result);
  NameClaims(members, result);
  return result;
}

SetClocks AlignSet(TraceSet& set, Alignment how) {
  const size_t count = set.members().size();
  if (count < 2) return {};
  std::vector<std::vector<RankCalls>> calls(count);
  if (how == Alignment::kByEvents) {
    Executor::Shared().ForEach(count, [&](size_t i) {
      calls[i] = FindCalls(*set.members()[i].trace);
    });
  }
  std::vector<ClockMember> members;
  for (size_t i = 0; i < count; ++i) {
    const TraceSet::Member& from = set.members()[i];
    members.push_back(ClockMemberOf(*from.trace, from.clock, from.assumed));
    for (const RankCalls& rank : calls[i])
      if (!rank.calls.empty()) members.back().calls.push_back(&rank);
  }
  SetClocks result = AlignMembers(std::move(members), how);
  for (uint32_t i = 0; i < count; ++i) {
    const AlignedClock& clock = result.members[i].clock;
    if (IsFoundByEvents(clock.method)) set.SetClock(i, clock.to_set);
    set.SetFacts(i, ClockFactsOf(clock, *set.members()[i].trace));
  }
  return result;
}

}  // namespace stepscope
