// SPDX-License-Identifier: Apache-2.0
#include "trace/job/collective_rhythm.h"

#include <gtest/gtest.h>

#include <random>

#include "trace/job/jobs.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr int64_t kHour = 3'600'000'000'000;
constexpr int64_t kMs = 1'000'000;

// Collectives of one run, as a rank saw them: steps differ by some percent.
CollectiveRhythm Rhythm(uint32_t run, int64_t offset_ns, double drift = 0,
                        size_t skip = 0, size_t count = 24) {
  std::mt19937 steps(run);
  std::mt19937 jitter(static_cast<uint32_t>(offset_ns + 1));
  CollectiveRhythm rhythm;
  int64_t now = 0;
  for (size_t i = 0; i < skip + count; ++i) {
    now += 100 * kMs + static_cast<int64_t>(steps() % 4000) * 1000;
    if (i < skip) continue;
    rhythm.beats.push_back(
        {7 + i % 2, offset_ns + now +
                        static_cast<int64_t>(drift * double(now)) +
                        static_cast<int64_t>(jitter() % 100'000)});
  }
  return rhythm;
}

TEST(CollectiveRhythm, OneJobByClocksHoursApart) {
  EXPECT_TRUE(HaveOneRhythm(Rhythm(1, 0), Rhythm(1, 4 * kHour)));
  EXPECT_TRUE(HaveOneRhythm(Rhythm(1, 0), Rhythm(1, -4 * kHour, 1e-4)));
}

TEST(CollectiveRhythm, WhoBeganLaterIsFound) {
  EXPECT_TRUE(HaveOneRhythm(Rhythm(1, 0), Rhythm(1, kHour, 0, 9)));
  EXPECT_TRUE(HaveOneRhythm(Rhythm(1, kHour, 0, 9), Rhythm(1, 0)));
}

TEST(CollectiveRhythm, AnotherRunOfTheProgramHasAnotherRhythm) {
  for (uint32_t run = 2; run < 30; ++run)
    EXPECT_FALSE(HaveOneRhythm(Rhythm(1, 0), Rhythm(run, 0))) << run;
}

TEST(CollectiveRhythm, FewCollectivesSayNothing) {
  EXPECT_FALSE(HaveOneRhythm(Rhythm(1, 0, 0, 0, 3), Rhythm(1, 0, 0, 0, 3)));
  EXPECT_FALSE(HaveOneRhythm({}, Rhythm(1, 0)));
}

TEST(CollectiveRhythm, DamagedTimesDoNoHarm) {
  CollectiveRhythm wild;
  for (int64_t end :
       {INT64_MIN, INT64_MIN + 1, int64_t{0}, INT64_MAX - 1, INT64_MAX})
    wild.beats.push_back({7, end});
  EXPECT_FALSE(HaveOneRhythm(wild, Rhythm(1, 0)));
  EXPECT_FALSE(HaveOneRhythm(Rhythm(1, 0), wild));
}

TEST(CollectiveRhythm, OfKernelsWhereThereAreAny) {
  const auto trace = TraceFromText(R"(
    process 1 rank=0
    thread 1
      0..10 nccl:all_reduce
      10..20 c_allreduce_sum
      20..30 aten::mm
    stream 7 GPU:0
      5..60 ncclDevKernel_AllReduce_Sum Kernel
  )");
  const CollectiveRhythm rhythm = RhythmOf(*trace);
  ASSERT_EQ(rhythm.beats.size(), 1u);
  EXPECT_EQ(rhythm.beats[0].end_ns, 60);
}

TEST(CollectiveRhythm, OfOneRankOnly) {
  EXPECT_TRUE(RhythmOf(*TraceFromText(R"(
    process 1
    thread 1
      0..10 gloo:all_reduce
  )"))
                  .beats.empty());
}

FileFacts Rank(int64_t rank, uint32_t run, int64_t offset_ns,
               int64_t world = 4) {
  FileFacts file;
  file.path = "rank" + std::to_string(rank) + ".json";
  file.format = "kineto";
  file.reader = "chrome";
  file.processes.push_back({500 + rank + 100 * run, "", rank});
  file.world = world;
  file.rhythm = Rhythm(run, offset_ns);
  file.epoch_known = true;
  file.begin_ns = offset_ns;
  file.end_ns = offset_ns + 3000 * kMs;
  return file;
}

std::string Jobs(const std::vector<FileFacts>& files) {
  std::string text;
  for (const Job& job : FindJobs(files)) {
    if (!text.empty()) text += " | ";
    for (const uint32_t file : job.files) text += std::to_string(file);
  }
  return text;
}

TEST(JobRanks, ClocksHoursApartAreOneJob) {
  const std::vector<FileFacts> files = {Rank(0, 1, 0), Rank(1, 1, 4 * kHour),
                                        Rank(2, 1, -4 * kHour)};
  EXPECT_EQ(Jobs(files), "012");
  const std::vector<Job> jobs = FindJobs(files);
  ASSERT_EQ(jobs[0].notes.size(), 2u);
  EXPECT_NE(jobs[0].notes[0].find("rank1.json: its clock differs from that of "
                                  "rank0.json by 4.0 hours"),
            std::string::npos)
      << jobs[0].notes[0];
}

TEST(JobRanks, AnotherRunLaterIsAnotherJob) {
  EXPECT_EQ(Jobs({Rank(0, 1, 0), Rank(1, 2, 4 * kHour)}), "0 | 1");
}

TEST(JobRanks, TheSameRankTwiceIsAnotherJob) {
  FileFacts other = Rank(0, 1, 4 * kHour);
  other.processes[0].pid = 99;
  EXPECT_EQ(Jobs({Rank(0, 1, 0), other}), "0 | 1");
}

TEST(JobRanks, OtherWorldsAndStatedJobsStayApart) {
  EXPECT_EQ(Jobs({Rank(0, 1, 0, 4), Rank(1, 1, 4 * kHour, 8)}), "0 | 1");
  EXPECT_EQ(Jobs({Rank(0, 1, 0, 4), Rank(1, 1, 0, 8)}), "0 | 1");
  FileFacts a = Rank(0, 1, 0);
  FileFacts b = Rank(1, 1, 4 * kHour);
  a.job = "41";
  b.job = "42";
  EXPECT_EQ(Jobs({a, b}), "0 | 1");
  // More ranks than the world has.
  EXPECT_EQ(Jobs({Rank(0, 1, 0, 1), Rank(1, 1, 4 * kHour, 1)}), "0 | 1");
}

TEST(JobRanks, TwoJobsAtOneTimeAreToldApart) {
  EXPECT_EQ(Jobs({Rank(0, 1, 0), Rank(0, 2, 0), Rank(1, 1, 0), Rank(1, 2, 0)}),
            "02 | 13");
  // One file of another job among those of one.
  EXPECT_EQ(Jobs({Rank(0, 1, 0), Rank(1, 1, 0), Rank(1, 2, 0)}), "01 | 2");
}

TEST(JobRanks, HelpersGoWithWhoStartedThem) {
  FileFacts helper = Rank(0, 2, 0);
  helper.processes[0].rank = -1;
  helper.rhythm = {};
  helper.run = "2e";
  std::vector<FileFacts> files = {Rank(0, 1, 0), helper, Rank(0, 2, 0)};
  files[0].run = "1f";
  files[2].run = "2e";
  files[1].processes[0].pid = 9;
  EXPECT_EQ(Jobs(files), "0 | 12");
}

TEST(JobRanks, ACopyOfARankIsAClaimAndNoOtherJob) {
  FileFacts copy = Rank(1, 1, 0);
  copy.processes[0].pid = 99;
  EXPECT_EQ(Jobs({Rank(0, 1, 0), Rank(1, 1, 0), copy}), "012");
}

TEST(JobRanks, AThousandFilesThatHaveNothingInCommon) {
  std::vector<FileFacts> files;
  for (uint32_t i = 0; i < 1024; ++i)
    files.push_back(Rank(i, i + 1, i * kHour, 1024));
  EXPECT_EQ(FindJobs(files).size(), 1024u);
}

TEST(JobRanks, WithoutCollectivesNothingIsTakenApart) {
  FileFacts a = Rank(0, 1, 0);
  FileFacts b = Rank(0, 2, 0);
  a.rhythm = b.rhythm = {};
  EXPECT_EQ(Jobs({a, b}), "01");
}

}  // namespace
}  // namespace stepscope
