// SPDX-License-Identifier: Apache-2.0
#include "query/job_names.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

constexpr int64_t kNoon = 1'790'000'000'000'000'000;

RankFactsList RankSource(const std::string& path, int64_t rank, int64_t begin,
                         const std::string& stated = "",
                         const std::string& job = "") {
  RankFacts facts;
  facts.source = path;
  facts.format = "kineto";
  facts.importer = "chrome";
  facts.fingerprint = "0123456789abcdef-5";
  facts.rank = facts.stated_rank = rank;
  facts.pid = 100 + rank;
  facts.host = "node";
  facts.stated_job = stated;
  facts.job = job;
  facts.epoch_known = true;
  facts.epoch_ns = kNoon;
  facts.begin_ns = begin;
  facts.end_ns = begin + 1'000'000'000;
  return {facts};
}

TEST(JobFolder, ReadsAsTextInEveryEngine) {
  EXPECT_EQ(JobFolder("train"), "train");
  EXPECT_EQ(JobFolder("a-b_c.1"), "a-b_c.1");
  EXPECT_EQ(JobFolder("12345"), "job-12345");
  EXPECT_EQ(JobFolder("2026-11-16"), "job-2026-11-16");
  EXPECT_TRUE(JobFolder("../../x").starts_with("job-.._.._x-"));
  EXPECT_NE(JobFolder("a/b"), JobFolder("a?b"));
  EXPECT_EQ(JobFolder("a/b").find('/'), std::string::npos);
  EXPECT_LT(JobFolder(std::string(500, 'x')).size(), 120u);
  EXPECT_NE(JobFolder(std::string(500, 'x')), JobFolder(std::string(501, 'x')));
}

TEST(ChooseJobs, RanksThatOverlapAreOneJob) {
  const auto choices =
      ChooseJobs({}, {RankSource("r0", 0, 0), RankSource("r1", 1, 500'000'000)},
                 false)
          .by_source;
  EXPECT_EQ(choices[0].job, "job-20260921-141320");
  EXPECT_EQ(choices[1].job, choices[0].job);
}

TEST(ChooseJobs, LaterRankJoinsTheJobThatIsThere) {
  RankFactsList later = RankSource("x", 0, 1L << 50);
  later.front().pid = 7;
  const auto choices =
      ChooseJobs({RankSource("r0", 0, 0, "", "mine")},
                 {RankSource("r1", 1, 500'000'000), later}, false)
          .by_source;
  EXPECT_EQ(choices[0].job, "mine");
  EXPECT_NE(choices[1].job, "mine");
}

TEST(ChooseJobs, StatedJobsStayApart) {
  const auto choices =
      ChooseJobs({}, {RankSource("r0", 0, 0, "7"), RankSource("r1", 1, 0, "8")},
                 false)
          .by_source;
  EXPECT_EQ(choices[0].job, "job-7");
  EXPECT_EQ(choices[1].job, "job-8");
}

TEST(ChooseJobs, NamedFilesAreOneJob) {
  const auto choices =
      ChooseJobs({}, {RankSource("r0", 0, 0), RankSource("r1", 1, 1L << 50)},
                 true)
          .by_source;
  EXPECT_EQ(choices[0].job, choices[1].job);
}

// Steps of this run take 100 ms and a little, each another little.
RankFactsList Beating(const std::string& path, int64_t rank, int64_t run,
                      int64_t clock_ns, const std::string& job = "") {
  RankFactsList source = RankSource(path, rank, 0, "", job);
  source.front().epoch_ns += clock_ns;
  for (int64_t i = 0; i < 12; ++i)
    source.front().rhythm.beats.push_back(
        {7, 100'000'000 * i + (i * i * run * 7919 % 20'000'000)});
  return source;
}

TEST(ChooseJobs, OneRhythmIsOneJobHoweverFarTheClocks) {
  constexpr int64_t kHours = 4 * 3'600'000'000'000;
  const auto at_once =
      ChooseJobs({},
                 {Beating("r0", 0, 1, 0), Beating("r1", 1, 1, kHours),
                  Beating("r2", 2, 5, -kHours)},
                 false);
  EXPECT_EQ(at_once.by_source[1].job, at_once.by_source[0].job);
  EXPECT_NE(at_once.by_source[2].job, at_once.by_source[0].job);
  ASSERT_EQ(at_once.notes.size(), 1u);
  EXPECT_TRUE(at_once.notes[0].starts_with("r1: its clock differs"));
  // What was told of r1 is not told again.
  const auto later = ChooseJobs(
      {Beating("r0", 0, 1, 0, "mine"), Beating("r1", 1, 1, kHours, "mine")},
      {Beating("r3", 3, 1, 3 * kHours)}, false);
  EXPECT_EQ(later.by_source[0].job, "mine");
  ASSERT_EQ(later.notes.size(), 1u);
  EXPECT_TRUE(later.notes[0].starts_with("r3: "));
}

TEST(ChooseJobs, RankClaimedTwiceByAnotherRhythmIsAnotherJob) {
  RankFactsList other = Beating("other", 0, 5, 0);
  other.front().pid = 900;
  const auto choices = ChooseJobs({Beating("r0", 0, 1, 0, "mine")},
                                  {Beating("r1", 1, 1, 0), other}, false);
  EXPECT_EQ(choices.by_source[0].job, "mine");
  EXPECT_NE(choices.by_source[1].job, "mine");
}

TEST(ChooseJobs, AnotherJobOfThatNameGetsAnotherName) {
  RankFactsList far = RankSource("r2", 0, 0, "", "job-20260921-141320");
  far.front().epoch_ns += 1L << 55;
  const auto other =
      ChooseJobs({far}, {RankSource("r1", 1, 0)}, false).by_source;
  EXPECT_EQ(other[0].job, "job-20260921-141320-01234567");
}

}  // namespace
}  // namespace stepscope
