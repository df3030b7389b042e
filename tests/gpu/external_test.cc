// SPDX-License-Identifier: Apache-2.0
//
// What another profiler of the process timed becomes part of the capture: on
// the thread it says, inside the events that were recorded around it.
#include <gtest/gtest.h>
#include <stepscope/c.h>
#include <stepscope/external.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "importers/capture/capture_file.h"
#include "mlu_work.h"

namespace stepscope {
namespace {

int64_t RealtimeNs() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

stepscope_external_event Event(const char* name, uint32_t type, uint32_t thread,
                               int64_t start, int64_t end) {
  return {name, std::strlen(name), type, thread, start, end};
}

class External : public testing::Test {
 protected:
  void SetUp() override {
    setenv("STEPSCOPE_GPU", "0", 1);
    Start();
  }

  void Start() {
    path_ =
        testing::TempDir() + "external_" + std::to_string(getpid()) + ".sscap";
    std::filesystem::remove(path_);
    stepscope_options options = {};
    options.struct_size = sizeof(options);
    options.path = path_.c_str();
    ASSERT_EQ(stepscope_start(&options), STEPSCOPE_OK);
    stepscope_read_clocks(&since_);
  }

  std::shared_ptr<const Trace> Stop() {
    EXPECT_EQ(stepscope_stop(), STEPSCOPE_OK);
    EXPECT_EQ(stepscope_wait(stepscope_session(), 100000), STEPSCOPE_OK);
    auto trace = ImportCapture(path_);
    EXPECT_TRUE(trace.has_value());
    return trace.has_value() ? *trace : nullptr;
  }

  static Row Find(const Trace& trace, std::string_view name) {
    for (Row row = 0; row < trace.name().size(); ++row)
      if (trace.str(trace.name()[row]) == name) return row;
    return kNoRow;
  }

  std::string path_;
  stepscope_clock_pair since_ = {};
};

TEST_F(External, LiesInsideWhatWasRecordedAroundIt) {
  const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
  const stepscope_scope scope = stepscope_begin("Net", STEPSCOPE_FORWARD);
  usleep(2000);
  const int64_t start = RealtimeNs();
  usleep(2000);
  const int64_t end = RealtimeNs();
  usleep(2000);
  stepscope_end(scope);
  const std::vector<stepscope_external_event> events = {
      Event("conv2d dygraph", STEPSCOPE_OPERATOR, self, start, end),
      Event("conv2d kernel launch", 15, self, start + 1000, end),
      Event("elsewhere", STEPSCOPE_OPERATOR, 4242, start, end)};
  size_t added = 0;
  ASSERT_EQ(
      stepscope_add_external(events.data(), events.size(), &since_, &added),
      STEPSCOPE_OK);
  EXPECT_EQ(added, 3u);
  const auto trace = Stop();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->ledger().kept(), trace->ledger().seen());
  const Row net = Find(*trace, "Net");
  const Row op = Find(*trace, "conv2d dygraph");
  const Row launch = Find(*trace, "conv2d kernel launch");
  const Row other = Find(*trace, "elsewhere");
  ASSERT_NE(net, kNoRow);
  ASSERT_NE(op, kNoRow);
  ASSERT_NE(launch, kNoRow);
  ASSERT_NE(other, kNoRow);
  EXPECT_EQ(trace->track()[op], trace->track()[net]);
  EXPECT_EQ(trace->tracks()[trace->track()[other]].id, 4242u);
  EXPECT_EQ(trace->type()[launch], 15);
  const auto begin_of = [&](Row row) { return trace->start_ns()[row]; };
  const auto end_of = [&](Row row) {
    return trace->start_ns()[row] + trace->dur_ns()[row];
  };
  EXPECT_GT(begin_of(op), begin_of(net));
  EXPECT_LT(end_of(op), end_of(net));
  EXPECT_EQ(end_of(launch), end_of(op));
  // The line between the two clocks goes through readings that are some 10 ns
  // off, some milliseconds apart: a duration is exact to a part in 10^5, and
  // on a machine that stalls to a part in 10^3.
  const auto timed = static_cast<double>(end - start);
  EXPECT_NEAR(static_cast<double>(trace->dur_ns()[op]), timed, timed / 1000);
}

TEST_F(External, TakesMoreThanABlock) {
  constexpr size_t kMany = 20000;
  const int64_t start = RealtimeNs();
  const std::vector<stepscope_external_event> events(
      kMany, Event("op", STEPSCOPE_OPERATOR, 77, start, start + 10));
  size_t added = 0;
  ASSERT_EQ(stepscope_add_external(events.data(), kMany, &since_, &added),
            STEPSCOPE_OK);
  EXPECT_EQ(added, kMany);
  const auto trace = Stop();
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->name().size(), kMany);
}

TEST_F(External, LeavesOutWhatCannotBe) {
  const int64_t now = RealtimeNs();
  const stepscope_external_event wrong =
      Event("wrong", STEPSCOPE_OPERATOR, 77, now, now - 5);
  size_t added = 7;
  EXPECT_EQ(stepscope_add_external(&wrong, 1, &since_, &added), STEPSCOPE_OK);
  EXPECT_EQ(added, 0u);
  stepscope_clock_pair later = {};
  stepscope_read_clocks(&later);
  later.realtime_ns += 1000000000000;  // as if the clock was set back
  EXPECT_EQ(stepscope_add_external(&wrong, 1, &later, nullptr),
            STEPSCOPE_INVALID);
  EXPECT_EQ(stepscope_add_external(nullptr, 1, &since_, nullptr),
            STEPSCOPE_INVALID);
  EXPECT_EQ(stepscope_add_external(&wrong, 1, nullptr, nullptr),
            STEPSCOPE_INVALID);
  Stop();
  EXPECT_EQ(stepscope_add_external(&wrong, 1, &since_, &added),
            STEPSCOPE_NOT_RUNNING);
}

class ExternalWithDevice : public External {
 protected:
  void SetUp() override { Start(); }

  // Returns when the device's work is in the capture.
  void WaitForTheDevice() const {
    work_.Begin();
    for (;; usleep(20000)) {
      const auto trace = ImportCapture(path_);
      if (trace.has_value() && Find(**trace, "mlu_matmul") != kNoRow) return;
    }
  }

 private:
  const MluWork work_;
};

// One trace: what the framework's profiler timed has launched what our plugin
// saw the device do. This is how Paddle for GPUs is recorded.
TEST_F(ExternalWithDevice, OwnsWhatItLaunched) {
  const int64_t start = RealtimeNs();
  WaitForTheDevice();
  const stepscope_external_event op =
      Event("matmul dygraph", STEPSCOPE_OPERATOR,
            static_cast<uint32_t>(getpid()), start, RealtimeNs());
  ASSERT_EQ(stepscope_add_external(&op, 1, &since_, nullptr), STEPSCOPE_OK);
  const auto trace = Stop();
  ASSERT_NE(trace, nullptr);
  const EventTree tree(*trace);
  ASSERT_GT(tree.work().size(), 0u);
  for (const DeviceWork& work : tree.work()) {
    ASSERT_NE(work.owner, kNoRow);
    EXPECT_EQ(trace->str(trace->name()[work.owner]), "matmul dygraph");
  }
}

}  // namespace
}  // namespace stepscope
