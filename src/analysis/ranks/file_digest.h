// SPDX-License-Identifier: Apache-2.0
//
// The analysis of a job of many ranks, file by file: a trace is read, digested
// and let go, and what is left of all files is aligned and analysed. Gives
// what AnalyseRanks gives of the merged trace, in the memory of a few ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/ranks/align_set.h"
#include "analysis/ranks/rank_digest.h"
#include "analysis/ranks/rank_job.h"
#include "trace/job/clock_placement.h"

namespace stepscope {

struct FileDigest {
  ClockMember member;  // without `calls` and the map
  ClockFacts clock;
  std::vector<RankDigest> ranks;
};

FileDigest DigestFile(const Trace& trace);
// The same of what was computed before. `waterfall` is that of the trace.
FileDigest DigestFile(const EventTree& tree, const StepTable& steps,
                      NameClasses& names, const Communication& communication,
                      const Waterfall& waterfall);

// Lays the files on one clock, then compares their ranks. Notes of both are
// those of the job. `to_job`, if given: the map of each file to that clock, as
// a merged trace has it.
RankJob AnalyseFiles(std::vector<FileDigest> files,
                     Alignment how = Alignment::kByEvents,
                     std::vector<ClockMap>* to_job = nullptr);

}  // namespace stepscope
