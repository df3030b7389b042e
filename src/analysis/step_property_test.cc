// SPDX-License-Identifier: Apache-2.0
//
// The waterfall and its kin on random traces, against a computation that
// looks at every nanosecond by itself.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <algorithm>
#include <map>

#include "analysis/kinds.h"
#include "analysis/random_trace.h"
#include "analysis/summary.h"
#include "base/whole_or_part.h"

namespace stepscope {
namespace {

// What a nanosecond of a process is, by the words of step_sweep.h.
class SlowSweep {
 public:
  explicit SlowSweep(const Trace& trace)
      : trace_(trace),
        tree_(trace),
        steps_(tree_),
        names_(trace.strings()),
        communication_(tree_, names_) {}

  const StepTable& steps() const { return steps_; }

  StepPart At(int64_t t) {
    if (Device(t, kAnyDevice, STEPSCOPE_KERNEL, false)) {
      return StepPart::kKernel;
    }
    if (Device(t, kAnyDevice, STEPSCOPE_MEMCPY, false) ||
        Device(t, kAnyDevice, STEPSCOPE_MEMSET, false)) {
      return StepPart::kCopy;
    }
    if (Device(t, kAnyDevice, STEPSCOPE_KERNEL, true)) {
      return StepPart::kCommunication;
    }
    return HostCause(t);
  }

  // Why a device that does nothing at `t` does nothing.
  StepPart HostCause(int64_t t) {
    if (Host(t, [&](Row row) {
          return communication_.IsHostEvent(row) &&
                 !IsApiCall(trace_.type()[row]) && tree_.gpu_ns(row) == 0;
        })) {
      return tree_.work().empty() && ComputesOnHost(t)
                 ? StepPart::kOtherCpu
                 : StepPart::kCommunication;
    }
    for (const DeviceWork& work : tree_.work()) {
      if (work.launch != kNoRow && trace_.start_ns()[work.launch] <= t &&
          t < trace_.start_ns()[work.row]) {
        return StepPart::kLaunchGap;
      }
    }
    const uint32_t main = steps_.main_thread(0);
    const auto is_input = [&](Row row) {
      return trace_.type()[row] == STEPSCOPE_DATALOADER &&
             (main == kNoThread || tree_.thread_of(row) == main);
    };
    if (Host(t, is_input)) return StepPart::kInputStall;
    if (Host(t, [&](Row row) {
          return trace_.type()[row] != STEPSCOPE_PROFILE_STEP &&
                 trace_.type()[row] != STEPSCOPE_DATALOADER;
        })) {
      return StepPart::kOtherCpu;
    }
    return StepPart::kUnexplained;
  }

  bool Busy(int64_t t, int64_t device) {
    for (const uint16_t type :
         {STEPSCOPE_KERNEL, STEPSCOPE_MEMCPY, STEPSCOPE_MEMSET}) {
      if (Device(t, device, type, false) || Device(t, device, type, true)) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr int64_t kAnyDevice = -1;

  bool Covers(Row row, int64_t t) const {
    return trace_.start_ns()[row] <= t && t < tree_.end_ns(row);
  }
  bool Device(int64_t t, int64_t device, uint16_t type, bool communicates) {
    return std::any_of(
        tree_.work().begin(), tree_.work().end(), [&](const DeviceWork& work) {
          const Track& track = trace_.tracks()[trace_.track()[work.row]];
          return Covers(work.row, t) && trace_.type()[work.row] == type &&
                 communication_.IsKernel(work) == communicates &&
                 (device == kAnyDevice || track.device == device);
        });
  }
  // Some thread is in an operator, and neither exchanges nor loads data.
  bool ComputesOnHost(int64_t t) {
    for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
      bool computes = false;
      bool else_busy = false;
      tree_.threads().ForEachRow(i, [&](Row row) {
        if (!Covers(row, t)) return;
        computes = computes || trace_.type()[row] == STEPSCOPE_OPERATOR;
        else_busy = else_busy || communication_.IsHostEvent(row) ||
                    trace_.type()[row] == STEPSCOPE_DATALOADER;
      });
      if (computes && !else_busy) return true;
    }
    return false;
  }
  // Rows that lie in a background Dataloader event of their lane are skipped.
  template <typename Wanted>
  bool Host(int64_t t, Wanted wanted) {
    for (const Track& track : trace_.tracks()) {
      if (track.kind != TrackKind::kThread) continue;
      int64_t loader_until = INT64_MIN;
      for (Row row = track.first; row < track.last; ++row) {
        const uint32_t main = steps_.main_thread(0);
        if (trace_.type()[row] == STEPSCOPE_DATALOADER && main != kNoThread &&
            tree_.thread_of(row) != main) {
          loader_until = std::max(loader_until, tree_.end_ns(row));
        }
        if (tree_.end_ns(row) <= loader_until) continue;
        if (Covers(row, t) && wanted(row)) return true;
      }
    }
    return false;
  }

  const Trace& trace_;
  const EventTree tree_;
  const StepTable steps_;
  NameClasses names_;
  const Communication communication_;
};

void CheckWaterfall(const Summary& summary, SlowSweep& slow) {
  int64_t whole = 0;
  for (const StepParts& step : summary.waterfall.steps) {
    std::array<int64_t, kStepParts> want{};
    for (int64_t t = step.range.begin; t < step.range.end; ++t) {
      ++want[static_cast<size_t>(slow.At(t))];
    }
    ASSERT_EQ(step.part_ns, want) << "step " << step.index;
    int64_t sum = 0;
    for (const int64_t ns : step.part_ns) sum += ns;
    ASSERT_EQ(sum, step.length());  // to the nanosecond
    whole += sum;
  }
  ASSERT_EQ(summary.waterfall.step_ns, whole);
}

void CheckIdle(const Summary& summary, SlowSweep& slow) {
  for (const IdleDevice& device : summary.idle.devices) {
    const int64_t id = device.name.back() - '0';
    std::map<StepPart, int64_t> want;
    int64_t idle = 0;
    for (const StepParts& step : summary.waterfall.steps) {
      for (int64_t t = step.range.begin; t < step.range.end; ++t) {
        if (slow.Busy(t, id)) continue;
        ++idle;
        ++want[slow.HostCause(t)];
      }
    }
    ASSERT_EQ(device.idle_ns, idle) << device.name;
    ASSERT_LE(device.around_sync_ns, idle);
    ASSERT_LE(device.in_backward_ns, std::min(idle, device.backward_ns));
    for (const IdleRow& row : device.rows) {
      ASSERT_EQ(row.time_ns, want[row.cause])
          << device.name << " " << StepPartName(row.cause);
      ASSERT_LE(row.longest_ns, row.time_ns);
    }
  }
}

void CheckPercentiles(const Trace& trace, const Summary& summary) {
  for (const KernelRow& row : summary.kernel) {
    std::vector<int64_t> all;
    for (Row r = 0; r < trace.size(); ++r) {
      if (trace.type()[r] == STEPSCOPE_KERNEL && trace.name()[r] == row.id &&
          trace.tracks()[trace.track()[r]].kind == TrackKind::kStream) {
        all.push_back(trace.dur_ns()[r]);
      }
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(row.spread.p50_ns, all[(all.size() * 50 + 99) / 100 - 1]);
    ASSERT_EQ(row.spread.p99_ns, all[(all.size() * 99 + 99) / 100 - 1]);
    uint64_t counted = 0;
    for (const HistogramBin& bin : row.spread.histogram) counted += bin.count;
    ASSERT_EQ(counted, row.calls);
  }
}

class StepPropertyTest : public testing::TestWithParam<uint32_t> {};

TEST_P(StepPropertyTest, EveryNanosecondIsInOnePart) {
  constexpr uint32_t kTraces = WholeOrPart(400u, 100u);
  SummaryOptions options;
  options.views = kAllViews;
  for (uint32_t i = 0; i < kTraces; ++i) {
    const uint32_t seed = 100'000 + GetParam() * kTraces + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto trace = RandomTrace(seed).Make();
    const Summary summary = ComputeSummary(*trace, options);
    SlowSweep slow(*trace);
    CheckWaterfall(summary, slow);
    CheckIdle(summary, slow);
    CheckPercentiles(*trace, summary);
    for (const StepRow& step : summary.steps) ASSERT_GE(step.period_ns, 0);
    for (size_t d = 2; d < summary.device.size(); ++d) {
      ASSERT_GE(*summary.device[d].utilization, 0);
      ASSERT_LE(*summary.device[d].utilization, 1);
    }
    for (const Finding& finding : summary.advice.findings) {
      ASSERT_FALSE(finding.evidence.empty()) << finding.id;
      ASSERT_LE(finding.saving_ratio, 1) << finding.id;
      // Of the mean step, which may be longer than the median.
      if (!finding.average) {
        ASSERT_LE(finding.saving_ns, summary.advice.step_ns) << finding.id;
      }
      ASSERT_LE(finding.low_ns, finding.saving_ns) << finding.id;
      ASSERT_GE(finding.high_ns, finding.saving_ns) << finding.id;
      ASSERT_GE(finding.low_ns, 0) << finding.id;
    }
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Random, StepPropertyTest, testing::Range(0u, 5u));

}  // namespace
}  // namespace stepscope
