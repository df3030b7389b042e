// SPDX-License-Identifier: Apache-2.0
//
// Sampling that ends: it begins again, less often where that was too often, and
// what is missing is counted and said.
#include "counting_host.h"

namespace {

class CounterGaps : public Counters {
 protected:
  // Until the hardware is sampled, where it may have been let go.
  void Resume(Fake& fake) {
    PollUntil(host_, [&] {
      time_ = WallNow();
      return fake.sample(0, time_, Next()) != 0;
    });
    time_ = Next();
  }
  // The same until one was recorded.
  void ResumeUntilSeen(Fake& fake) {
    const size_t before = Samples(host_).size();
    PollUntil(host_, [&] {
      time_ = WallNow();
      fake.sample(0, time_, Next());
      return Samples(host_).size() > before;
    });
  }
  void TakeUntilSeen(Fake& fake) {
    const size_t before = Samples(host_).size();
    Take(fake);
    PollUntil(host_, [&] { return Samples(host_).size() > before; });
  }
};

TEST_F(CounterGaps, BufferThatRunsOverOnce) {
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  TakeUntilSeen(fake);
  fake.run_over(0);
  PollUntil(host_, [&] { return fake.count("cuptiPmSamplingEnable") == 2; });
  Resume(fake);
  TakeUntilSeen(fake);
  EXPECT_TRUE(
      Says("counters every 100 us; counters were interrupted on GPU 0: the "
           "hardware's buffer ran over"))
      << host_.report;
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
  host_.Detach();
  EXPECT_EQ(Samples(host_).size(), 2u);
  // There are 20 ms between two readings.
  EXPECT_GE(host_.Count("gpu: counter samples"), 200u);
  EXPECT_TRUE(host_.Balanced());
  EXPECT_EQ(fake.samplers(), 0);
}

TEST_F(CounterGaps, BufferThatRunsOverAgainAndAgain) {
  Fake& fake = Fake::Get();
  Begin(fake, 50);
  PollUntil(host_, [&] {
    fake.run_over(0);
    return fake.count("interval_us") == 200;
  });
  const int64_t taken = fake.count("cuptiPmSamplingEnable");
  PollUntil(host_, [&] {
    fake.run_over(0);
    return fake.count("cuptiPmSamplingEnable") >= taken + 2;
  });
  EXPECT_EQ(fake.count("interval_us"), 200);
  ResumeUntilSeen(fake);
  EXPECT_TRUE(Says("counters every 50 us at first; ")) << host_.report;
  EXPECT_TRUE(Says("; every 100 us on GPU 0: from second ")) << host_.report;
  EXPECT_TRUE(
      Says(" on, since 50 us was too short to keep up with; every 200 "
           "us on GPU 0: from second "))
      << host_.report;
  host_.Detach();
  EXPECT_TRUE(host_.Balanced());
}

TEST_F(CounterGaps, ErrorEachTime) {
  Fake& fake = Fake::Get();
  Begin(fake);
  fake.fail("cuptiPmSamplingDecodeData", CUPTI_ERROR_UNKNOWN);
  PollUntil(host_, [&] { return Says("no counters any more"); });
  EXPECT_TRUE(
      Says("counters were interrupted on GPU 0: cuptiPmSamplingDecodeData: "))
      << host_.report;
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
  // Whoever holds the hardware meanwhile is told of, too.
  fake.fail("cuptiPmSamplingEnable", CUPTI_ERROR_HARDWARE_BUSY);
  PollUntil(host_, [&] { return Says("another tool"); });
  fake.fail("cuptiPmSamplingEnable", 0);
  fake.fail("cuptiPmSamplingDecodeData", 0);
  ResumeUntilSeen(fake);
  PollUntil(host_, [&] { return !Says("no counters any more"); });
  EXPECT_TRUE(Says("counters every 100 us; counters were interrupted"))
      << host_.report;
  EXPECT_EQ(fake.count("interval_us"), 100);
  fake.Kernel();
  host_.Detach();
  EXPECT_EQ(host_.Work().size(), 1u);
  EXPECT_GE(host_.Count("gpu: counter samples"), 200u);
  EXPECT_TRUE(host_.Balanced());
}

TEST_F(CounterGaps, EachFunctionThatReads) {
  Fake& fake = Fake::Get();
  for (const char* function : {"cuptiPmSamplingGetCounterDataSize",
                               "cuptiPmSamplingCounterDataImageInitialize",
                               "cuptiPmSamplingGetCounterDataInfo",
                               "cuptiPmSamplingCounterDataGetSampleInfo",
                               "cuptiProfilerHostEvaluateToGpuValues"}) {
    TestHost host;
    host.SampleCounters(kUs);
    ASSERT_TRUE(host.Record());
    fake.fail(function, CUPTI_ERROR_UNKNOWN);
    PollUntil(host, [&] {
      fake.sample(0, WallNow(), WallNow() + kInterval);
      return host.report.find(function) != std::string::npos;
    });
    fake.fail(function, 0);
    PollUntil(host, [&] {
      const uint64_t now = WallNow();
      fake.sample(0, now, now + kInterval);
      return !Samples(host).empty();
    });
    host.Detach();
    EXPECT_EQ(fake.samplers(), 0) << function;
    EXPECT_EQ(fake.count("hosts"), 0) << function;
  }
}

TEST_F(CounterGaps, SlowDecoder) {
  Fake& fake = Fake::Get();
  Begin(fake, 50);
  fake.set("decode_ms", 30);
  PollUntil(host_, [&] { return fake.count("interval_us") == 100; });
  EXPECT_FALSE(Says("interrupted")) << host_.report;
  PollUntil(host_, [&] { return fake.count("interval_us") == 200; });
  fake.set("decode_ms", 0);
  ResumeUntilSeen(fake);
  EXPECT_TRUE(
      Says("counters every 50 us at first; every 100 us on GPU 0: from "
           "second "))
      << host_.report;
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
  host_.Detach();
  EXPECT_TRUE(host_.Balanced());
}

// As after the recorder's thread had no processor: an image is made that holds
// all, and a small one again.
TEST_F(CounterGaps, StallLosesNothing) {
  constexpr uint32_t kShort = 50;
  constexpr size_t kMany = 4000;
  Fake& fake = Fake::Get();
  Begin(fake, kShort);
  time_ = Next();
  for (int stall = 0; stall < 2; ++stall) {
    const size_t before = Samples(host_).size();
    usleep(kMany * kShort);
    for (size_t i = 0; i < kMany; ++i) Take(fake);
    PollUntil(host_, [&] { return Samples(host_).size() > before; });
    EXPECT_EQ(Samples(host_).size(), before + kMany);
    for (int i = 0; i < 3; ++i) TakeUntilSeen(fake);
  }
  EXPECT_FALSE(Says("interrupted")) << host_.report;
  EXPECT_EQ(fake.count("cuptiPmSamplingEnable"), 1);
  host_.Detach();
  EXPECT_EQ(Samples(host_).size(), 2 * kMany + 6);
  EXPECT_EQ(host_.Count("gpu: counter samples"), 0u);
}

TEST_F(CounterGaps, NothingComesWhileTheDeviceWorks) {
  constexpr const char* kWords =
      "no sample came for a second in which the device worked";
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  TakeUntilSeen(fake);
  // It may well be idle.
  for (const uint64_t until = WallNow() + 1'200'000'000; WallNow() < until;
       usleep(1000))
    host_.Poll();
  EXPECT_FALSE(Says(kWords)) << host_.report;
  PollUntil(host_, [&] {
    fake.Kernel();
    return Says(kWords);
  });
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
  ResumeUntilSeen(fake);
  host_.Detach();
  EXPECT_TRUE(host_.Balanced());
}

}  // namespace
