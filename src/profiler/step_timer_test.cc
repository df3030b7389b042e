// SPDX-License-Identifier: Apache-2.0
#include "profiler/step_timer.h"

#include <gtest/gtest.h>

namespace stepscope::profiler {
namespace {

// A training loop on a virtual clock; all times in nanoseconds.
class Loop {
 public:
  Loop() { timer_.Begin(now_); }

  // Reads for `read_ns` (0: no reader), then works until `batch_ns` are over.
  void Step(int64_t read_ns, int64_t batch_ns, int64_t samples = -1) {
    if (read_ns > 0) {
      Read(&train_, read_ns);
      batch_ns -= read_ns;
    }
    now_ += batch_ns;
    timer_.EndStep(now_, samples);
    now_ += 1'000'000'000;  // our own work, in no step
    timer_.BeginStep(now_);
  }

  void Read(const void* reader, int64_t ns) {
    timer_.BeginRead(reader, now_);
    now_ += ns;
    timer_.EndRead(reader, ns);
  }

  void Wait(int64_t ns) { now_ += ns; }
  void Pause() { timer_.Pause(now_); }
  void Resume() { timer_.Resume(now_); }

  StepTimer& timer() { return timer_; }
  const void* train() const { return &train_; }
  const void* other() const { return &other_; }

 private:
  int64_t now_ = 5'000'000'000;
  StepTimer timer_;
  int train_ = 0;
  int other_ = 0;
};

// The first case of the golden timer run, with averages over what is counted.
TEST(StepTimer, StepsPerSecond) {
  Loop loop;
  for (int i = 0; i < 14; ++i) {
    loop.Step(12'000'000 + 100'000 * i, i % 2 == 0 ? 25'600'000 : 26'000'000);
    if (i == 0) {
      EXPECT_EQ(
          loop.timer().StepInfo(""),
          " reader_cost: 0.01200 s batch_cost: 0.02560 s ips: 39.062 steps/s");
    }
    if (i == 10) {
      EXPECT_EQ(
          loop.timer().StepInfo(""),
          " reader_cost: 0.01255 s batch_cost: 0.02580 s ips: 38.760 steps/s");
    }
  }
  EXPECT_EQ(PerfSummary(loop.timer()),
            "============================================Perf Summary"
            "============================================\n"
            "Reader Ratio: 50.969%\n"
            "Time Unit: s, IPS Unit: steps/s\n"
            "|                 |       avg       |       max       |       min "
            "      |\n"
            "|   reader_cost   |     0.01315     |     0.01330     |     "
            "0.01300     |\n"
            "|    batch_cost   |     0.02580     |     0.02600     |     "
            "0.02560     |\n"
            "|       ips       |     38.75969    |     39.06250    |     "
            "38.46154    |\n"
            "|                 |       p50       |       p90       |       p99 "
            "      |\n"
            "|   reader_cost   |     0.01310     |     0.01330     |     "
            "0.01330     |\n"
            "|    batch_cost   |     0.02560     |     0.02600     |     "
            "0.02600     |\n"
            "Steps counted: 4 of 14 (the first 10 are left out)\n");
}

TEST(StepTimer, SamplesPerSecondInTheUnitOfStepInfo) {
  Loop loop;
  for (int i = 0; i < 14; ++i) {
    loop.Step(100'000, 7'900'000, 4);
    if (i == 0 || i == 10 || i == 13) {
      EXPECT_EQ(loop.timer().StepInfo("images"),
                " reader_cost: 0.00010 s batch_cost: 0.00790 s ips: 506.329 "
                "images/s");
    }
  }
  std::string text = PerfSummary(loop.timer());
  EXPECT_NE(text.find("Reader Ratio: 1.266%\n"
                      "Time Unit: s, IPS Unit: images/s\n"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "|    batch_cost   |     0.00790     |     0.00790     |     0.00790 "
          "    |\n"
          "|       ips       |    506.32911    |    506.32911    |    506.32911"
          "    |\n"),
      std::string::npos)
      << text;
}

TEST(StepTimer, WithoutReaderThereIsNoReaderLine) {
  Loop loop;
  for (int i = 0; i < 11; ++i) loop.Step(0, 10'000'000);
  std::string text = PerfSummary(loop.timer());
  EXPECT_EQ(text.find("Reader"), std::string::npos) << text;
  EXPECT_EQ(text.find("reader_cost"), std::string::npos) << text;
  EXPECT_NE(text.find("|       ips       |    100.00000    |    100.00000    | "
                      "   100.00000    |\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Steps counted: 1 of 11"), std::string::npos) << text;
}

TEST(StepTimer, FewStepsAllCountAndALineSaysSo) {
  Loop loop;
  for (int i = 0; i < 5; ++i) loop.Step(2'000'000, 10'000'000 + i);
  std::string text = PerfSummary(loop.timer());
  EXPECT_NE(text.find("Steps counted: all 5 (of longer runs the first 10 are "
                      "left out)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("Reader Ratio: 20.000%"), std::string::npos) << text;
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
}

TEST(StepTimer, NothingToSayWithoutSteps) {
  Loop loop;
  EXPECT_EQ(PerfSummary(loop.timer()), "");
  EXPECT_EQ(loop.timer().StepInfo(""), "");
}

TEST(StepTimer, StepsWithoutDurationGiveNoInfinity) {
  Loop loop;
  for (int i = 0; i < 12; ++i) loop.Step(0, 0, 4);
  std::string text = PerfSummary(loop.timer());
  EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  EXPECT_EQ(text.find("nan"), std::string::npos) << text;
}

TEST(StepTimer, OneStepWithoutSamplesMakesItStepsForGood) {
  Loop loop;
  for (int i = 0; i < 12; ++i) loop.Step(0, 10'000'000, i == 3 ? -1 : 4);
  EXPECT_EQ(loop.timer().ips_unit(), "steps/s");
  EXPECT_NE(PerfSummary(loop.timer()).find("100.00000"), std::string::npos);
}

TEST(StepTimer, ReadsOfAStepAddUp) {
  Loop loop;
  for (int i = 0; i < 12; ++i) {
    loop.Read(loop.train(), 1'000'000);
    loop.Step(2'000'000, 9'000'000);
  }
  EXPECT_EQ(loop.timer().counted().reader.max(), 3'000'000);
  EXPECT_EQ(loop.timer().counted().reader.count(), 2);
  EXPECT_EQ(loop.timer().counted().batch.max(), 10'000'000);
}

TEST(StepTimer, PausedTimeBelongsToNoStep) {
  Loop loop;
  loop.Step(0, 10'000'000);
  loop.Wait(3'000'000);
  loop.Pause();
  loop.Wait(900'000'000);
  loop.Read(loop.train(), 50'000'000);
  loop.Resume();
  loop.Step(0, 7'000'000);
  EXPECT_EQ(loop.timer().steps(), 2);
  EXPECT_EQ(loop.timer().counted().batch.max(), 10'000'000);
  EXPECT_EQ(loop.timer().counted().batch.min(), 10'000'000);
  EXPECT_EQ(loop.timer().counted().reader.count(), 0);
}

TEST(StepTimer, StepsWhilePausedDoNotCount) {
  Loop loop;
  loop.Pause();
  loop.Pause();
  loop.Step(0, 10'000'000);
  loop.Wait(5);
  loop.Resume();
  loop.Resume();
  loop.Step(0, 20'000'000);
  EXPECT_EQ(loop.timer().steps(), 1);
  EXPECT_EQ(loop.timer().counted().batch.max(), 20'000'000);
}

TEST(StepTimer, AnotherReaderPausesUntilTheFirstIsBack) {
  Loop loop;
  loop.Step(1'000'000, 10'000'000);
  loop.Step(1'000'000, 10'000'000);
  for (int i = 0; i < 3; ++i) {  // validation
    loop.Read(loop.other(), 400'000'000);
    loop.Wait(100'000'000);
  }
  loop.Step(1'000'000, 10'000'000);
  EXPECT_EQ(loop.timer().steps(), 3);
  EXPECT_EQ(loop.timer().counted().batch.max(), 10'000'000);
  EXPECT_EQ(loop.timer().counted().reader.max(), 1'000'000);
}

}  // namespace
}  // namespace stepscope::profiler
