// SPDX-License-Identifier: Apache-2.0
//
// Attaching: what the plugin finds, what it refuses and how it says so, and
// that nothing is left behind.
#include <cupti.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "test_host.h"

namespace {

using testing::AssertionFailure;
using testing::AssertionResult;
using testing::AssertionSuccess;

AssertionResult Contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return AssertionSuccess();
  return AssertionFailure() << '"' << part << "\" is not in \"" << text << '"';
}

// The program's next call into CUDA ends what waits for one.
AssertionResult NothingLeft(const Fake& fake) {
  fake.call(5);
  for (const char* what : {"enabled", "single_calls", "subscribers", "domains"})
    if (fake.count(what) != 0)
      return AssertionFailure() << fake.count(what) << " " << what;
  return AssertionSuccess();
}

TEST(Attach, SaysWhatItRecordsWith) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_EQ(host.Query(), STEPSCOPE_OK);
  ASSERT_TRUE(host.Record());
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_RECORDING);
  EXPECT_TRUE(Contains(host.report, "CUPTI 130001"));
  EXPECT_TRUE(Contains(host.report, "shared clock"));
  EXPECT_EQ(fake.count("enabled"), 8);
  // All of the runtime's but cudaGetDevice; of the driver's cuLaunchKernel.
  EXPECT_EQ(fake.count("single_calls"), 10);
  host.Detach();
  EXPECT_TRUE(NothingLeft(fake));
}

// Launches are as fast as before once CUPTI is finalised, which it allows at
// the exit of a call.
TEST(Attach, FinalisesAtTheNextCall) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);  // nobody calls: nobody pays
  fake.call(5);
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  EXPECT_TRUE(NothingLeft(fake));
  fake.call(5);
  EXPECT_EQ(fake.count("cuptiFinalize"), 1);
  host.blocks.clear();
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
}

TEST(Attach, DoesNotFinaliseWhatIsAttachedAgain) {
  Fake& fake = Fake::Get();
  TestHost host;
  for (int i = 0; i < 3; ++i) {
    host.blocks.clear();
    ASSERT_TRUE(host.Record());
    fake.Kernel();
    host.Detach();
    EXPECT_EQ(host.Work().size(), 1u);
  }
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
}

// A graph that was made before CUPTI came would crash the program.
TEST(Attach, TracesGraphsAsWholesOnlyWhereAskedAndNoneCanExist) {
  Fake& fake = Fake::Get();
  const auto graphs_recorded = [&](bool early) {
    TestHost host;
    if (early) host.SetEarly();
    EXPECT_TRUE(host.Record());
    FakeWork graph;
    graph.kind = FakeWork::kGraph;
    fake.work(&graph);
    host.Detach();
    return host.Work().size();
  };
  EXPECT_EQ(graphs_recorded(false), 0u);
  EXPECT_EQ(graphs_recorded(true), 0u);
  setenv("STEPSCOPE_GPU_GRAPHS", "whole", 1);
  EXPECT_EQ(graphs_recorded(false), 0u);
  EXPECT_EQ(graphs_recorded(true), 1u);
}

// The rest is recorded, and one line says what is missing.
TEST(Attach, RecordsWithoutCallsWhereCallbacksAreRefused) {
  Fake& fake = Fake::Get();
  TestHost host;
  fake.fail("cuptiEnableCallback", CUPTI_ERROR_INVALID_PARAMETER);
  ASSERT_TRUE(host.Record());
  EXPECT_TRUE(Contains(host.report, "without calls"));
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
  EXPECT_TRUE(host.Calls().empty());
}

TEST(Attach, DoesNotFinaliseAtExit) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.DetachAtExit();
  fake.call(5);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  EXPECT_TRUE(NothingLeft(fake));
}

TEST(Attach, DoesNotFinaliseBeforeCuda126) {
  Fake& fake = Fake::Get();
  fake.set("version", 23);
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  host.Detach();
  fake.call(5);
  EXPECT_EQ(fake.count("cuptiFinalize"), 0);
  EXPECT_TRUE(NothingLeft(fake));
}

TEST(Attach, KeepsEveryCallIfAskedTo) {
  setenv("STEPSCOPE_GPU_CALLS", "all", 1);
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  EXPECT_NE(fake.call(1), 0u);  // cudaGetDevice
  host.Detach();
  EXPECT_EQ(host.Calls().size(), 1u);
  EXPECT_TRUE(NothingLeft(fake));
}

TEST(Attach, ReportsTheAbsenceOfADriver) {
  // Nothing fake is loaded in this process.
  if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr)
    GTEST_SKIP() << "this machine has a driver";
  TestHost host;
  EXPECT_NE(host.Query(), STEPSCOPE_OK);
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_ABSENT);
  EXPECT_TRUE(Contains(host.report, "libcuda.so.1"));
}

// Neither driver nor CUPTI is touched while nothing else uses CUDA.
TEST(Attach, WaitsUntilCudaIsUsed) {
  TestHost host;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(host.Attach(), STEPSCOPE_NOT_RUNNING);
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_ABSENT);
  EXPECT_EQ(host.report, "nothing in this process uses CUDA");
  EXPECT_EQ(host.reports, 1);
  Fake& fake = Fake::Get();
  ASSERT_TRUE(host.Record());
  EXPECT_TRUE(Contains(host.report, "since CUDA came into use"));
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.Work().size(), 1u);
}

TEST(Attach, ReportsTheAbsenceOfTheLibrary) {
  Fake::Open(FAKE_DRIVER);
  setenv("STEPSCOPE_CUPTI_PATH", "/nowhere/libcupti.so.13", 1);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_REFUSED);
  EXPECT_TRUE(Contains(host.report, "STEPSCOPE_CUPTI_PATH"));
}

TEST(Attach, NamesTheFirstSymbolThatIsMissing) {
  Fake::Open(FAKE_DRIVER);
  setenv("STEPSCOPE_CUPTI_PATH", FAKE_DRIVER, 1);  // a library, not CUPTI
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_TRUE(Contains(host.report, "has no cuptiGetVersion"));
}

TEST(Attach, StubLibraryIsNamedAsSuch) {
  Fake& fake = Fake::Get();
  fake.fail("*", CUPTI_ERROR_NOT_INITIALIZED);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_TRUE(Contains(host.report, "stub"));
}

TEST(Attach, TakesVersions12And13Only) {
  Fake& fake = Fake::Get();
  TestHost host;
  for (const int64_t version : {1, 17, 18, 140000, 150000}) {
    fake.set("version", version);
    EXPECT_FALSE(host.Record()) << version;
    EXPECT_TRUE(Contains(host.report, std::to_string(version)));
  }
  // Once a good one was found it is kept, so the good ones come last.
  fake.set("version", 19);
  ASSERT_TRUE(host.Record());
  host.Detach();
}

TEST(Attach, OtherSubscriberKeepsItsSubscription) {
  Fake& fake = Fake::Get();
  fake.set("other_subscriber", 1);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_TRUE(Contains(host.report, "other tool"));
  EXPECT_TRUE(Contains(host.report, "another profiler"));
  EXPECT_EQ(fake.count("cuptiUnsubscribe"), 0);
  EXPECT_EQ(fake.count("cuptiActivityEnable"), 0);
  EXPECT_EQ(fake.count("cuptiActivityRegisterCallbacks"), 0);
  // It works once the other is gone.
  fake.set("other_subscriber", 0);
  EXPECT_TRUE(host.Record());
  host.Detach();
}

// From CUDA 13.2 on CUPTI takes several that all allow it; we want to be alone,
// since buffers and clocks of one are those of all.
TEST(Attach, OtherSubscriberThatWouldShare) {
  Fake& fake = Fake::Get();
  fake.set("other_subscriber", 2);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_REFUSED);
  EXPECT_EQ(host.reports, 1);
  EXPECT_TRUE(Contains(host.report, "another profiler"));
  EXPECT_TRUE(Contains(host.report, "(other tool)"));
  EXPECT_EQ(fake.count("shared_subscriptions"), 0);
  EXPECT_EQ(fake.count("cuptiActivityEnable"), 0);
}

// Nsight Systems is no subscriber, but CUPTI refuses beside it.
TEST(Attach, BesideNsightSystems) {
  setenv("CUDA_INJECTION64_PATH", "/opt/nsys/libToolsInjection64.so", 1);
  Fake& fake = Fake::Get();
  fake.fail("cuptiSubscribe_v2",
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_EQ(host.reports, 1);
  EXPECT_TRUE(Contains(host.report, "end it, or record without it"));
  EXPECT_TRUE(Contains(host.report, "/opt/nsys/libToolsInjection64.so"));
}

// Programs that share a device by MPS are recorded each, and told that others
// may be on it.
TEST(Attach, BesideOthersOfMps) {
  const std::string folder =
      testing::TempDir() + "mps_" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  setenv("CUDA_MPS_PIPE_DIRECTORY", folder.c_str(), 1);
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  EXPECT_EQ(host.report.find("MPS"), std::string::npos);
  host.Detach();
  std::ofstream(folder + "/control") << "";
  ASSERT_TRUE(host.Record());
  EXPECT_TRUE(
      Contains(host.report, "other processes may use the GPU at once (MPS)"));
  fake.Kernel();
  host.Detach();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(host.Work().size(), 1u);
}

TEST(Attach, PermissionRefusedNamesTheSetting) {
  Fake& fake = Fake::Get();
  fake.fail("cuptiActivityEnable", CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  TestHost host;
  EXPECT_FALSE(host.Record());
  EXPECT_TRUE(Contains(host.report, "NVreg_RestrictProfilingToAdminUsers=0"));
  EXPECT_TRUE(NothingLeft(fake));
}

TEST(Attach, TakeOverIsNoticed) {
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());
  fake.Kernel();
  fake.set("take_over", 1);  // its callbacks are not ours
  fake.Kernel();
  host.Detach();
  EXPECT_EQ(host.state, STEPSCOPE_DEVICE_PARTIAL);
  EXPECT_TRUE(Contains(host.report, "another profiler"));
}

// Every function fails in every way: the plugin refuses or records, never
// crashes, never tries in a loop, and leaves nothing on.
TEST(Attach, SurvivesEveryErrorOfEveryFunction) {
  setenv("STEPSCOPE_CUPTI_FINALIZE", "0", 1);  // no waiting for a call
  setenv("STEPSCOPE_GPU_BUDGET", "8", 1);      // MiB to be cleared per session
  Fake& fake = Fake::Get();
  TestHost host;
  ASSERT_TRUE(host.Record());  // the library is found once
  host.Detach();
  constexpr const char* kFunctions[] = {
      "cuptiSubscribe",
      "cuptiSubscribe_v2",
      "cuptiEnableCallback",
      "cuptiGetCallbackName",
      "cuptiGetTimestamp",
      "cuptiSetThreadIdType",
      "cuptiActivityEnable",
      "cuptiActivityEnableAndDump",
      "cuptiActivityRegisterTimestampCallback",
      "cuptiActivityRegisterCallbacks",
      "cuptiActivityGetNextRecord",
      "cuptiActivityGetNumDroppedRecords",
      "cuptiActivityFlushAll"};
  int refused = 0;
  for (const char* function : kFunctions) {
    for (int result = 1; result < 50; ++result) {
      fake.reset();
      fake.fail(function, result);
      const bool recording = host.Record();
      refused += recording ? 0 : 1;
      EXPECT_LE(fake.count(function), 300) << function << " " << result;
      fake.Kernel();
      if (recording) {
        host.Poll();
        fake.fail(function, 0);
        host.Detach(30);
      } else {
        EXPECT_EQ(host.state, STEPSCOPE_DEVICE_REFUSED);
        EXPECT_FALSE(host.report.empty());
      }
      EXPECT_TRUE(NothingLeft(fake)) << function << " " << result;
    }
  }
  // Subscribing (two ways, one of them used), enabling and registering are
  // what it cannot do without.
  EXPECT_EQ(refused, 4 * 49);
}

TEST(Attach, ThousandSessionsDeliverTheirOwnKernels) {
  setenv("STEPSCOPE_CUPTI_FINALIZE", "0", 1);  // no waiting for a call
  setenv("STEPSCOPE_GPU_BUDGET", "8", 1);      // MiB to be cleared per session
  Fake& fake = Fake::Get();
  TestHost host;
  for (int i = 0; i < 1000; ++i) {
    host.blocks.clear();
    ASSERT_TRUE(host.Record());
    for (int k = 0; k < 3; ++k) fake.Kernel();
    host.Detach();
    ASSERT_EQ(host.Work().size(), 3u) << i;
    ASSERT_EQ(host.Calls().size(), 3u) << i;
    ASSERT_TRUE(host.Balanced());
  }
  EXPECT_TRUE(NothingLeft(fake));
}

}  // namespace
