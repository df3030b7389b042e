// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranks/align_clocks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/ranks/synthetic_job_test_support.h"
#include "base/whole_or_part.h"

namespace stepscope {
namespace {

struct Errors {
  int64_t median = 0;
  int64_t p99 = 0;
  double covered = 0;  // share within the stated error
};

std::vector<AlignedClock> Align(const SyntheticJob& job,
                                std::vector<ClockPrior> priors = {}) {
  const std::vector<MatchInput> inputs = job.Inputs();
  priors.resize(inputs.size());
  return AlignClocks(priors, inputs, MatchCalls(inputs));
}

// At the begin, the middle and the end of many jobs.
Errors ErrorsOf(SyntheticOptions options, uint32_t seeds) {
  std::vector<int64_t> errors;
  uint64_t covered = 0;
  for (options.seed = 1; options.seed <= seeds; ++options.seed) {
    const SyntheticJob job(options);
    const std::vector<AlignedClock> clocks = Align(job);
    for (uint32_t rank = 1; rank < options.ranks; ++rank) {
      EXPECT_EQ(clocks[rank].method, ClockMethod::kCollectives);
      for (int i = 0; i <= 2; ++i) {
        const int64_t at = job.length_ns() * i / 2;
        const int64_t error =
            std::abs(job.ErrorAt(rank, clocks[rank].to_set, at));
        errors.push_back(error);
        covered += error <= clocks[rank].ErrorAt(job.Shown(rank, at));
      }
    }
  }
  std::sort(errors.begin(), errors.end());
  Errors result;
  result.median = errors[errors.size() / 2];
  result.p99 = errors[errors.size() * 99 / 100];
  result.covered =
      static_cast<double>(covered) / static_cast<double>(errors.size());
  return result;
}

TEST(AlignClocks, FindsSkewAndDrift) {
  const Errors errors =
      ErrorsOf({.ranks = 8, .steps = 100}, WholeOrPart(20u, 4u));
  EXPECT_LE(errors.median, 10'000);
  RecordProperty("p99_ns", std::to_string(errors.p99));
  EXPECT_LE(errors.p99, 50'000);
  EXPECT_GE(errors.covered, 0.95);
}

TEST(AlignClocks, TwoRanksAndALongWayToGo) {
  const Errors errors = ErrorsOf({.ranks = 2, .steps = 60}, 40);
  EXPECT_LE(errors.p99, 50'000);
  EXPECT_GE(errors.covered, 0.95);
}

TEST(AlignClocks, IsCloserWhereCollectivesAreDense) {
  const Errors errors =
      ErrorsOf({.ranks = 4, .steps = 400, .calls = 40}, WholeOrPart(6u, 1u));
  EXPECT_LE(errors.p99, 5'000);
  EXPECT_GE(errors.covered, 0.95);
}

TEST(AlignClocks, FewCallsDoNotTiltAClock) {
  const SyntheticJob job({.ranks = 2,
                          .steps = 6,
                          .calls = 2,
                          .step_ns = 10'000'000,
                          .jitter_ns = 80'000,
                          .offset_s = 0,
                          .drift_ppm = 0});
  const std::vector<AlignedClock> clocks = Align(job);
  EXPECT_EQ(clocks[1].drift_ppm, 0);
  EXPECT_LT(std::abs(clocks[1].offset_ns), 100'000);
  EXPECT_GE(clocks[1].error_ns, 20'000);  // and it does not claim to know
}

TEST(AlignClocks, OutliersDoNoHarm) {
  SyntheticJob job({.ranks = 4, .steps = 100});
  // A fifth of the ends of one rank are milliseconds late.
  auto& calls = job.ranks()[2].calls;
  for (size_t i = 0; i < calls.size(); i += 5) {
    calls[i].time.end += 7'000'000 + static_cast<int64_t>(i) * 10'000;
  }
  const std::vector<AlignedClock> clocks = Align(job);
  for (uint32_t rank = 1; rank < 4; ++rank) {
    EXPECT_LE(
        std::abs(job.ErrorAt(rank, clocks[rank].to_set, job.length_ns() / 2)),
        20'000);
  }
}

TEST(AlignClocks, MissingAndUnequalRanks) {
  SyntheticJob job({.ranks = 4, .steps = 100});
  // One recorded a few steps only, one lost calls here and there, one died.
  auto& few = job.ranks()[1].calls;
  few.erase(few.begin(), few.begin() + 320);
  auto& lossy = job.ranks()[2].calls;
  for (size_t i = 350; i > 7; i -= 7) {
    lossy.erase(lossy.begin() + static_cast<ptrdiff_t>(i));
  }
  job.ranks()[3].calls.resize(201);
  const std::vector<AlignedClock> clocks = Align(job);
  EXPECT_LE(
      std::abs(job.ErrorAt(1, clocks[1].to_set, job.length_ns() * 9 / 10)),
      30'000);
  for (uint32_t rank = 2; rank < 4; ++rank) {
    EXPECT_LE(
        std::abs(job.ErrorAt(rank, clocks[rank].to_set, job.length_ns() / 3)),
        30'000);
  }
}

TEST(AlignClocks, StepsCountedFromDifferentOnes) {
  SyntheticJob job({.ranks = 3, .steps = 60, .step_ns = 30'000'000});
  for (RankCall& call : job.ranks()[1].calls) call.step += 1000;
  auto& late = job.ranks()[2].calls;
  late.erase(late.begin(), late.begin() + 12);
  for (RankCall& call : late) call.step -= 3;
  const std::vector<AlignedClock> clocks = Align(job);
  for (uint32_t rank = 1; rank < 3; ++rank) {
    EXPECT_LE(
        std::abs(job.ErrorAt(rank, clocks[rank].to_set, job.length_ns() / 2)),
        50'000);
  }
}

TEST(AlignClocks, ByWayOfAThird) {
  SyntheticJob job({.ranks = 3, .steps = 200});
  // 0 meets 1 in even steps, 1 meets 2 in odd ones; 0 and 2 never meet.
  const auto keep = [&](uint32_t rank, int64_t odd) {
    std::erase_if(job.ranks()[rank].calls,
                  [&](const RankCall& call) { return call.step % 2 != odd; });
  };
  keep(0, 0);
  keep(2, 1);
  const std::vector<AlignedClock> clocks = Align(job);
  EXPECT_EQ(clocks[2].method, ClockMethod::kCollectives);
  EXPECT_LE(std::abs(job.ErrorAt(2, clocks[2].to_set, job.length_ns() / 2)),
            50'000);
}

TEST(AlignClocks, GroupsThatNeverMeet) {
  SyntheticJob job({.ranks = 4, .steps = 20});
  for (uint32_t rank = 2; rank < 4; ++rank) {
    job.ranks()[rank].signatures[0].group = "other";
  }
  const std::vector<AlignedClock> clocks = Align(job);
  EXPECT_EQ(clocks[0].method, ClockMethod::kReference);
  EXPECT_EQ(clocks[1].method, ClockMethod::kCollectives);
  EXPECT_EQ(clocks[2].method, ClockMethod::kReference);
  EXPECT_EQ(clocks[3].method, ClockMethod::kCollectives);
}

TEST(AlignClocks, OneMachineKeepsItsClock) {
  const SyntheticOptions same{.ranks = 2, .offset_s = 0, .drift_ppm = 0};
  ClockPrior prior;
  prior.shared = 0;
  prior.error_ns = 100;
  const std::vector<AlignedClock> kept =
      Align(SyntheticJob(same), {prior, prior});
  EXPECT_EQ(kept[1].method, ClockMethod::kSameClock);
  EXPECT_TRUE(kept[1].to_set.is_identity());
  EXPECT_EQ(kept[1].error_ns, 200);
  // Two machines that call themselves alike.
  const std::vector<AlignedClock> denied =
      Align(SyntheticJob({.ranks = 2}), {prior, prior});
  EXPECT_EQ(denied[1].method, ClockMethod::kCollectives);
}

TEST(AlignClocks, HoursApart) {
  const SyntheticJob job({.ranks = 2, .offset_s = 40'000});
  const std::vector<AlignedClock> clocks = Align(job);
  EXPECT_LE(std::abs(job.ErrorAt(1, clocks[1].to_set, job.length_ns() / 2)),
            20'000);
}

TEST(AlignClocks, NobodyAndOne) {
  EXPECT_TRUE(AlignClocks({}, {}, MatchCalls({})).empty());
  const SyntheticJob one({.ranks = 1});
  EXPECT_EQ(Align(one)[0].method, ClockMethod::kAlone);
}

TEST(AlignClocks, TheMapCanBeUndone) {
  const SyntheticJob job({.ranks = 2});
  const ClockMap map = Align(job)[1].to_set;
  const ClockMap back = ClockMap::FromParts(map.to_ns(), map.from_ns(),
                                            map.rate_from(), map.rate_to());
  for (const RankCall& call : job.Inputs()[1].rank->calls) {
    EXPECT_LE(std::abs(back(map(call.time.begin)) - call.time.begin), 1);
  }
}

}  // namespace
}  // namespace stepscope
