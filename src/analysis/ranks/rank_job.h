// SPDX-License-Identifier: Apache-2.0
//
// RankJob: a job of several ranks. Who waits for whom in its collectives, what
// each rank did with its steps, and what the job would gain if its slowest
// rank were like the others.
//
// In one collective a rank waits from its own arrival to that of the last, and
// transfers for the rest. The last rank is to blame for the time from the last
// but one arrival to its own: had it come like the others, the collective
// would have begun that much earlier. Times of one step that overlap count
// once. What is shorter than the error of the clocks is nobody's fault.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/ranks/collective_rows.h"
#include "analysis/ranks/job_replay.h"
#include "analysis/ranks/rank_digest.h"

namespace stepscope {

// Times are of one step, on average.
struct RankRow {
  int64_t rank = 0;
  int64_t pid = 0;
  std::string host;
  uint64_t steps = 0;
  int64_t step_ns = 0;
  int64_t computation_ns = 0;
  int64_t communication_ns = 0;
  int64_t exposed_ns = 0;
  int64_t overlapped_ns = 0;
  int64_t wait_ns = 0;      // for others, in collectives
  int64_t transfer_ns = 0;  // the rest of them
  int64_t idle_ns = 0;
  std::string_view idle_cause;  // what took most of that; empty: none
  int64_t delays_ns = 0;        // others waited for this rank alone
  uint64_t last = 0;            // collectives to which it came last
  uint64_t collectives = 0;
  double load = 0;  // computation as a share of the ranks' mean
  std::optional<int64_t> pipeline_ns;
  std::optional<int64_t> bubble_ns;  // of that: the other had not come yet
  RankClock clock;
};

struct RankStepRow {
  int64_t step = 0;
  int64_t rank = 0;
  int64_t start_ns = 0;  // on the clock of the job
  int64_t step_ns = 0;
  int64_t computation_ns = 0;
  int64_t communication_ns = 0;
  int64_t exposed_ns = 0;
  int64_t wait_ns = 0;
  int64_t transfer_ns = 0;
  int64_t idle_ns = 0;
  std::string_view idle_cause;
  int64_t delays_ns = 0;
  std::optional<int64_t> pipeline_ns;
  std::optional<int64_t> bubble_ns;
};

struct Victim {
  int64_t rank = 0;
  int64_t wait_ns = 0;
};

struct StragglerStep {
  int64_t step = 0;
  int64_t delay_ns = 0;
  std::string doing;     // what took longer than on the other ranks
  int64_t doing_ns = 0;  // by how much
};

struct StragglerRow {
  int64_t rank = 0;
  int64_t delays_ns = 0;  // in all steps
  int64_t gain_ns = 0;    // of one step, if it were like the others
  double gain_ratio = 0;  // of the step
  // If it were like the others on average, by replay; of the worst only.
  std::optional<ReplayedGain> replayed;
  int64_t others_wait_ns = 0;        // all ranks that waited for it, added up
  uint64_t last = 0;                 // collectives to which it came last
  std::vector<StragglerStep> steps;  // the worst, by number
  uint64_t more_steps = 0;           // with less of a delay
  std::string doing;                 // what took longer in most of the steps
  int64_t doing_ns = 0;              // in all of them
  std::vector<Victim> victims;       // by wait
};

struct RankJob {
  std::vector<RankRow> ranks;              // by rank; empty: not several
  std::vector<RankStepRow> steps;          // by step, then by rank
  std::vector<CollectiveRow> collectives;  // by time; of a single rank, too
  std::vector<StragglerRow> stragglers;    // by delays
  uint64_t matched = 0;
  uint64_t unmatched = 0;   // calls that no other rank recorded
  uint64_t step_count = 0;  // different ones
  int64_t step_ns = 0;      // mean over all ranks
  double imbalance = 0;     // most computation of a rank / mean, less 1
  std::vector<std::string> notes;

  bool several() const { return ranks.size() > 1; }
};

// Compares collectives with a peak of `gbs` GB/s; 0: none is stated. A note
// says what is faster.
inline void ComparePeak(double gbs, RankJob& job) {
  std::string note = ComparePeak(gbs, job.collectives);
  if (!note.empty()) job.notes.push_back(std::move(note));
}

// Times are brought to one clock by RankDigest::to_job.
RankJob AnalyseRanks(std::vector<RankDigest> digests);

}  // namespace stepscope
