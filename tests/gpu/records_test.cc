// SPDX-License-Identifier: Apache-2.0
//
// What becomes of each kind of activity record.
#include <cupti.h>
#include <gtest/gtest.h>

#include <thread>

#include "test_host.h"

namespace {

TEST(Records, KernelWithItsCall) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  const uint32_t id = fake.Kernel("_Z4axpyPf");
  host.Detach();
  ASSERT_EQ(host.Work().size(), 1u);
  const stepscope_record_work work = host.Work()[0];
  EXPECT_EQ(host.NameOf(work.head.name), "_Z4axpyPf");
  EXPECT_EQ(host.TypeOf(work.head.name), STEPSCOPE_KERNEL);
  EXPECT_EQ(work.correlation, id);
  EXPECT_EQ(work.stream, 7u);
  EXPECT_EQ(work.context, 1u);
  EXPECT_EQ(work.end - work.start, 5000u);
  EXPECT_NE(work.details, 0u);
  ASSERT_EQ(host.Calls().size(), 1u);
  EXPECT_EQ(host.NameOf(host.Calls()[0].head.name), "cudaLaunchKernel");
  EXPECT_EQ(host.Calls()[0].correlation, id);
  EXPECT_EQ(host.Calls()[0].thread, static_cast<uint32_t>(gettid()));
  EXPECT_TRUE(host.Balanced());
}

TEST(Records, CopiesSetsGraphs) {
  setenv("STEPSCOPE_GPU_GRAPHS", "whole", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  host.SetEarly();
  ASSERT_TRUE(host.Record());
  for (const FakeWork::Kind kind : {FakeWork::kMemcpy, FakeWork::kPeer,
                                    FakeWork::kMemset, FakeWork::kGraph}) {
    FakeWork work;
    work.kind = kind;
    fake.work(&work);
  }
  host.Detach();
  const auto work = host.Work();
  ASSERT_EQ(work.size(), 4u);
  EXPECT_EQ(host.NameOf(work[0].head.name), "Memcpy HtoD (Pinned -> Device)");
  EXPECT_EQ(host.TypeOf(work[0].head.name), STEPSCOPE_MEMCPY);
  EXPECT_EQ(work[0].amount, 4096u);
  EXPECT_EQ(host.NameOf(work[1].head.name), "Memcpy PtoP (Device -> Device)");
  EXPECT_EQ(host.NameOf(work[2].head.name), "Memset (Device)");
  EXPECT_EQ(host.TypeOf(work[2].head.name), STEPSCOPE_MEMSET);
  EXPECT_EQ(host.NameOf(work[3].head.name), "CUDA graph 5");
  EXPECT_EQ(host.TypeOf(work[3].head.name), STEPSCOPE_KERNEL);
  EXPECT_TRUE(host.Balanced());
}

TEST(Records, WaitsEventsMemoryOverhead) {
  setenv("STEPSCOPE_GPU_KINDS", "all", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  const uint32_t sync = fake.call(5);
  fake.wait(4, sync);
  const uint32_t record = fake.call(8);
  fake.event(11, record);
  fake.memory(0x1000, 512, 0, fake.call(6));
  fake.memory(0x1000, 512, 1, fake.call(7));
  fake.overhead(1u << 16);
  host.Detach();
  const auto waits = host.All<stepscope_record_wait>(STEPSCOPE_RECORD_WAIT);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(host.NameOf(waits[0].head.name), "Context Sync");
  EXPECT_EQ(host.TypeOf(waits[0].head.name), STEPSCOPE_SYNCHRONIZATION);
  EXPECT_EQ(waits[0].correlation, sync);
  const auto notes = host.All<stepscope_record_note>(STEPSCOPE_RECORD_NOTE);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].correlation, record);
  const auto memory =
      host.All<stepscope_record_memory>(STEPSCOPE_RECORD_MEMORY);
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(host.NameOf(memory[0].head.name), "Place(gpu:0)");
  EXPECT_EQ(memory[0].kind, static_cast<uint32_t>(STEPSCOPE_ALLOCATE));
  EXPECT_EQ(memory[1].kind, static_cast<uint32_t>(STEPSCOPE_FREE));
  const auto overhead =
      host.All<stepscope_record_overhead>(STEPSCOPE_RECORD_OVERHEAD);
  ASSERT_EQ(overhead.size(), 1u);
  EXPECT_EQ(host.NameOf(overhead[0].head.name), "Buffer Flush");
  EXPECT_TRUE(host.Balanced());
}

TEST(Records, DeviceIsDescribedOnceASession) {
  Fake& fake = Fake::Get();
  fake.set("mig", 1);
  TestHost host;
  for (int i = 0; i < 2; ++i) {
    host.blocks.clear();
    ASSERT_TRUE(host.Record());
    host.Poll();
    host.Detach();
    const auto devices =
        host.All<stepscope_record_device>(STEPSCOPE_RECORD_DEVICE);
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_EQ(host.NameOf(devices[0].head.name), "Fake GPU");
    EXPECT_EQ(devices[0].count, 17u);  // with both ids of the MIG slice
  }
}

TEST(Records, NoiseCallsAreNotRecorded) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  EXPECT_EQ(fake.call(1), 0u);  // cudaGetDevice
  EXPECT_NE(fake.call(5), 0u);  // cudaDeviceSynchronize
  host.Detach();
  EXPECT_EQ(host.Calls().size(), 1u);
}

TEST(Records, SuffixesOfCallNamesAreLeftOff) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.call(10);  // cudaLaunchKernel_ptsz_v7000
  host.Detach();
  ASSERT_EQ(host.Calls().size(), 1u);
  EXPECT_EQ(host.NameOf(host.Calls()[0].head.name), "cudaLaunchKernel");
}

TEST(Records, Cupti12HasShorterStructs) {
  setenv("STEPSCOPE_GPU_GRAPHS", "whole", 1);
  setenv("STEPSCOPE_GPU_KINDS", "all", 1);
  Fake& fake = Fake::Get();
  fake.set("version", 22);
  TestHost host;
  host.SetEarly();
  ASSERT_TRUE(host.Record());
  for (int i = 0; i < 3; ++i) {
    for (const FakeWork::Kind kind : {FakeWork::kKernel, FakeWork::kMemcpy,
                                      FakeWork::kMemset, FakeWork::kGraph}) {
      FakeWork work;
      work.kind = kind;
      fake.work(&work);
    }
    fake.wait(3, fake.call(5));
    fake.event(1, fake.call(8));
    fake.memory(0x1000, 512, 0, fake.call(6));
    fake.overhead(1u << 16);
  }
  host.Detach();
  EXPECT_EQ(host.Work().size(), 12u);
  EXPECT_EQ(host.Calls().size(), 21u);
  EXPECT_TRUE(host.Balanced());
  EXPECT_EQ(host.Count("gpu: unknown kind"), 0u);
}

TEST(Records, SharedLaunchConfigurationIsWrittenOnce) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  for (int i = 0; i < 100; ++i) fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.All<stepscope_record_details>(STEPSCOPE_RECORD_DETAILS).size(),
            1u);
  for (const auto& work : host.Work()) EXPECT_EQ(work.details, 1u);
}

TEST(Records, ThreadsHaveBuffersOfTheirOwn) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20000; ++i) fake.Kernel();
    });
  for (int i = 0; i < 20; ++i) {
    host.Poll();
    usleep(1000);
  }
  for (std::thread& thread : threads) thread.join();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 80000u);
  EXPECT_EQ(host.Calls().size(), 80000u);
  EXPECT_EQ(fake.count("dropped"), 0);
  EXPECT_TRUE(host.Balanced());
}

// Where the library has a clock of its own, its times are mapped; also where it
// becomes faster, by 0.2 % and so 800 us until the end.
class MappedClock : public testing::TestWithParam<int64_t> {};

TEST_P(MappedClock, StaysWithinItsError) {
  Fake& fake = Fake::Get();
  fake.fail("cuptiActivityRegisterTimestampCallback",
            CUPTI_ERROR_NOT_COMPATIBLE);
  fake.set("clock_offset", 123'456'789'000);
  TestHost host;
  ASSERT_TRUE(host.Record());
  EXPECT_NE(host.report.find("mapped clock"), std::string::npos);
  fake.set("clock_drift", GetParam());
  std::vector<std::pair<uint64_t, uint64_t>> around;
  for (int i = 0; i < 40; ++i) {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto before = static_cast<uint64_t>(
        int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
    FakeWork work;
    work.lead = 0;
    fake.work(&work);
    clock_gettime(CLOCK_MONOTONIC, &now);
    around.emplace_back(
        before, static_cast<uint64_t>(int64_t{now.tv_sec} * 1'000'000'000 +
                                      now.tv_nsec));
    usleep(10000);
    host.Poll();
  }
  host.Detach();
  ASSERT_EQ(host.Work().size(), around.size());
  uint64_t error = 0;
  for (const auto& clock :
       host.All<stepscope_record_clock>(STEPSCOPE_RECORD_CLOCK)) {
    EXPECT_EQ(clock.method, static_cast<uint32_t>(STEPSCOPE_CLOCK_MAPPED));
    error = std::max(error, clock.error_ticks);
  }
  ASSERT_GT(error, 0u);
  // The clocks may be slewed against one another by 500 ppm.
  const uint64_t slack = 2 * error + 200'000;
  for (size_t i = 0; i < around.size(); ++i) {
    EXPECT_GE(host.Work()[i].start + slack, around[i].first);
    EXPECT_LE(host.Work()[i].start, around[i].second + slack);
  }
}

INSTANTIATE_TEST_SUITE_P(Records, MappedClock, testing::Values(0, 2000));

}  // namespace
