// SPDX-License-Identifier: Apache-2.0
//
// A device type that nobody knows travels from <stepscope/plugin.h> to the
// tables and the timeline: the interface is not CUDA's.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <stepscope/plugin.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "base/forking_tests.h"
#include "exporters/chrome/chrome.h"
#include "importers/capture/capture_file.h"
#include "live_file.h"
#include "mlu_work.h"

namespace stepscope {
namespace {

std::string FreshPath(const char* what) {
  const std::string path =
      testing::TempDir() + what + "_" + std::to_string(getpid()) + ".sscap";
  std::filesystem::remove(path);
  return path;
}

// REQUIRES: `path` outlives them.
stepscope_options OptionsFor(const std::string& path) {
  stepscope_options options = {};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  return options;
}

uint32_t CountStreams(const Trace& trace) {
  uint32_t streams = 0;
  for (const Track& track : trace.tracks())
    streams += track.kind == TrackKind::kStream ? 1 : 0;
  return streams;
}

class DevicePlugin : public testing::Test {
 protected:
  // Returns when the device's work is in the capture.
  void WaitForTheDevice(const std::string& path) const {
    work_.Begin();
    for (;; usleep(20000)) {
      const auto trace = ImportCapture(path);
      if (trace.has_value() && CountStreams(**trace) > 0) return;
    }
  }

  // Records one operator while the fake device works, if it does, and returns
  // the capture.
  std::string RecordCapture(bool works = true) const {
    const std::string path = FreshPath("mlu");
    const stepscope_options options = OptionsFor(path);
    EXPECT_EQ(stepscope_start(&options), STEPSCOPE_OK);
    const stepscope_scope scope = stepscope_begin("matmul", STEPSCOPE_OPERATOR);
    if (works) {
      WaitForTheDevice(path);
    } else {
      usleep(200000);
    }
    stepscope_end(scope);
    EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
    EXPECT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
    return path;
  }

 private:
  const MluWork work_;
};

TEST_F(DevicePlugin, ReachesTheTables) {
  const auto trace = ImportCapture(RecordCapture());
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  const Trace& t = **trace;
  EXPECT_EQ(t.ledger().kept(), t.ledger().seen());
  const EventTree tree(t);
  const Summary summary = ComputeSummary(t, {});
  std::vector<std::string> devices;
  for (const DeviceRow& row : summary.device) devices.push_back(row.name);
  EXPECT_EQ(devices, (std::vector<std::string>{"CPU(Process)", "CPU(System)",
                                               "MLU0", "MLU1"}));
  ASSERT_EQ(summary.kernel.size(), 1u);
  EXPECT_EQ(summary.kernel[0].name, "mlu_matmul");
  EXPECT_EQ(summary.kernel[0].calls, 4u);
  // All six launches were made inside the operator.
  for (const DeviceWork& work : tree.work()) {
    ASSERT_NE(work.owner, kNoRow);
    EXPECT_EQ(t.str(t.name()[work.owner]), "matmul");
  }
}

TEST_F(DevicePlugin, ReachesTheTimeline) {
  const auto trace = ImportCapture(RecordCapture());
  ASSERT_TRUE(trace.has_value());
  const std::string json = ChromeJson(**trace);
  EXPECT_NE(json.find("MLU"), std::string::npos);
  EXPECT_NE(json.find("mlu_matmul"), std::string::npos);
}

TEST_F(DevicePlugin, CanBeTurnedOff) {
  stepscope_use_devices(STEPSCOPE_DEVICES_OFF);
  const auto trace = ImportCapture(RecordCapture(false));
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(CountStreams(**trace), 0u);
}

// Injected programs attach when their device library initialises.
TEST_F(DevicePlugin, AttachesLater) {
  stepscope_use_devices(STEPSCOPE_DEVICES_LATER);
  EXPECT_EQ(stepscope_attach_devices(), STEPSCOPE_NOT_RUNNING);
  const std::string path = FreshPath("later");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  char report[256];
  stepscope_device_report(report, sizeof(report));
  EXPECT_STREQ(report, "");
  EXPECT_EQ(stepscope_attach_devices(), STEPSCOPE_OK);
  stepscope_device_report(report, sizeof(report));
  EXPECT_STREQ(report, "MLU: recording: two imaginary devices");
  WaitForTheDevice(path);
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
  const auto trace = ImportCapture(path);
  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(CountStreams(**trace), 2u);
}

// A program that does not use the device yet: its session begins at once, and
// the device joins it when it comes into use.
TEST_F(DevicePlugin, JoinsWhenItComesIntoUse) {
  setenv("FAKE_MLU_UNUSED", "4", 1);
  const auto trace = ImportCapture(RecordCapture());
  ASSERT_TRUE(trace.has_value()) << trace.error().message;
  uint32_t kernels = 0;
  for (const uint16_t type : (*trace)->type())
    kernels += type == STEPSCOPE_KERNEL ? 1 : 0;
  EXPECT_EQ(kernels, 4u);
}

TEST_F(DevicePlugin, ThatIsNeverUsedHoldsNothingUp) {
  setenv("FAKE_MLU_UNUSED", "1000000", 1);
  for (int i = 0; i < 3; ++i) {
    const auto trace = ImportCapture(RecordCapture(false));
    ASSERT_TRUE(trace.has_value()) << trace.error().message;
    EXPECT_EQ((*trace)->type().size(), 1u);
  }
}

// Whoever forks before the device came into use has not spoilt it for its
// child.
TEST_F(DevicePlugin, IsLeftToAForkedChildWhileUnused) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  setenv("FAKE_MLU_UNUSED", "1000000", 1);
  const std::string path = FreshPath("parent");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  const std::string own_path = FreshPath("child");
  const pid_t child = fork();
  if (child == 0) {
    const stepscope_options own = OptionsFor(own_path);
    stepscope_start(&own);
    char report[256];
    stepscope_device_report(report, sizeof(report));
    stepscope_stop();
    stepscope_wait(stepscope_session(), 100000);
    _exit(std::string(report).find("forked") == std::string::npos ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  stepscope_stop();
}

// A fork that leaves the loader locked makes a child that hangs at its next
// import: most workers of data loaders are forked, and load libraries.
TEST_F(DevicePlugin, ForkedChildCanLoadLibraries) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  setenv("FAKE_MLU_UNUSED", "1000000", 1);
  setenv("FAKE_MLU_LOADING_MS", "40", 1);
  const std::string path = FreshPath("loading");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  for (int i = 0; i < 10; ++i) {
    usleep(7000);
    const pid_t child = fork();
    if (child == 0) {
      alarm(100);
      _exit(dlopen("libpthread.so.0", RTLD_NOW) != nullptr ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stepscope_stop();
}

TEST_F(DevicePlugin, MayForkWhileItAttaches) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  setenv("FAKE_MLU_FORKS", "1", 1);
  const std::string path = FreshPath("forking");
  const stepscope_options options = OptionsFor(path);
  // Whoever waits for itself waits for a second, each time; a machine that
  // stalls does not do so so many times in a row.
  bool quick = false;
  for (int i = 0; i < 30 && !quick; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const auto before = std::chrono::steady_clock::now();
      if (stepscope_start(&options) != STEPSCOPE_OK) _exit(2);
      const auto took = std::chrono::steady_clock::now() - before;
      stepscope_stop();
      stepscope_wait(stepscope_session(), 100000);
      _exit(took < std::chrono::milliseconds(900) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << status;
    quick = WEXITSTATUS(status) == 0;
  }
  EXPECT_TRUE(quick);
}

// A plugin that does not come back from the loader delays one fork, no more.
TEST_F(DevicePlugin, ThatHangsDoesNotHoldAForkUpForLong) {
  STEPSCOPE_SKIP_FORK_WITH_THREADS();
  setenv("FAKE_MLU_LOADING_MS", "60000", 1);
  const std::string path = FreshPath("hanging");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_prepare(&options), STEPSCOPE_OK);
  usleep(50000);
  // Forks that waited would all wait for a second; one that does not is enough.
  bool quick = false;
  for (int i = 0; i < 60 && !(quick && i >= 20); ++i) {
    const auto before = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    quick = quick || std::chrono::steady_clock::now() - before <
                         std::chrono::milliseconds(500);
  }
  EXPECT_TRUE(quick);
  RemoveLiveFileOf(path);
  _exit(testing::Test::HasFailure() ? 1 : 0);  // the plugin is still in there
}

TEST_F(DevicePlugin, OfTheFirstVersionIsAlwaysRecorded) {
  setenv("FAKE_MLU_OLD", "1", 1);
  const std::string path = FreshPath("old");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  stepscope_record_device_work(0);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_ALWAYS);
  WaitForTheDevice(path);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_ALWAYS);
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
}

// The plugin is still about to leave work out when it is asked to take it in:
// whoever looks then must not believe that it does.
TEST_F(DevicePlugin, RecordsWorkOnceItHasFollowedTheLastWish) {
  const std::string held = FreshPath("held");
  const std::string inside = held + ".in";
  std::filesystem::remove(inside);
  setenv("FAKE_MLU_HELD", held.c_str(), 1);
  const std::string path = FreshPath("wishes");
  const stepscope_options options = OptionsFor(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_RECORDED);
  std::ofstream(held).close();
  stepscope_record_device_work(0);
  while (!std::filesystem::exists(inside)) usleep(1000);
  stepscope_record_device_work(1);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_LEFT_OUT);
  std::filesystem::remove(held);
  while (stepscope_device_work() != STEPSCOPE_WORK_RECORDED) usleep(1000);
  std::filesystem::remove(inside);
  // The next session begins with everything, whatever this one left out.
  stepscope_record_device_work(0);
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_ALWAYS);
  std::filesystem::remove(path);
  ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
  EXPECT_EQ(stepscope_device_work(), STEPSCOPE_WORK_RECORDED);
  stepscope_stop();
  ASSERT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
}

TEST_F(DevicePlugin, ThatIsNoneIsRefused) {
  setenv("STEPSCOPE_PLUGIN_PATH", "/nowhere/plugin.so", 1);
  const auto trace = ImportCapture(RecordCapture(false));
  ASSERT_TRUE(trace.has_value());
  ASSERT_EQ((*trace)->notes().size(), 1u);
  EXPECT_NE((*trace)->notes()[0].find("/nowhere/plugin.so"), std::string::npos);
}

}  // namespace
}  // namespace stepscope
