// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/job_replay.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stepscope {
namespace {

constexpr int64_t kMs = 1'000'000;

// Ranks that compute and meet, all waiting for each meeting: `work` says how
// long a rank computes before a meeting.
struct Job {
  std::vector<RankDigest> digests;
  std::vector<int64_t> rank_of;
  Meetings meetings;
  uint64_t steps = 0;

  template <typename Work>
  Job(uint32_t ranks, int64_t step_count, int64_t calls, Work work)
      : digests(ranks), steps(static_cast<uint64_t>(step_count)) {
    CallSignature signature;
    signature.kind = CollectiveKind::kAllReduce;
    for (uint32_t i = 0; i < ranks; ++i) {
      rank_of.push_back(i);
      digests[i].calls.rank = i;
      digests[i].calls.signatures.push_back(signature);
    }
    int64_t now = 0;
    for (int64_t step = 0; step < step_count; ++step) {
      const int64_t begin = now;
      for (int64_t call = 0; call < calls; ++call) {
        int64_t last = 0;
        for (uint32_t i = 0; i < ranks; ++i)
          last = std::max(last, now + work(i, step, call));
        for (uint32_t i = 0; i < ranks; ++i) {
          RankCall made;
          made.time = {now + work(i, step, call), last + 2 * kMs};
          made.step = step;
          digests[i].calls.calls.push_back(made);
        }
        now = last + 2 * kMs;
      }
      RankStep recorded;
      recorded.index = step;
      recorded.range = {begin, now};
      for (RankDigest& digest : digests) digest.steps.push_back(recorded);
    }
    meetings = FindMeetings(digests);
  }

  ReplayedGain IfAverage(int64_t rank) const {
    return JobReplay(digests, rank_of, meetings, steps).IfAverage(rank);
  }
};

TEST(JobReplay, OneCollectiveInAStep) {
  // Rank 1 is late by 15 ms in every third of 6 steps.
  const Job job(3, 6, 1, [](uint32_t rank, int64_t step, int64_t) {
    return 5 * kMs + (rank == 1 && step % 3 == 0 ? 15 * kMs : 0);
  });
  const ReplayedGain gain = job.IfAverage(1);
  EXPECT_EQ(gain.low_ns, 5 * kMs);
  EXPECT_EQ(gain.high_ns, 5 * kMs);
  EXPECT_EQ(gain.error_ns, 0);
}

TEST(JobReplay, WhoIsLikeTheOthersGainsNothing) {
  const Job job(3, 6, 2, [](uint32_t rank, int64_t, int64_t) {
    return 5 * kMs + (rank == 1 ? 15 * kMs : 0);
  });
  EXPECT_EQ(job.IfAverage(7).high_ns, 0);
  EXPECT_EQ(job.IfAverage(0).high_ns, 0);
  EXPECT_GT(job.IfAverage(1).high_ns, 0);
}

TEST(JobReplay, WhetherWorkWaitedIsARange) {
  // Late before the first of two collectives: what the others do between the
  // two can go on meanwhile, or not.
  const Job job(3, 4, 2, [](uint32_t rank, int64_t, int64_t call) {
    return 5 * kMs + (rank == 1 && call == 0 ? 15 * kMs : 0);
  });
  const ReplayedGain gain = job.IfAverage(1);
  EXPECT_EQ(gain.high_ns, 15 * kMs);
  EXPECT_EQ(gain.low_ns, 0);
}

TEST(JobReplay, TheNextSlowestLimitsTheGain) {
  // Rank 1 takes 25 ms, rank 2 takes 15 ms, the others 5 ms: like the average
  // of the others, rank 1 would come before rank 2.
  const Job job(4, 5, 1, [](uint32_t rank, int64_t, int64_t) {
    return (rank == 1 ? 25 : rank == 2 ? 15 : 5) * kMs;
  });
  EXPECT_EQ(job.IfAverage(1).low_ns, 10 * kMs);
  EXPECT_EQ(job.IfAverage(1).high_ns, 10 * kMs);
  // Without rank 1, nobody waits for rank 2 less.
  EXPECT_EQ(job.IfAverage(2).high_ns, 0);
}

TEST(JobReplay, ClocksLeaveSomethingOpen) {
  Job job(3, 6, 1, [](uint32_t rank, int64_t, int64_t) {
    return 5 * kMs + (rank == 1 ? 15 * kMs : 0);
  });
  for (Meeting& meeting : job.meetings.list) meeting.clock_error_ns = 1000;
  EXPECT_EQ(job.IfAverage(1).error_ns, 1000);
  EXPECT_EQ(job.IfAverage(0).error_ns, 0);
}

TEST(JobReplay, NoMeetings) {
  const std::vector<RankDigest> digests(2);
  const JobReplay replay(digests, {0, 1}, {}, 3);
  EXPECT_EQ(replay.IfAverage(0).high_ns, 0);
}

}  // namespace
}  // namespace stepscope
