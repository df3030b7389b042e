// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/align_set.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/executor.h"
#include "base/text.h"

namespace stepscope {
namespace {

std::vector<RankCalls> CallsOf(const Trace& trace) {
  const EventTree tree(trace);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  if (!communication.any_kernel()) return {};
  return FindRankCalls(tree, StepTable(tree), names, communication);
}

// A recording by our own collector, on a machine that it names, was laid upon
// absolute time by the same counter as others of that machine.
std::vector<ClockPrior> PriorsOf(const TraceSet& set) {
  std::vector<ClockPrior> priors;
  std::map<std::pair<std::string, std::string>, int64_t> machines;
  for (const TraceSet::Member& member : set.members()) {
    const Trace& trace = *member.trace;
    ClockPrior prior;
    prior.to_set = member.clock;
    prior.epoch_known = trace.clock().epoch_known && !member.assumed;
    std::string host;
    for (const Process& process : trace.processes()) {
      if (host.empty()) host = trace.str(process.host);
      if (host != trace.str(process.host)) host.clear();
    }
    if (prior.epoch_known && trace.format() == "capture" && !host.empty() &&
        !trace.clock().source.empty()) {
      prior.shared = machines
                         .try_emplace({host, trace.clock().source},
                                      static_cast<int64_t>(machines.size()))
                         .first->second;
      prior.error_ns = trace.clock().worst_error_ns;
    }
    priors.push_back(prior);
  }
  return priors;
}

// For who met nobody: as well as the recordings themselves know.
void StateWithoutCalls(std::span<const ClockPrior> priors,
                       const TraceSet& set,
                       std::vector<AlignedClock>& clocks) {
  size_t first = 0;
  while (first < clocks.size() &&
         clocks[first].method != ClockMethod::kReference) {
    ++first;
  }
  if (first == clocks.size()) {
    first = 0;
    clocks[0].method = ClockMethod::kReference;
    clocks[0].error_ns = 0;
  }
  for (size_t i = 0; i < clocks.size(); ++i) {
    AlignedClock& clock = clocks[i];
    if (clock.method != ClockMethod::kAlone) continue;
    if (priors[i].shared >= 0 && priors[i].shared == priors[first].shared) {
      clock.method = ClockMethod::kSameClock;
      clock.error_ns = priors[i].error_ns + priors[first].error_ns;
    } else if (priors[i].epoch_known && priors[first].epoch_known) {
      clock.method = ClockMethod::kEpoch;
    } else if (set.members()[i].assumed) {
      clock.method = ClockMethod::kAssumed;
    }
  }
}

void AddNotes(const MatchedCalls& matched, const TraceSet& set,
              SetClocks& result) {
  const auto count = [&](ClockMethod method) {
    return std::count_if(result.members.begin(), result.members.end(),
                         [&](const MemberClock& member) {
                           return member.clock.method == method;
                         });
  };
  if (matched.matches.empty()) {
    std::string note =
        "No collectives that two ranks recorded: ";
    if (count(ClockMethod::kEpoch) > 0) {
      note +=
          "ranks lie beside each other by the absolute time of their "
          "recordings, which is as good as their machines' clocks agree.";
    } else if (count(ClockMethod::kSameClock) > 0) {
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
  if (count(ClockMethod::kReference) > 1) {
    result.notes.push_back(
        "Some ranks share no collective with the others, even by way of a "
        "third: each such group keeps the clock of its first file.");
  }
  std::map<int64_t, std::string> file_of;  // by rank, of other programs
  std::map<int64_t, std::tuple<int64_t, std::string>> owner_of;
  for (const TraceSet::Entry& entry : set.processes()) {
    if (entry.key.rank < 0) continue;
    const Trace& trace = *set.members()[entry.member].trace;
    const Process& process = trace.processes()[entry.process];
    const std::tuple<int64_t, std::string> owner{
        process.pid, std::string(trace.str(process.host))};
    const std::string file = trace.source_of(process).path;
    const auto [known, is_new] = owner_of.try_emplace(entry.key.rank, owner);
    if (is_new) {
      file_of[entry.key.rank] = file;
    } else if (known->second != owner) {
      result.notes.push_back(
          Format("Two processes claim rank %lld: ",
                 static_cast<long long>(entry.key.rank)) +
          file_of[entry.key.rank] + " and " + file + "; the first counts.");
    }
  }
}

void AddFacts(const MemberClock& member, std::vector<TraceSet::Fact>& facts) {
  const AlignedClock& clock = member.clock;
  const auto add = [&](std::string_view key, std::string value) {
    facts.emplace_back(key, std::move(value));
  };
  add(kClockMethodKey, std::string(ClockMethodName(clock.method)));
  add(kClockOffsetKey, std::to_string(clock.offset_ns));
  add(kClockDriftKey, Format("%.6f", clock.drift_ppm));
  if (clock.error_ns < 0) return;
  add(kClockErrorKey, std::to_string(clock.error_ns));
  add(kClockErrorGrowthKey, Format("%.6f", clock.error_ppm));
}

}  // namespace

SetClocks AlignSet(TraceSet& set) {
  SetClocks result;
  const size_t count = set.members().size();
  if (count < 2) return result;
  std::vector<std::vector<RankCalls>> calls(count);
  Executor::Shared().ForEach(count, [&](size_t i) {
    calls[i] = CallsOf(*set.members()[i].trace);
  });
  const std::vector<ClockPrior> priors = PriorsOf(set);
  std::vector<MatchInput> inputs;
  for (uint32_t i = 0; i < count; ++i) {
    for (const RankCalls& rank : calls[i]) {
      if (rank.calls.empty()) continue;
      inputs.push_back({&rank, i, set.members()[i].clock});
    }
  }
  const MatchedCalls matched = MatchCalls(inputs);
  std::vector<AlignedClock> clocks = AlignClocks(priors, inputs, matched);
  StateWithoutCalls(priors, set, clocks);
  result.matched = matched.matches.size();
  result.unmatched = matched.unmatched;
  for (uint32_t i = 0; i < count; ++i) {
    const Trace& trace = *set.members()[i].trace;
    MemberClock member;
    if (!trace.files().empty()) member.file = trace.files()[0];
    if (trace.processes().size() == 1) member.rank = trace.processes()[0].rank;
    for (const RankCalls& rank : calls[i]) {
      if (!rank.calls.empty()) member.rank = rank.rank;
    }
    member.clock = clocks[i];
    if (member.clock.method == ClockMethod::kCollectives) {
      set.SetClock(i, member.clock.to_set);
    }
    std::vector<TraceSet::Fact> facts;
    AddFacts(member, facts);
    set.SetFacts(i, std::move(facts));
    result.members.push_back(std::move(member));
  }
  AddNotes(matched, set, result);
  return result;
}

}  // namespace stepscope
