// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/file_digest.h"

#include <utility>

#include "analysis/step_sweep.h"

namespace stepscope {

FileDigest DigestFile(const EventTree& tree, const StepTable& steps,
                      NameClasses& names, const Communication& communication,
                      const Waterfall& waterfall) {
  const Trace& trace = tree.trace();
  FileDigest file;
  file.member = ClockMemberOf(trace, ClockMap(), false);
  file.clock = {{trace.epoch_ns(), trace.clock().epoch_known},
                trace.first_time_ns()};
  file.ranks = DigestRanks(tree, steps, names, communication, waterfall);
  return file;
}

FileDigest DigestFile(const Trace& trace) {
  const EventTree tree(trace);
  const StepTable steps(tree);
  NameClasses names(trace.strings());
  const Communication communication(tree, names);
  const StepSweep sweep(tree, steps, names, communication);
  WaterfallTable waterfall;
  sweep.Run([&](const StepWindow& window) { waterfall.Add(window); });
  return DigestFile(tree, steps, names, communication,
                    waterfall.Finish(tree, steps));
}

RankJob AnalyseFiles(std::vector<FileDigest> files, Alignment how,
                     std::vector<ClockMap>* to_job) {
  std::vector<ClockFacts> facts;
  for (const FileDigest& file : files) facts.push_back(file.clock);
  const std::vector<PlacedClock> placed = PlaceClocks(facts);
  std::vector<ClockMember> members;
  for (size_t i = 0; i < files.size(); ++i) {
    ClockMember member = files[i].member;
    member.prior.to_set = MapBetween(placed[i].epoch, placed[0].epoch);
    member.assumed = placed[i].assumed;
    member.prior.epoch_known = member.prior.epoch_known && !member.assumed;
    for (const RankDigest& rank : files[i].ranks)
      if (!rank.calls.calls.empty()) member.calls.push_back(&rank.calls);
    members.push_back(std::move(member));
  }
  std::vector<ClockMap> as_recorded;
  for (const ClockMember& member : members)
    as_recorded.push_back(member.prior.to_set);
  const SetClocks clocks = AlignMembers(std::move(members), how);
  if (to_job != nullptr) {
    *to_job = as_recorded;
    for (size_t i = 0; i < clocks.members.size(); ++i) {
      const AlignedClock& clock = clocks.members[i].clock;
      if (IsFoundByEvents(clock.method)) (*to_job)[i] = clock.to_set;
    }
  }
  std::vector<RankDigest> ranks;
  for (size_t i = 0; i < files.size(); ++i) {
    for (RankDigest& rank : files[i].ranks) {
      rank.to_job = as_recorded[i];
      if (!clocks.members.empty()) {
        const AlignedClock& clock = clocks.members[i].clock;
        rank.to_job = clock.to_set;
        rank.clock.method = ClockMethodName(clock.method);
        rank.clock.offset_ns = clock.offset_ns;
        rank.clock.drift_ppm = clock.drift_ppm;
        if (clock.error_ns >= 0) rank.clock.error_ns = clock.error_ns;
      }
      ranks.push_back(std::move(rank));
    }
    files[i].ranks.clear();
  }
  RankJob job = AnalyseRanks(std::move(ranks));
  job.notes.insert(job.notes.begin(), clocks.notes.begin(), clocks.notes.end());
  return job;
}

}  // namespace stepscope
