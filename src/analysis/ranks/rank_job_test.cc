// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/rank_job.h"

#include <gtest/gtest.h>

#include <string>

#include "analysis/headline.h"
#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

// Ranks on one clock. In every step a rank computes, comes to an all_reduce,
// and leaves it with the others.
struct JobText {
  uint32_t ranks = 4;
  int64_t steps = 10;
  int64_t late_rank = 2;
  int64_t late_every = 3;  // steps
  int64_t late_ns = 20'000;
  std::string late_event;   // what it does meanwhile; empty: nothing
  int64_t ends_early = -1;  // a rank that stops after half of the steps

  std::string Make() const {
    std::string text;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      text += "process " + std::to_string(100 + rank) +
              " rank=" + std::to_string(rank) + "\nthread 1 main\n";
      int64_t now = 0;
      const int64_t count = rank == ends_early ? steps / 2 : steps;
      for (int64_t step = 0; step < count; ++step) {
        const bool late = step % late_every == 0;
        const int64_t arrival =
            now + 50'000 + (late && rank == late_rank ? late_ns : 0);
        const int64_t meeting = now + 50'000 + (late ? late_ns : 0);
        const auto line = [&](int64_t from, int64_t to,
                              const std::string& what) {
          text += std::to_string(from) + ".." + std::to_string(to) + " " +
                  what + "\n";
        };
        line(now, meeting + 10'000,
             "ProfileStep#" + std::to_string(step) + " ProfileStep");
        line(now, now + 50'000, "matmul Operator");
        if (late && rank == late_rank && !late_event.empty()) {
          line(now + 50'000, arrival, late_event);
        }
        line(arrival, meeting + 10'000, "all_reduce Communication bytes=4000");
        now = meeting + 10'000;
      }
    }
    return text;
  }
};

RankJob JobOf(const std::string& text) {
  const auto trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kRankViews;
  return ComputeSummary(*trace, options).ranks;
}

TEST(RankJob, NamesWhoIsLateAndWhen) {
  const RankJob job = JobOf(JobText().Make());
  ASSERT_EQ(job.ranks.size(), 4u);
  ASSERT_EQ(job.stragglers.size(), 1u);
  const StragglerRow& worst = job.stragglers[0];
  EXPECT_EQ(worst.rank, 2);
  EXPECT_EQ(worst.delays_ns, 4 * 20'000);  // steps 0, 3, 6 and 9
  EXPECT_EQ(worst.gain_ns, 8'000);
  EXPECT_EQ(worst.others_wait_ns, 3 * 4 * 20'000);
  ASSERT_EQ(worst.steps.size(), 4u);
  EXPECT_EQ(worst.steps[1].step, 3);
  EXPECT_EQ(worst.steps[1].delay_ns, 20'000);
  EXPECT_EQ(worst.doing, "nothing recorded");
  EXPECT_EQ(worst.steps[1].doing_ns, 20'000);
  ASSERT_EQ(worst.victims.size(), 3u);
  EXPECT_EQ(worst.victims[0].wait_ns, 4 * 20'000);
}

TEST(RankJob, SaysWhatThatRankDid) {
  JobText text;
  text.late_event = "decode_image Operator";
  const RankJob job = JobOf(text.Make());
  ASSERT_FALSE(job.stragglers.empty());
  EXPECT_EQ(job.stragglers[0].doing, "decode_image");
  EXPECT_EQ(job.stragglers[0].doing_ns, 4 * 20'000);
}

TEST(RankJob, DealsOutTheStepsOfARank) {
  const RankJob job = JobOf(JobText().Make());
  const RankRow& punctual = job.ranks[0];
  EXPECT_EQ(punctual.steps, 10u);
  EXPECT_EQ(punctual.step_ns, 68'000);
  EXPECT_EQ(punctual.computation_ns, 50'000);
  EXPECT_EQ(punctual.wait_ns, 8'000);
  EXPECT_EQ(punctual.transfer_ns, 10'000);
  EXPECT_EQ(punctual.communication_ns, 18'000);
  EXPECT_EQ(punctual.exposed_ns, 18'000);
  EXPECT_EQ(job.ranks[2].wait_ns, 0);
  EXPECT_EQ(job.ranks[2].idle_ns, 8'000);
  EXPECT_EQ(job.ranks[2].delays_ns, 8'000);
  EXPECT_EQ(job.ranks[2].last, 4u);
  EXPECT_DOUBLE_EQ(job.ranks[2].load, 1);
  ASSERT_EQ(job.steps.size(), 40u);
  EXPECT_EQ(job.steps[2].rank, 2);
  EXPECT_EQ(job.steps[2].delays_ns, 20'000);
}

TEST(RankJob, BusBandwidth) {
  const RankJob job = JobOf(JobText().Make());
  ASSERT_EQ(job.collectives.size(), 1u);
  const CollectiveRow& row = job.collectives[0];
  EXPECT_EQ(row.calls, 10u);
  EXPECT_EQ(row.ranks, 4u);
  EXPECT_EQ(row.time_ns, 10 * 10'000);
  // 4000 bytes in 10 us are 0.4 GB/s, times 2 * 3 / 4.
  EXPECT_DOUBLE_EQ(*row.BusBandwidth(), 0.6);
}

TEST(RankJob, ARankThatDied) {
  JobText text;
  text.ends_early = 3;
  const RankJob job = JobOf(text.Make());
  EXPECT_EQ(job.ranks[3].steps, 5u);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("rank 3 at step 4"), std::string::npos);
  EXPECT_EQ(job.stragglers[0].delays_ns, 4 * 20'000);
}

TEST(RankJob, CallsWithoutAPartnerMayBeOfStepsThatOthersLack) {
  JobText text;
  text.ranks = 2;
  text.late_rank = 1;
  text.ends_early = 1;
  const RankJob job = JobOf(text.Make());
  ASSERT_EQ(job.notes.size(), 2u);
  EXPECT_NE(job.notes[1].find("the ranks have different steps here"),
            std::string::npos);
}

TEST(RankJob, OneRankIsNoJobButHasCollectives) {
  JobText text;
  text.ranks = 1;
  text.late_rank = 0;
  const RankJob job = JobOf(text.Make());
  EXPECT_FALSE(job.several());
  EXPECT_TRUE(job.ranks.empty());
  ASSERT_EQ(job.collectives.size(), 1u);
  const CollectiveRow& row = job.collectives[0];
  EXPECT_EQ(row.kind, "all_reduce");
  EXPECT_EQ(row.calls, 10u);
  EXPECT_EQ(row.ranks, 1u);
  EXPECT_FALSE(row.of_several());
  EXPECT_EQ(row.time_ns, 10 * 10'000);
  EXPECT_DOUBLE_EQ(*row.AlgorithmBandwidth(), 0.4);
  // A group of one sends nothing over a bus; its true size was not stated.
  EXPECT_FALSE(row.BusBandwidth());
}

TEST(RankJob, TheStatedPeakIsTheWhole) {
  RankJob job = JobOf(JobText().Make());
  ComparePeak(1.2, job);
  EXPECT_DOUBLE_EQ(*job.collectives[0].peak_ratio, 0.5);
  EXPECT_TRUE(job.notes.empty());
  ComparePeak(0, job);
  ComparePeak(0.5, job);  // slower than what was measured
  EXPECT_FALSE(job.collectives[0].peak_ratio);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("faster than the stated peak of 0.5 GB/s"),
            std::string::npos);
}

TEST(RankJob, TheHeadlineNamesWhoIsLate) {
  const std::vector<std::string> said = HeadlineOf(JobOf(JobText().Make()));
  ASSERT_EQ(said.size(), 2u);
  EXPECT_EQ(said[0],
            "Rank 2 makes the others wait: 80.00 us in 10 steps, 11.8 % of a "
            "step.");
  EXPECT_EQ(said[1],
            "Before it comes, nothing is recorded on it for longer than on "
            "the others.");
  JobText punctual;
  punctual.late_ns = 0;
  EXPECT_EQ(HeadlineOf(JobOf(punctual.Make())),
            std::vector<std::string>{"No rank makes the others wait."});
  JobText one;
  one.ranks = 1;
  EXPECT_TRUE(HeadlineOf(JobOf(one.Make())).empty());
}

TEST(RankJob, ProcessesBesideRanksAreNone) {
  // A launcher has no rank, no steps and no collectives.
  const RankJob job =
      JobOf(JobText().Make() + "process 7\nthread 1 main\n0..9 poll\n");
  EXPECT_EQ(job.ranks.size(), 4u);
}

// A profiler that records some steps again and again writes a file each time;
// a trace of them has the process twice.
TEST(RankJob, RecordingsOfAProcessOneAfterTheOtherAreNoRanks) {
  const auto recorded = [](const std::string& process, int first) {
    std::string text = "process " + process + "\nthread 1 main\n";
    for (int step = first; step < first + 3; ++step)
      text += std::to_string(step * 100) + ".." +
              std::to_string(step * 100 + 90) + " ProfileStep#" +
              std::to_string(step) + " ProfileStep\n";
    return text;
  };
  const std::string once = recorded("7 host=a", 0);
  EXPECT_TRUE(JobOf(once + recorded("7 host=a", 10)).ranks.empty());
  EXPECT_EQ(JobOf(once + recorded("7 host=a", 1)).ranks.size(), 2u);
  EXPECT_EQ(JobOf(once + recorded("8 host=a", 10)).ranks.size(), 2u);
  EXPECT_EQ(JobOf(once + recorded("7 host=b", 10)).ranks.size(), 2u);
  // Nobody says that it is the same machine.
  EXPECT_EQ(JobOf(recorded("7", 0) + recorded("7", 10)).ranks.size(), 2u);
}

TEST(RankJob, RanksThatNobodyStates) {
  std::string text = JobText().Make();
  for (size_t at = text.find(" rank="); at != text.npos;
       at = text.find(" rank=")) {
    text.erase(at, 7);
  }
  const RankJob job = JobOf(text);
  ASSERT_EQ(job.ranks.size(), 4u);
  EXPECT_EQ(job.stragglers[0].rank, 2);
  ASSERT_EQ(job.notes.size(), 1u);
  EXPECT_NE(job.notes[0].find("numbered"), std::string::npos);
}

TEST(RankJob, TheAdviceNamesTheRank) {
  const auto trace = TraceFromText(JobText().Make());
  SummaryOptions options;
  options.views = kAdviceView;
  const Summary summary = ComputeSummary(*trace, options);
  const Finding* found = nullptr;
  for (const Finding& finding : summary.advice.findings) {
    if (finding.id == "straggler") found = &finding;
  }
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->finding, "Rank 2 comes late, and the others wait.");
  EXPECT_EQ(found->saving_ns, 8'000);
  EXPECT_NE(found->evidence[0].what.find("steps 0, 3, 6 and 9"),
            std::string::npos)
      << found->evidence[0].what;
}

}  // namespace
}  // namespace stepscope
