// SPDX-License-Identifier: Apache-2.0
//
// Samples of the hardware's counters become records, or are counted as lost.
#include <cmath>

#include "counting_host.h"
#include "fake_cupti/fake_driver.h"
#include "fake_nvml.h"

namespace {

TEST_F(Counters, SamplesBecomeRecords) {
  Fake& fake = Fake::Get();
  fake.metric("dram__bytes_read.sum", 2e6);
  fake.metric(
      "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.avg.pct_of_"
      "peak_sustained_elapsed",
      62.5);
  fake.metric("sm__cycles_elapsed.avg.per_second", 1.98e9);
  Begin(fake);
  time_ = Next();
  const uint64_t wall = WallNow();
  timespec mono = {};
  clock_gettime(CLOCK_MONOTONIC, &mono);
  const double offset = static_cast<double>(mono.tv_sec) * 1e9 +
                        static_cast<double>(mono.tv_nsec) -
                        static_cast<double>(wall);
  const uint64_t first = time_;
  Take(fake);
  Take(fake);
  PollUntil(host_, [&] { return Samples(host_).size() == 2; });
  host_.Detach();
  const std::vector<Sample> samples = Samples(host_);
  // The very first reaches back to when the hardware was last read.
  ASSERT_EQ(samples.size(), 2u);
  // A unit or an epoch of another clock would be hours away.
  EXPECT_NEAR(static_cast<double>(samples[0].head.start),
              static_cast<double>(first) + offset, 60e9);
  EXPECT_EQ(samples[0].head.end, samples[1].head.start);
  EXPECT_NEAR(static_cast<double>(samples[0].head.end - samples[0].head.start),
              kInterval, kInterval / 10);
  EXPECT_EQ(samples[0].head.device, 0u);
  // Those of other devices and links are not known to the chip.
  ASSERT_EQ(samples[0].values.size(), 8u);
  EXPECT_NEAR(samples[0].values.at("GPU 0: DRAM read (B/s)"), 2e10, 2e7);
  EXPECT_DOUBLE_EQ(samples[0].values.at("GPU 0: DRAM written (B/s)"), 0);
  EXPECT_DOUBLE_EQ(samples[0].values.at("GPU 0: tensor cores active (%)"),
                   62.5);
  EXPECT_DOUBLE_EQ(samples[0].values.at("GPU 0: SM clock (Hz)"), 1.98e9);
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_RECORDING);
  EXPECT_NE(host_.report.find("counters every 100 us"), std::string::npos)
      << host_.report;
  EXPECT_TRUE(host_.Balanced());
  EXPECT_EQ(fake.samplers(), 0);
  EXPECT_EQ(fake.count("hosts"), 0);
}

// As those of the real library where it shares the clock: a second has more
// ticks than nanoseconds.
TEST_F(Counters, SamplesByOurOwnClock) {
  constexpr uint64_t kTicks = 210'000;
  Fake& fake = Fake::Get();
  fake.metric("dram__bytes_read.sum", 2e6);
  host_.ticks_per_us = 2100;
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  const uint64_t first = host_.begin + kTicks;
  PollUntil(host_, [&] { return fake.sample(0, first - kTicks, first) != 0; });
  fake.sample(0, first, first + kTicks);
  fake.sample(0, first + 4 * kTicks, first + 5 * kTicks);
  PollUntil(host_, [&] { return Samples(host_).size() == 2; });
  host_.Detach();
  const std::vector<Sample> samples = Samples(host_);
  EXPECT_EQ(samples[0].head.start, first);
  EXPECT_EQ(samples[0].head.end, first + kTicks);
  const double read = samples[0].values.at("GPU 0: DRAM read (B/s)");
  EXPECT_NEAR(read, 2e10, 2e7);
  EXPECT_EQ(host_.Count("gpu: counter samples"), 3u);
}

TEST_F(Counters, NobodyAsked) {
  Fake& fake = Fake::Get();
  ASSERT_TRUE(host_.Record());
  fake.Kernel();
  for (int i = 0; i < 3; ++i) host_.Poll();
  host_.Detach();
  EXPECT_EQ(fake.count("cuptiProfilerInitialize"), 0);
  EXPECT_EQ(host_.report.find("counter"), std::string::npos) << host_.report;
}

// As when the plugin was attached long before somebody wanted counters.
TEST_F(Counters, AskedForWhileAttached) {
  Fake& fake = Fake::Get();
  ASSERT_TRUE(host_.Record());
  host_.Poll();
  EXPECT_EQ(fake.samplers(), 0);
  host_.SampleCounters(kUs);
  PollUntil(host_, [&] { return fake.samplers() == 1; });
  EXPECT_NE(host_.report.find("counters every 100 us"), std::string::npos);
  host_.SampleCounters(50);
  PollUntil(host_, [&] {
    return host_.report.find("counters every 50 us") != std::string::npos;
  });
  EXPECT_EQ(fake.samplers(), 1);
  host_.SampleCounters(0);
  host_.Poll();
  EXPECT_EQ(fake.samplers(), 0);
  EXPECT_EQ(host_.report.find("counters"), std::string::npos) << host_.report;
  host_.Detach();
}

// Kernels are recorded all the same, and a line says why there is no more.
TEST_F(Counters, NotPermitted) {
  Fake& fake = Fake::Get();
  fake.fail("cuptiPmSamplingGetCounterAvailability",
            CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  fake.Kernel();
  PollUntil(host_, [&] {
    return host_.report.find("no counters of GPU 0") != std::string::npos;
  });
  EXPECT_NE(host_.report.find("NVreg_RestrictProfilingToAdminUsers=0"),
            std::string::npos)
      << host_.report;
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
  host_.Detach();
  EXPECT_EQ(host_.Work().size(), 1u);
  EXPECT_EQ(fake.count("hosts"), 0);
}

TEST_F(Counters, AnotherToolHoldsTheHardware) {
  Fake& fake = Fake::Get();
  fake.fail("cuptiPmSamplingEnable", CUPTI_ERROR_HARDWARE_BUSY);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  PollUntil(host_, [&] {
    return host_.report.find("another tool") != std::string::npos;
  });
  EXPECT_EQ(fake.count("cuptiPmSamplingEnable"), 1);
  host_.Detach();
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_PARTIAL);
}

TEST_F(Counters, WhateverFailsIsSaidOnceAndGivenBack) {
  Fake& fake = Fake::Get();
  for (const char* function :
       {"cuptiProfilerInitialize", "cuptiDeviceGetChipName",
        "cuptiPmSamplingSetConfig", "cuptiPmSamplingStart"}) {
    fake.fail(function, CUPTI_ERROR_UNKNOWN);
    TestHost host;
    host.SampleCounters(kUs);
    ASSERT_TRUE(host.Record());
    PollUntil(host,
              [&] { return host.report.find(function) != std::string::npos; });
    const int64_t tried = fake.count(function);
    for (int i = 0; i < 3; ++i) host.Poll();
    EXPECT_EQ(fake.count(function), tried);
    EXPECT_EQ(fake.samplers(), 0) << function;
    EXPECT_EQ(fake.count("hosts"), 0) << function;
    host.Detach();
    fake.fail(function, 0);
  }
}

TEST_F(Counters, LibraryThatCannotSample) {
  Fake::Get(FAKE_CUPTI_RECORDS);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  host_.Poll();
  EXPECT_NE(host_.report.find("no counters: CUPTI of CUDA 12.6"),
            std::string::npos)
      << host_.report;
  host_.Detach();
}

// Of several passes a program would have to be run several times.
TEST_F(Counters, WhatNeedsASecondPassIsLeftOut) {
  Fake& fake = Fake::Get();
  fake.set("metrics_in_a_pass", 4);
  Begin(fake);
  time_ = Next();
  Take(fake);
  PollUntil(host_, [&] { return Samples(host_).size() == 1; });
  host_.Detach();
  const auto values = Samples(host_)[0].values;
  EXPECT_EQ(values.size(), 4u);
  EXPECT_TRUE(values.contains("GPU 0: SMs active (%)"));
  EXPECT_TRUE(values.contains("GPU 0: tensor cores active (%)"));
  EXPECT_TRUE(values.contains("GPU 0: warps active (%)"));
  EXPECT_TRUE(values.contains("GPU 0: DRAM read (B/s)"));
}

TEST_F(Counters, LostSamplesAreCounted) {
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  Take(fake);
  time_ += 3 * kInterval;
  Take(fake);
  PollUntil(host_, [&] { return Samples(host_).size() == 2; });
  host_.Detach();
  EXPECT_EQ(host_.Count("gpu: counter samples"), 3u);
  EXPECT_TRUE(host_.Balanced());
}

// More samples than an image holds, as after a thread had no processor.
TEST_F(Counters, WhatAnImageHasNoRoomForIsCounted) {
  constexpr uint64_t kMany = 20000;
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  for (uint64_t i = 0; i < kMany; ++i) Take(fake);
  host_.Poll();
  PollUntil(host_, [&] { return !Samples(host_).empty(); });
  Take(fake);
  const size_t before = Samples(host_).size();
  PollUntil(host_, [&] { return Samples(host_).size() > before; });
  host_.Detach();
  EXPECT_LT(Samples(host_).size(), kMany);
  EXPECT_EQ(Samples(host_).size() + host_.Count("gpu: counter samples"),
            kMany + 1);
  EXPECT_TRUE(host_.Balanced());
}

TEST_F(Counters, SampleThatMakesNoSenseIsCounted) {
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  Take(fake);
  ASSERT_NE(fake.sample(0, time_, time_), 0);  // of no time
  ASSERT_NE(fake.sample(0, 0, 0), 0);
  ASSERT_NE(fake.sample(0, time_ - kInterval, time_), 0);  // seen before
  time_ = Next();
  Take(fake);
  PollUntil(host_, [&] { return Samples(host_).size() == 2; });
  host_.Detach();
  EXPECT_EQ(host_.Count("gpu: counter samples"), 1u);
  EXPECT_TRUE(host_.Balanced());
}

TEST_F(Counters, DevicesThatThisProcessUses) {
  Fake& fake = Fake::Get();
  const auto devices = reinterpret_cast<decltype(&fake_driver_devices)>(
      dlsym(Fake::Open(FAKE_DRIVER), "fake_driver_devices"));
  devices(3, 0b001);
  Begin(fake);
  EXPECT_EQ(fake.samplers(), 1);
  devices(3, 0b101);
  PollUntil(host_, [&] { return fake.sample(2, time_, Next()) != 0; });
  EXPECT_EQ(fake.samplers(), 2);
  time_ = Next();
  Take(fake, 2);
  PollUntil(host_, [&] { return !Samples(host_).empty(); });
  const Sample sample = Samples(host_)[0];
  EXPECT_EQ(sample.head.device, 2u);
  EXPECT_TRUE(sample.values.contains("GPU 2: SMs active (%)"));
  host_.Detach();
  EXPECT_EQ(fake.samplers(), 0);
}

// What was taken up to the stop is read.
TEST_F(Counters, TheRestComesAtTheStop) {
  Fake& fake = Fake::Get();
  Begin(fake);
  time_ = Next();
  // The window ends after them.
  PollUntil(host_, [&] { return WallNow() > time_ + 20 * kInterval; });
  for (int i = 0; i < 10; ++i) Take(fake);
  host_.Detach();
  EXPECT_EQ(Samples(host_).size(), 10u);
  EXPECT_TRUE(host_.Balanced());
}

// Devices that the process uses, and what NVML says of them.
class CountersOfDevices : public Counters {
 protected:
  void Use(uint32_t devices) {
    Fake::Get();
    reinterpret_cast<decltype(&fake_driver_devices)>(
        dlsym(Fake::Open(FAKE_DRIVER), "fake_driver_devices"))(4, devices);
  }
  void Energy(int device, long long millijoules) {
    reinterpret_cast<decltype(&fake_nvml_energy)>(
        dlsym(Fake::Open(FAKE_NVML), "fake_nvml_energy"))(device, millijoules);
  }
  void Split(int device) {
    reinterpret_cast<decltype(&fake_nvml_split)>(
        dlsym(Fake::Open(FAKE_NVML), "fake_nvml_split"))(device, 1);
  }
};

// Each device has its own, and its own counter.
TEST_F(CountersOfDevices, Energy) {
  Use(0b0101);
  long long polls = 0;
  const auto count = [&] {
    ++polls;
    Energy(0, 13'000 * polls);
    Energy(2, 5'000 * polls);
  };
  count();
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  std::map<uint32_t, std::map<std::string, double>> found;
  PollUntil(host_, [&] {
    count();
    for (const Sample& sample : Samples(host_))
      if (sample.values.contains("GPU " + std::to_string(sample.head.device) +
                                 ": energy (J)"))
        found[sample.head.device] = sample.values;
    return found.size() == 2;
  });
  host_.Detach();
  for (const auto& [device, each] : {std::pair{0u, 13.0}, {2u, 5.0}}) {
    const std::string name = "GPU " + std::to_string(device) + ": ";
    const auto& values = found.at(device);
    ASSERT_EQ(values.size(), 3u);
    const double joules = values.at(name + "energy (J)");
    const double step = values.at(name + "energy counter step (J)");
    EXPECT_GE(joules, step);
    EXPECT_GE(step, each);
    EXPECT_DOUBLE_EQ(std::remainder(joules, each), 0);
    EXPECT_DOUBLE_EQ(std::remainder(step, each), 0);
    EXPECT_GT(values.at(name + "power (W)"), 0);
  }
  EXPECT_FALSE(Says("energy")) << host_.report;
  EXPECT_TRUE(host_.Balanced());
}

TEST_F(CountersOfDevices, EnergyOfSome) {
  Use(0b1111);
  Split(0);
  Energy(1, -3);
  Energy(3, -3);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  PollUntil(host_, [&] { return Says("GPU 1 and 3"); });
  EXPECT_TRUE(
      Says("counters every 100 us; no energy of GPU 0: the device is "
           "split by MIG, and counts joules as a whole; no energy of "
           "GPU 1 and 3: nvmlDeviceGetTotalEnergyConsumption: Not "
           "Supported (3)"))
      << host_.report;
  EXPECT_EQ(host_.state, STEPSCOPE_DEVICE_RECORDING);
  host_.Detach();
}

TEST_F(CountersOfDevices, EnergyThatGoesBackIsSaid) {
  Use(0b0001);
  long long polls = 0;
  Energy(0, 1'000'000);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  PollUntil(host_, [&] {
    Energy(0, ++polls < 200 ? 1'000'000 + polls : 0);
    return Says("energy is not whole of GPU 0: its counter went back");
  });
  host_.Detach();
  for (const Sample& sample : Samples(host_))
    EXPECT_FALSE(sample.values.contains("GPU 0: energy (J)"));
}

TEST_F(CountersOfDevices, NoneHasNvml) {
  if (dlopen("libnvidia-ml.so.1", RTLD_NOW) != nullptr)
    GTEST_SKIP() << "this machine has NVML";
  Use(0b0011);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  PollUntil(host_, [&] {
    return Says(
        "no energy of GPU 0 and 1: NVML (libnvidia-ml.so.1) cannot be "
        "loaded");
  });
  host_.Detach();
}

TEST_F(CountersOfDevices, RefusedOnAll) {
  Fake& fake = Fake::Get();
  fake.fail("cuptiPmSamplingEnable", CUPTI_ERROR_HARDWARE_BUSY);
  Use(0b0011);
  host_.SampleCounters(kUs);
  ASSERT_TRUE(host_.Record());
  fake.Kernel();
  PollUntil(host_, [&] { return Says("no counters of GPU 0 and 1: "); });
  EXPECT_FALSE(Says("counters every"));
  host_.Detach();
  EXPECT_EQ(host_.Work().size(), 1u);
}

}  // namespace
