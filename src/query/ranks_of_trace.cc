// SPDX-License-Identifier: Apache-2.0
#include "query/ranks_of_trace.h"

#include <algorithm>
#include <utility>

#include "trace/job/jobs.h"

namespace stepscope {

std::vector<int64_t> RanksOf(const Trace& trace) {
  std::vector<int64_t> ranks;
  int64_t only = -1;
  bool several = false;
  for (const Process& process : trace.processes()) {
    ranks.push_back(std::max<int64_t>(process.rank, -1));
    if (process.rank < 0) continue;
    several |= only >= 0 && only != process.rank;
    only = process.rank;
  }
  if (!several)
    for (int64_t& rank : ranks) rank = only;
  return ranks;
}

RankFactsList RankFactsOf(const Trace& trace, const SourceFile& source,
                          const std::vector<int64_t>& ranks) {
  const FileFacts stated = FactsOf(trace, source.path, source.importer);
  std::vector<int64_t> events(trace.processes().size());
  for (const Track& track : trace.tracks())
    events[track.process] += track.last - track.first;
  RankFactsList list;
  for (uint32_t i = 0; i < trace.processes().size(); ++i) {
    const Process& process = trace.processes()[i];
    RankFacts facts;
    facts.source_id = source.fingerprint.source_id();
    facts.process = static_cast<int32_t>(i);
    facts.rank = ranks[i];
    facts.stated_rank = std::max<int64_t>(process.rank, -1);
    facts.pid = process.pid;
    facts.host = trace.str(process.host);
    facts.process_name = trace.str(process.name);
    facts.source = source.path;
    facts.format = trace.format();
    facts.importer = source.importer;
    facts.fingerprint = source.fingerprint.text();
    facts.stated_job = stated.job;
    facts.run = stated.run;
    facts.world_size = stated.world;
    facts.clock_source = trace.clock().source;
    facts.events = events[i];
    facts.complete = trace.complete();
    facts.epoch_known = trace.clock().epoch_known;
    facts.epoch_ns = trace.epoch_ns();
    facts.begin_ns = trace.begin_ns();
    facts.end_ns = trace.end_ns();
    facts.first_ns = trace.first_time_ns();
    facts.anchor_error_ns = trace.clock().worst_error_ns;
    list.push_back(std::move(facts));
  }
  return list;
}

}  // namespace stepscope
