// SPDX-License-Identifier: Apache-2.0
//
// The plugin under the collector: from scripted launches to a capture, and
// from the capture to a Trace.
#include "session.h"

#include <cupti.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stepscope/c.h>
#include <stepscope/plugin.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "analysis/event_tree.h"
#include "base/forking_tests.h"
#include "live_file.h"
#include "trace/device_counter.h"

namespace stepscope {
namespace {

int Threads() {
  int count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

TEST_F(Session, KernelsBelongToTheOperatorThatLaunchedThem) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  for (int i = 0; i < 100; ++i) {
    const stepscope_scope op = stepscope_begin("axpy", STEPSCOPE_OPERATOR);
    fake.Kernel("_Z4axpyIfEvPT_i");
    stepscope_end(op);
  }
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 100u);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_CUDA_RUNTIME), 100u);
  const EventTree tree(*trace);
  ASSERT_EQ(tree.work().size(), 100u);
  for (const DeviceWork& work : tree.work()) {
    ASSERT_NE(work.owner, kNoRow);
    EXPECT_EQ(trace->str(trace->name()[work.owner]), "axpy");
    EXPECT_EQ(trace->str(trace->name()[work.row]),
              "void axpy<float>(float*, int)");
  }
  EXPECT_EQ(Metadata(*trace, "GPU0.name"), "Fake GPU");
  EXPECT_EQ(Metadata(*trace, "GPU0.multiprocessors"), "10");
  EXPECT_EQ(Metadata(*trace, "device.GPU").rfind("recording: CUPTI", 0), 0u);
  EXPECT_EQ(trace->ledger().seen(), trace->ledger().kept());
  EXPECT_EQ(Notes(*trace), "");
}

// Values hold until the next; where none follows at once, nothing is known.
TEST_F(Session, CountersOfTheHardware) {
  constexpr uint64_t kInterval = 100'000;
  setenv("STEPSCOPE_GPU_COUNTERS", "100", 1);
  Fake& fake = Fake::Get();
  fake.metric("dram__bytes_read.sum", 1e6);
  const auto now = [] {
    timespec wall = {};
    clock_gettime(CLOCK_REALTIME, &wall);
    return static_cast<uint64_t>(int64_t{wall.tv_sec} * 1'000'000'000 +
                                 wall.tv_nsec);
  };
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  fake.Kernel();
  uint64_t time = now();
  while (fake.sample(0, time, time + kInterval) == 0) {
    usleep(1000);
    time = now();
  }
  time += kInterval;
  const auto take = [&](int count) {
    for (int i = 0; i < count; ++i, time += kInterval)
      ASSERT_NE(fake.sample(0, time, time + kInterval), 0);
  };
  take(3);
  time += 5 * kInterval;
  take(2);
  while (now() < time + kInterval) usleep(1000);
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  std::vector<double> values;
  std::vector<int64_t> times;
  // Those who read a trace know the counters by these names.
  for (const Track& track : trace->tracks()) {
    const std::string_view name = trace->str(track.name);
    if (track.kind != TrackKind::kCounter || !name.starts_with("GPU 0: "))
      continue;
    EXPECT_TRUE(FindDeviceCounter(name)) << name;
  }
  for (const CounterSample& sample : trace->counters()) {
    if (trace->str(trace->tracks()[sample.track].name) !=
        "GPU 0: DRAM read (B/s)")
      continue;
    values.push_back(sample.value);
    times.push_back(sample.time_ns);
  }
  ASSERT_EQ(values.size(), 7u);
  for (const size_t known : {0, 1, 2, 4, 5})
    EXPECT_NEAR(values[known], 1e10, 1e7) << known;
  for (const size_t unknown : {3, 6})
    EXPECT_TRUE(std::isnan(values[unknown])) << unknown;
  // By clocks that are read apart.
  EXPECT_NEAR(static_cast<double>(times[3] - times[0]), 3 * kInterval, 1000);
  EXPECT_NEAR(static_cast<double>(times[4] - times[3]), 5 * kInterval, 1000);
  const auto& rejected = trace->ledger().rejected();
  ASSERT_TRUE(rejected.contains("gpu: counter samples"));
  EXPECT_EQ(rejected.at("gpu: counter samples").count, 5u);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 1u);
}

// Each type of this name has the one before it twice: written out, it takes
// gigabytes.
TEST_F(Session, KernelNamesThatExplodeStaySmall) {
  std::string name = "_Z1f1AIiiE";
  for (const char c : std::string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    name += std::string("S_IS") + c + "_S" + c + "_E";
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  fake.Kernel(name.c_str());
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  const EventTree tree(*trace);
  ASSERT_EQ(tree.work().size(), 1u);
  EXPECT_LT(trace->str(trace->name()[tree.work()[0].row]).size(), 100'000u);
}

TEST_F(Session, OpenScopesAreClosedBesideManyKernels) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  stepscope_begin("open", STEPSCOPE_OPERATOR);
  for (int i = 0; i < 100000; ++i) fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 100000u);
  for (Row row = 0; row < trace->size(); ++row) {
    if (trace->type()[row] != STEPSCOPE_OPERATOR) continue;
    EXPECT_TRUE(trace->flags()[row] & kEventOpenAtEnd);
    EXPECT_GT(trace->dur_ns()[row], 0);
  }
}

TEST_F(Session, KernelArguments) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  std::map<std::string, std::string> args;
  for (Row row = 0; row < trace->size(); ++row) {
    if (trace->type()[row] != STEPSCOPE_KERNEL) continue;
    for (const Arg& arg : trace->args_of(row)) {
      std::string& text = args[std::string(trace->str(arg.key))];
      if (arg.kind == ArgKind::kInt) text = std::to_string(arg.int_value);
      if (arg.kind == ArgKind::kDouble) text = std::to_string(arg.double_value);
      for (uint32_t i = 0; i < arg.list_count; ++i)
        text += std::to_string(trace->arg_ints()[arg.list_first + i]) + " ";
    }
  }
  EXPECT_EQ(args["grid"], "20 1 1 ");
  EXPECT_EQ(args["block"], "256 1 1 ");
  EXPECT_EQ(args["registers per thread"], "32");
  EXPECT_EQ(args["static shared memory"], "1024");
  EXPECT_EQ(args["blocks per SM"], "2.000000");
  EXPECT_EQ(args["warps per SM"], "16.000000");
  // Two blocks of 8 warps out of 64 warps.
  EXPECT_EQ(args["est. achieved occupancy %"], "25.000000");
}

TEST_F(Session, WaitsAndMemoryAreWhereTheirCallIs) {
  setenv("STEPSCOPE_GPU_KINDS", "all", 1);
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  fake.wait(4, fake.call(5));
  fake.memory(0x1000, 512, 0, fake.call(6));
  fake.memory(0x1000, 512, 1, fake.call(7));
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  ASSERT_EQ(trace->memory().size(), 2u);
  EXPECT_EQ(trace->memory()[0].bytes, 512);
  EXPECT_EQ(trace->memory()[1].bytes, -512);
  for (const MemoryEvent& event : trace->memory())
    EXPECT_EQ(trace->tracks()[event.track].id, gettid());
  EXPECT_EQ(CountType(*trace, STEPSCOPE_SYNCHRONIZATION), 1u);
}

TEST_F(Session, RefusalIsOneLineAndTheHostGoesOn) {
  Fake& fake = Fake::Get();
  fake.set("other_subscriber", 1);
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  stepscope_end(stepscope_begin("host", STEPSCOPE_OPERATOR));
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_OPERATOR), 1u);
  ASSERT_EQ(trace->notes().size(), 1u);
  EXPECT_NE(trace->notes()[0].find("GPU: refused: cuptiSubscribe"),
            std::string::npos);
}

TEST_F(Session, LossIsInTheLedger) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  FakeWork zero;
  zero.zero_times = true;
  for (int i = 0; i < 3; ++i) fake.work(&zero);
  fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  const auto& rejected = trace->ledger().rejected();
  ASSERT_TRUE(rejected.contains("gpu: no timestamp"));
  EXPECT_EQ(rejected.find("gpu: no timestamp")->second.count, 3u);
  EXPECT_NE(Notes(*trace).find("GPU: partial: 3 records"), std::string::npos);
}

// Kernels that begin before their launch are counted where they are.
TEST_F(Session, EarlyKernelsAreCountedNotMoved) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  usleep(20000);
  FakeWork early;
  early.lead = -10'000'000;
  for (int i = 0; i < 2; ++i) fake.work(&early);
  fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_NE(Notes(*trace).find("2 device events seem to begin before"),
            std::string::npos);
  EXPECT_EQ(trace->ledger().kept(), trace->ledger().seen());
}

TEST_F(Session, HungDeviceDelaysStopByABound) {
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  stepscope_end(stepscope_begin("host", STEPSCOPE_OPERATOR));
  fake.Kernel();
  fake.set("hang_flush_ms", 3'600'000);  // longer than any test lives
  EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
  const auto trace = Read();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_OPERATOR), 1u);
  EXPECT_NE(Notes(*trace).find("GPU: partial: the device did not hand over"),
            std::string::npos);
  // The next session goes without the device.
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  const auto next = Finish();
  ASSERT_NE(next, nullptr);
  EXPECT_NE(Notes(*next).find("has not returned"), std::string::npos);
}

TEST_F(Session, NothingIsLeftAfterStop) {
  Fake& fake = Fake::Get();
  const int before = Threads();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(Start(), STEPSCOPE_OK);
    for (int k = 0; k < 10; ++k) fake.Kernel();
    const auto trace = Finish();
    ASSERT_NE(trace, nullptr);
    EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 10u);
  }
  fake.call(5);  // the program goes on calling CUDA
  for (const char* what : {"enabled", "subscribers", "domains", "buffers_out"})
    EXPECT_EQ(fake.count(what), 0) << what;
  for (int i = 0; i < 6000 && Threads() > before; ++i) usleep(10000);
  EXPECT_EQ(Threads(), before);
}

TEST_F(Session, PreparedSessionIsWarmAndItsWarmUpIsNotRecorded) {
  Fake& fake = Fake::Get();
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path_.c_str();
  ASSERT_EQ(stepscope_prepare(&options), STEPSCOPE_OK);
  for (int i = 0; i < 6000 && fake.count("enabled") == 0; ++i) usleep(10000);
  ASSERT_GT(fake.count("enabled"), 0);
  fake.Kernel("warm-up");
  usleep(30000);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  fake.Kernel("recorded");
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  ASSERT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 1u);
  EXPECT_EQ(trace->ledger().kept(), trace->ledger().seen());
}

// A killed process has lost what CUPTI had not handed over. That it does so
// every 20 ms, without a stop, is what saves the rest.
TEST_F(Session, KillLosesNoMoreThanAFlushPeriod) {
  setenv("STEPSCOPE_GPU_FLUSH_MS", "20", 1);
  Fake& fake = Fake::Get();
  const pid_t child = fork();
  if (child == 0) {
    if (Start() != STEPSCOPE_OK) _exit(1);
    for (int i = 0; i < 50; ++i) fake.Kernel();
    for (;;) pause();
  }
  // How long it takes to arrive is the machine's affair.
  int status = 0;
  while (CountInLiveCapture() < 50) {
    ASSERT_EQ(waitpid(child, &status, WNOHANG), 0) << status;
    usleep(20000);
  }
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto trace = Read();
  RemoveLiveFileOf(path_);
  ASSERT_NE(trace, nullptr);
  EXPECT_FALSE(trace->complete());
  EXPECT_GE(CountType(*trace, STEPSCOPE_KERNEL), 50u);
}

TEST_F(Session, ForkedChildRecordsItsHostOnly) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  Fake& fake = Fake::Get();
  ASSERT_EQ(Start(), STEPSCOPE_OK);
  fake.Kernel();
  const std::string child_path = path_ + ".child";
  const pid_t child = fork();
  if (child == 0) {
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = child_path.c_str();
    if (stepscope_start(&options) != STEPSCOPE_OK) _exit(1);
    stepscope_end(stepscope_begin("child", STEPSCOPE_OPERATOR));
    fake.Kernel("child's");  // CUPTI asks for a buffer in the child
    stepscope_stop();
    _exit(stepscope_wait(stepscope_session(), 5000) == STEPSCOPE_OK ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto of_child = ImportCapture(child_path);
  ASSERT_TRUE(of_child.has_value());
  EXPECT_EQ(CountType(**of_child, STEPSCOPE_OPERATOR), 1u);
  EXPECT_EQ(CountType(**of_child, STEPSCOPE_KERNEL), 0u);
  EXPECT_NE(Notes(**of_child).find("forked"), std::string::npos);
  std::filesystem::remove(child_path);
  fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(CountType(*trace, STEPSCOPE_KERNEL), 2u);
}

TEST_F(Session, FileLimitIsCounted) {
  Fake& fake = Fake::Get();
  std::filesystem::remove(path_);
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path_.c_str();
  options.max_file = 100'000;
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  for (int i = 0; i < 5000; ++i) fake.Kernel();
  const auto trace = Finish();
  ASSERT_NE(trace, nullptr);
  const auto& rejected = trace->ledger().rejected();
  const auto lost = rejected.find("device records lost: file_limit");
  ASSERT_NE(lost, rejected.end());
  EXPECT_GT(lost->second.count, 0u);
  EXPECT_LT(std::filesystem::file_size(path_), 110'000u);
}

}  // namespace
}  // namespace stepscope
