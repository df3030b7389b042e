// SPDX-License-Identifier: Apache-2.0
//
// Loops of all kinds, made from seeds: whatever the schedule, a cold start and
// stalls, the step without the recorder is near the true one or not known, and
// never longer than the recorded ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/order_statistics.h"
#include "analysis/unprofiled.h"
#include "analysis/warmup.h"
#include "base/whole_or_part.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

constexpr size_t kKeptByTheRecorder = 32;

// A loop with a window of recorded steps, as recorder and reader see it.
class RandomLoop {
 public:
  explicit RandomLoop(uint32_t seed) : random_(seed) {
    bare_ns_ = 1e4 * (1 + 1e3 * Share());
    cost_ = 1 + (Share() < 0.3 ? 0 : Share());
    jitter_ = Share() < 0.5 ? 0.01 : 0.1 * Share();
    stalls_ = Share() < 0.5 ? 0 : 0.15 * Share();
    const size_t before = Below(15);
    const size_t recorded = 1 + Below(30);
    const size_t after = Below(40);
    cold_ = Below(6);
    const double coldness = 1 + 5 * Share();
    std::vector<int64_t> unrecorded;
    std::vector<int64_t> periods;
    for (size_t i = 0; i < before + recorded + after; ++i) {
      const bool records = i >= before && i < before + recorded;
      double ns = bare_ns_ * (records ? cost_ : 1);
      if (i < cold_) ns *= coldness;
      ns *= 1 + jitter_ * (2 * Share() - 1);
      if (Share() < stalls_) ns *= 1 + 20 * Share();
      (records ? periods : unrecorded).push_back(static_cast<int64_t>(ns));
      if (!records && i < cold_ && i > 0) ++cold_timed_;
    }
    if (!unrecorded.empty()) unrecorded.erase(unrecorded.begin());
    timed_ = unrecorded;
    if (timed_.size() > kKeptByTheRecorder) {
      timed_.erase(timed_.begin(), timed_.end() - kKeptByTheRecorder);
    }
    const size_t warmup = CountWarmup(periods, [](size_t) { return 0; });
    recorded_.assign(periods.begin() + static_cast<ptrdiff_t>(warmup),
                     periods.end());
    cold_recorded_ = cold_ > before + warmup ? cold_ - before - warmup : 0;
  }

  UnprofiledJudgement Judge() const {
    TraceBuilder builder;
    Process process;
    std::string text;
    for (const int64_t ns : timed_) {
      text += (text.empty() ? "" : " ") + std::to_string(ns);
    }
    process.metadata.emplace_back(builder.Intern("unprofiled_times_ns"),
                                  builder.Intern(text));
    builder.AddProcess(process);
    return JudgeUnprofiledStep(**builder.Finish(), recorded_, std::nullopt);
  }

  int64_t recorded_ns() const { return Median(recorded_); }
  double cost() const { return cost_; }
  // So that medians are of settled steps, found or not.
  bool mostly_settled() const {
    return 3 * cold_timed_ <= timed_.size() &&
           3 * cold_recorded_ <= recorded_.size();
  }
  // Nobody could hope for more.
  bool clear() const {
    return timed_.size() > 10 && recorded_.size() > 10 &&
           cold_timed_ + cold_recorded_ == 0 && jitter_ < 0.02 && stalls_ == 0;
  }
  size_t timed() const { return timed_.size(); }

 private:
  double Share() { return static_cast<double>(random_()) / 4294967296.0; }
  size_t Below(size_t limit) { return random_() % limit; }

  std::mt19937 random_;
  double bare_ns_ = 0;
  double cost_ = 1;
  double jitter_ = 0;
  double stalls_ = 0;
  size_t cold_ = 0;
  size_t cold_timed_ = 0;     // of those timed
  size_t cold_recorded_ = 0;  // of those that pass for settled
  std::vector<int64_t> timed_;
  std::vector<int64_t> recorded_;
};

TEST(UnprofiledPropertyTest, KnownOrNotAndNeverWrong) {
  constexpr uint32_t kLoops = WholeOrPart(20'000u, 4'000u);
  size_t known = 0;
  size_t clear = 0;
  for (uint32_t seed = 0; seed < kLoops; ++seed) {
    const RandomLoop loop(seed);
    const UnprofiledJudgement judged = loop.Judge();
    if (!judged.step) {
      EXPECT_FALSE(loop.clear()) << seed << " " << judged.doubt;
      EXPECT_EQ(judged.doubt.empty(), loop.timed() == 0) << seed;
      continue;
    }
    ++known;
    clear += loop.clear();
    EXPECT_EQ(judged.doubt, "") << seed;
    EXPECT_GE(judged.step->count, 3u) << seed;
    EXPECT_GT(judged.step->ns, 0) << seed;
    EXPECT_LE(judged.step->ns, loop.recorded_ns()) << seed;
    if (!loop.mostly_settled()) continue;
    const double factor = static_cast<double>(loop.recorded_ns()) /
                          static_cast<double>(judged.step->ns);
    EXPECT_NEAR(factor / loop.cost(), 1, 0.3) << seed;
  }
  // Both are said, each often enough for the above to mean something.
  EXPECT_GT(known, kLoops / 4);
  EXPECT_LT(known, kLoops / 10 * 9);
  EXPECT_GT(clear, kLoops / 40);
}

}  // namespace
}  // namespace stepscope
