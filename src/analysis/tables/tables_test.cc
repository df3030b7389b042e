// SPDX-License-Identifier: Apache-2.0
//
// What each table counts, on traces small enough to check by hand. The whole
// picture is in tests/golden.
#include <gtest/gtest.h>

#include <string>

#include "analysis/summary.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct Case {
  explicit Case(std::string_view text, SummaryOptions options = {})
      : trace(TraceFromText(text)), summary(ComputeSummary(*trace, options)) {}

  const OperatorRow& Op(std::string_view name) const {
    for (const OperatorGroup& group : summary.operators) {
      for (const OperatorRow& row : group.rows) {
        if (row.name == name) return row;
      }
    }
    ADD_FAILURE() << "no operator " << name;
    static const OperatorRow none;
    return none;
  }
  const ModelRow& Stage(std::string_view name) const {
    for (const ModelRow& row : summary.model) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << "no stage " << name;
    static const ModelRow none;
    return none;
  }
  bool Notes(std::string_view part) const {
    for (const std::string& note : summary.notes) {
      if (note.find(part) != note.npos) return true;
    }
    return false;
  }

  std::shared_ptr<const Trace> trace;
  Summary summary;
};

std::string OperatorNames(const Case& c) {
  std::string names;
  for (const OperatorRow& row : c.summary.operators.at(0).rows) {
    names += std::string(row.name) + " ";
  }
  return names;
}

TEST(OperatorTableTest, EqualRowsComeLastFirst) {
  const Case c(R"(
    0..5 a Operator
    5..10 b Operator
    10..15 c Operator)");
  EXPECT_EQ(OperatorNames(c), "c b a ");
}

TEST(OperatorTableTest, NestedOfTheSameNameIsPartOfTheCall) {
  SummaryOptions options;
  options.views = kOperatorView | kPercentileView;
  const Case c(R"(
    0..100 add Operator
      10..60 add Operator
        20..30 add Operator
    200..210 add Operator)",
               options);
  const OperatorRow& add = c.Op("add");
  EXPECT_EQ(add.calls, 2u);
  EXPECT_EQ(add.nested_calls, 2u);
  EXPECT_EQ(add.cpu.total_ns, 110);
  EXPECT_EQ(add.cpu.max_ns, 100);
  EXPECT_EQ(add.cpu.min_ns, 10);
  EXPECT_EQ(add.cpu_spread.p50_ns, 10);
  EXPECT_EQ(add.cpu_spread.p99_ns, 100);
  EXPECT_DOUBLE_EQ(add.cpu.ratio, 1.0);
  EXPECT_EQ(add.self_cpu_ns, 110);
}

TEST(OperatorTableTest, NestedShortCallsDoNotLowerMinimumAndMedian) {
  SummaryOptions options;
  options.views = kOperatorView | kPercentileView;
  const Case c(R"(
    thread 1
      0..100 to Operator
        10..20 to Operator
          11..12 launch CudaRuntime correlation=1
      100..200 to Operator
        110..120 to Operator
    thread 2
      10..20 to Operator
    stream 7 GPU:0
      300..330 copy Kernel correlation=1)",
               options);
  const OperatorRow& to = c.Op("to");
  EXPECT_EQ(to.calls, 3u);  // that of the other thread is in none
  EXPECT_EQ(to.nested_calls, 2u);
  EXPECT_EQ(to.cpu.total_ns, 210);
  EXPECT_EQ(to.cpu_spread.p50_ns, 100);
  EXPECT_EQ(to.gpu.total_ns, 30);
  EXPECT_EQ(to.gpu.max_ns, 30);
  EXPECT_EQ(to.self_gpu_ns, 30);
  ASSERT_EQ(to.device.size(), 1u);
  EXPECT_EQ(to.device[0].calls, 1u);
}

TEST(OperatorTableTest, NestedInnerEventsArePartOfTheCall) {
  const Case c(R"(
    0..100 op Operator
      10..90 compute OperatorInner
        20..80 op Operator
          30..70 compute OperatorInner
    200..220 op Operator
      205..215 compute OperatorInner)");
  const OperatorRow& op = c.Op("op");
  EXPECT_EQ(op.calls, 2u);
  ASSERT_EQ(op.inner.size(), 1u);
  EXPECT_EQ(op.inner[0].calls, 2u);
  EXPECT_EQ(op.inner[0].nested_calls, 1u);
  EXPECT_EQ(op.inner[0].cpu.total_ns, 90);
  EXPECT_EQ(op.inner[0].cpu.min_ns, 10);
}

TEST(UserDefinedTest, NestedOfTheSameNameIsPartOfTheCall) {
  const Case c(R"(
    0..100 mine UserDefined
      10..60 mine UserDefined
    200..210 mine UserDefined)");
  ASSERT_EQ(c.summary.user_defined.size(), 1u);
  const NamedRow& mine = c.summary.user_defined[0].rows[0];
  EXPECT_EQ(mine.calls, 2u);
  EXPECT_EQ(mine.nested_calls, 1u);
  EXPECT_EQ(mine.cpu.total_ns, 110);
  EXPECT_EQ(mine.cpu.min_ns, 10);
}

TEST(OperatorTableTest, RatiosAreOfTheOutermost) {
  const Case c(R"(
    0..100 outer Operator
      10..60 inner Operator
    100..200 other Operator)");
  EXPECT_DOUBLE_EQ(c.Op("outer").cpu.ratio, 0.5);
  EXPECT_DOUBLE_EQ(c.Op("inner").cpu.ratio, 0.25);
  EXPECT_DOUBLE_EQ(c.Op("other").cpu.ratio, 0.5);
  EXPECT_EQ(c.Op("outer").self_cpu_ns, 50);
}

TEST(OperatorTableTest, NamesOfSeveralThreadsAreMergedOrKeptApart) {
  constexpr std::string_view kText = R"(
    thread 1
      0..10 op Operator
    thread 2 loader
      0..30 op Operator)";
  EXPECT_EQ(Case(kText).Op("op").calls, 2u);
  SummaryOptions options;
  options.thread_sep = true;
  const Case apart(kText, options);
  ASSERT_EQ(apart.summary.operators.size(), 2u);
  EXPECT_EQ(apart.summary.operators[0].thread_id, 1);
  EXPECT_EQ(apart.summary.operators[1].thread_name, "loader");
  EXPECT_EQ(apart.summary.operators[1].rows[0].cpu.total_ns, 30);
  EXPECT_DOUBLE_EQ(apart.summary.operators[1].rows[0].cpu.ratio, 1.0);
}

TEST(OperatorTableTest, WorkWithoutALaunchIsARowOfItsOwn) {
  const Case c(R"(
    thread 1
      0..10 op Operator
        1..2 launch CudaRuntime correlation=1
    stream 7 GPU:0
      20..50 a Kernel correlation=1
      60..70 lost Kernel correlation=2)");
  const OperatorRow& lost = c.Op(kNoLaunchName);
  EXPECT_EQ(lost.calls, 1u);
  EXPECT_EQ(lost.gpu.total_ns, 10);
  EXPECT_DOUBLE_EQ(lost.gpu.ratio, 0.25);
  EXPECT_DOUBLE_EQ(c.Op("op").gpu.ratio, 0.75);
  EXPECT_EQ(c.summary.no_launch, 1u);
  EXPECT_TRUE(c.Notes("1 device event has no recorded launch"));
  ASSERT_EQ(c.summary.kernel.size(), 2u);
}

TEST(OperatorTableTest, SortKeys) {
  constexpr std::string_view kText = R"(
    0..10 a Operator
    20..22 a Operator
    30..39 b Operator)";
  const auto names = [&](SortKey key) {
    SummaryOptions options;
    options.sort = key;
    return OperatorNames(Case(kText, options));
  };
  EXPECT_EQ(names(SortKey::kCpuTotal), "a b ");
  EXPECT_EQ(names(SortKey::kCpuAvg), "b a ");
  EXPECT_EQ(names(SortKey::kCpuMax), "a b ");
  EXPECT_EQ(names(SortKey::kCpuMin), "a b ");
}

TEST(OperatorTableTest, SortedByTheTimeOfTheirOwn) {
  SummaryOptions options;
  options.sort = SortKey::kSelf;
  EXPECT_EQ(OperatorNames(Case(R"(
    0..100 linear Operator
      1..99 addmm Operator
    200..210 relu Operator)",
                               options)),
            "addmm relu linear ");
}

TEST(DistributionTest, KernelOfACollectiveIsNotComputation) {
  const Case c(R"(
    thread 1
      10..20 c_allreduce Operator
        11..15 c_allreduce::compute OperatorInner
          12..13 launch CudaRuntime correlation=1
    stream 7 GPU:0
      30..40 reduce_kernel Kernel correlation=1)");
  EXPECT_EQ(c.summary.distribution.communication_ns, 20);
  EXPECT_EQ(c.summary.distribution.computation_ns, 0);
  EXPECT_EQ(c.summary.distribution.overlap_ns, 0);
}

TEST(DistributionTest, DeviceAloneIsBeside) {
  const Case c(R"(
    thread 1
      0..60 c10d::allreduce_ Operator
        5..6 launch CudaRuntime correlation=1
      60..70 mm Operator
        61..62 launch CudaRuntime correlation=2
    stream 7 GPU:0
      50..100 ncclDevKernel_AllReduce Kernel correlation=1
    stream 8 GPU:0
      40..60 gemm Kernel correlation=2)");
  const Distribution& d = c.summary.distribution;
  EXPECT_EQ(d.communication_ns, 100);  // from the host's begin on
  EXPECT_EQ(d.overlap_ns, 20);
  EXPECT_EQ(d.gpu.all_ns, 50);
  EXPECT_EQ(d.gpu_overlap_ns, 10);
}

// Times are of all that was recorded, shares of what lies in the steps.
TEST(DistributionTest, SharesAreOfTheSteps) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        5..6 launch CudaRuntime correlation=1
      160..170 launch CudaRuntime correlation=2
    stream 7 GPU:0
      50..400 ncclDevKernel_AllReduce Kernel correlation=1
    stream 8 GPU:0
      80..300 gemm Kernel correlation=2)");
  const Distribution& d = c.summary.distribution;
  EXPECT_EQ(d.communication_ns, 350);
  EXPECT_EQ(d.in_steps.communication_ns, 50);
  EXPECT_EQ(d.in_steps.computation_ns, 20);
  EXPECT_EQ(d.in_steps.overlap_ns, 20);
  const std::vector<OverviewRow>& gpu = c.summary.overview.gpu;
  ASSERT_EQ(gpu.size(), 2u);
  EXPECT_EQ(gpu[0].time_ns, 350);
  EXPECT_DOUBLE_EQ(gpu[0].ratio, 0.5);
  EXPECT_DOUBLE_EQ(gpu[1].ratio, 0.5);
}

TEST(ModelTest, StepsOfTwoThreadsAreSharesOfBoth) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        0..100 f Forward
    thread 2
      0..100 ProfileStep#0 ProfileStep)");
  ASSERT_EQ(c.summary.model.size(), 3u);
  EXPECT_DOUBLE_EQ(c.summary.model[0].cpu.ratio, 1);
  EXPECT_DOUBLE_EQ(c.summary.model[1].cpu.ratio, 0.5);
  EXPECT_DOUBLE_EQ(c.summary.model[2].cpu.ratio, 0.5);
}

TEST(ModelTest, HelperThreadWorkBelongsToTheStageInForce) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..40 net Forward
        50..90 loss Backward
    thread 2
      60..70 grad Operator
        61..62 launch CudaRuntime correlation=1
      95..99 late Operator
        96..97 launch CudaRuntime correlation=2
    stream 7 GPU:0
      200..230 a Kernel correlation=1
      230..235 b Memcpy correlation=2)");
  EXPECT_EQ(c.Stage("Backward").gpu.total_ns, 30);
  EXPECT_EQ(c.Stage("Forward").gpu.total_ns, 0);
  EXPECT_EQ(c.Stage("ProfileStep").gpu.total_ns, 35);
  EXPECT_EQ(c.Stage("Others").gpu.total_ns, 5);
  EXPECT_EQ(c.Stage("Others").cpu.total_ns, 30);
}

TEST(ModelTest, StagesOfOtherThreadsAreNoPartOfTheStep) {
  const Case c(R"(
    process 100
    thread 1
      0..100 ProfileStep#0 ProfileStep
        0..90 net Forward
          10..12 launch CudaRuntime correlation=1
    thread 2
      0..95 worker Dataloader
        5..6 copy CudaRuntime correlation=2
    stream 7 GPU:0
      20..50 a Kernel correlation=1
      50..55 b Memcpy correlation=2
    process 200
    thread 1
      0..95 worker Dataloader)");
  EXPECT_EQ(c.Stage("Forward").cpu.total_ns, 90);
  EXPECT_EQ(c.Stage("Others").cpu.total_ns, 10);
  EXPECT_DOUBLE_EQ(c.Stage("Others").cpu.ratio, 0.1);
  EXPECT_EQ(c.Stage("Others").gpu.total_ns, 5);
  for (const ModelRow& row : c.summary.model) {
    EXPECT_NE(row.name, "Dataloader");
  }
}

// A loader's last call finds the end of the data: no step follows.
TEST(ModelTest, StagesOutsideTheStepsDoNotCount) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        0..30 next Dataloader
        30..100 net Forward
      100..140 next Dataloader)");
  double sum = 0;
  for (const ModelRow& row : c.summary.model) {
    if (row.name == "Dataloader") {
      EXPECT_EQ(row.calls, 1u);
      EXPECT_EQ(row.cpu.total_ns, 30);
    }
    if (row.name != "ProfileStep") sum += row.cpu.ratio;
  }
  EXPECT_DOUBLE_EQ(sum, 1);
}

TEST(ModelTest, OthersIsNeverNegative) {
  // The loader ran before the step began, and two stages overlap.
  const Case c(R"(
    thread 1
      0..60 next Dataloader
      50..150 ProfileStep#0 ProfileStep
      70..120 net Forward
      110..140 grad Backward)");
  EXPECT_EQ(c.Stage("Dataloader").cpu.total_ns, 10);
  EXPECT_EQ(c.Stage("Forward").cpu.total_ns, 50);
  EXPECT_EQ(c.Stage("Backward").cpu.total_ns, 20);
  EXPECT_EQ(c.Stage("Others").cpu.total_ns, 20);
}

TEST(ModelTest, ThreadsThatStepAllCount) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        1..99 f Forward
    thread 2
      50..150 ProfileStep#0 ProfileStep
        51..149 f Forward)");
  EXPECT_EQ(c.Stage("ProfileStep").cpu.total_ns, 200);
  EXPECT_EQ(c.Stage("Forward").cpu.total_ns, 196);
  EXPECT_EQ(c.Stage("Others").cpu.total_ns, 4);
}

TEST(ModelTest, ConcludedStagesAreMarkedAndInTheOverview) {
  const Case c(R"(
    thread 1
      0..100 ProfileStep#0 ProfileStep
        10..30 mm Operator sequence=1
          11..12 launch CudaRuntime correlation=1
    thread 2
      40..60 "autograd::engine::evaluate_function: M" Operator sequence=1
        41..42 launch CudaRuntime correlation=2
      60..70 "autograd::engine::evaluate_function: N" Operator
    stream 7 GPU:0
      20..50 a Kernel correlation=1
      50..55 b Kernel correlation=2)");
  EXPECT_TRUE(c.Stage("Forward").inferred);
  EXPECT_EQ(c.Stage("Forward").calls, 1u);
  EXPECT_EQ(c.Stage("Forward").gpu.total_ns, 30);
  EXPECT_TRUE(c.Stage("Backward").inferred);
  EXPECT_EQ(c.Stage("Backward").calls, 1u);
  EXPECT_EQ(c.Stage("Backward").cpu.total_ns, 30);
  EXPECT_EQ(c.Stage("Backward").gpu.total_ns, 5);
  EXPECT_EQ(c.Stage("Others").cpu.total_ns, 50);
  EXPECT_FALSE(c.Stage("ProfileStep").inferred);
  uint64_t found = 0;
  for (const OverviewRow& row : c.summary.overview.cpu) {
    if (row.type != "Backward") continue;
    ++found;
    EXPECT_EQ(row.calls, 1u);
    EXPECT_EQ(row.time_ns, 30);
  }
  EXPECT_EQ(found, 1u);
}

TEST(ModelTest, NestedStagesCountOnce) {
  const Case c(R"(
    0..100 ProfileStep#7 ProfileStep
      10..40 net Forward
        20..30 layer Forward)");
  EXPECT_EQ(c.Stage("Forward").calls, 1u);
  EXPECT_EQ(c.Stage("Forward").cpu.total_ns, 30);
  ASSERT_EQ(c.summary.steps.size(), 1u);
  EXPECT_EQ(c.summary.steps[0].index, 7);
}

TEST(MemoryTest, PhasesCountForTheirOperatorAndNothingTwice) {
  const Case c(R"(
    thread 1
      0..100 op Operator
        10..20 op::compute OperatorInner
        30..40 mine UserDefined
      memory 15 +100 Place(cpu) 0x1
      memory 35 +10 Place(cpu) 0x2
      memory 45 -100 Place(cpu) 0x1
      memory 200 +1 Place(cpu) 0x3)");
  ASSERT_EQ(c.summary.memory.size(), 1u);
  const MemoryPlace& place = c.summary.memory[0];
  EXPECT_EQ(place.peak_allocated_bytes, 110);  // no totals were stated
  std::string rows;
  for (const MemoryRow& row : place.rows) {
    rows += std::string(row.name) + "=" + std::to_string(row.allocations) +
            "/" + std::to_string(row.frees) + "/" +
            std::to_string(row.increase_bytes()) + " ";
  }
  EXPECT_EQ(rows, "mine=1/0/10 (outside events)=1/0/1 op=1/1/0 ");
}

TEST(DeviceTest, EqualDevicesOfTwoProcessesAreToldApart) {
  const Case c(R"(
    process 10 rank=0
    stream 7 GPU:0
      0..50 a Kernel
    process 11 rank=1
    stream 7 GPU:0
      0..25 a Kernel
    stream 8 MLU:3
      0..10 a Kernel
    window 0 100)");
  ASSERT_EQ(c.summary.device.size(), 5u);
  EXPECT_FALSE(c.summary.device[0].utilization.has_value());
  EXPECT_EQ(c.summary.device[2].name, "rank 0 GPU0");
  EXPECT_DOUBLE_EQ(*c.summary.device[2].utilization, 0.5);
  EXPECT_EQ(c.summary.device[3].name, "rank 1 GPU0");
  EXPECT_EQ(c.summary.device[4].name, "MLU3");
}

// The host runs ahead of the device, which is always at work.
constexpr const char* kReplays = R"(
  thread 1 main
    0..7 ProfileStep#0 ProfileStep
      1..2 cudaGraphLaunch CudaRuntime correlation=1
    8..15 ProfileStep#1 ProfileStep
      9..10 cudaGraphLaunch CudaRuntime correlation=2
    16..23 ProfileStep#2 ProfileStep
      17..18 cudaGraphLaunch CudaRuntime correlation=3
  stream 7 GPU:0
    3..94 a Kernel correlation=1
    97..188 b Kernel correlation=2
    191..283 c Kernel correlation=3
  window 0 30)";

TEST(DeviceTest, UseIsOfTheTimeUntilTheDeviceIsDone) {
  const Case c(kReplays);
  ASSERT_EQ(c.summary.device.size(), 3u);
  EXPECT_DOUBLE_EQ(*c.summary.device[2].utilization, 274.0 / 283);
  EXPECT_EQ(c.summary.device[2].busy_ns, 274);
  EXPECT_EQ(c.summary.device[2].after_ns, 94 - 23 + 91 + 92);
}

TEST(DeviceTest, WorkOutsideTheStepsIsNotWithinThem) {
  const Case c(R"(
    thread 1 main
      0..5 before CudaRuntime correlation=1
      100..200 ProfileStep#2 ProfileStep
      200..300 ProfileStep#3 ProfileStep
      900..1000 ProfileStep#8 ProfileStep
    stream 7 GPU:0
      10..150 a Kernel correlation=1
      250..400 b Kernel
      950..1200 c Kernel
    stream 8 GPU:0
      120..290 d Kernel)");
  // Of [100, 300) and [900, 1000): until 300, and from 950.
  EXPECT_DOUBLE_EQ(*c.summary.device[2].utilization, 250.0 / 300);
  EXPECT_EQ(c.summary.device[2].after_ns, 200);
}

TEST(DeviceTest, WithoutStepsTheWindowTakesInTheWork) {
  const Case c(R"(
    thread 1 main
      0..10 a CudaRuntime
    stream 7 GPU:0
      5..45 b Kernel
    window 0 20)");
  EXPECT_DOUBLE_EQ(*c.summary.device[2].utilization, 40.0 / 45);
}

TEST(StepTimeTest, IsOfSettledSteps) {
  const Case c(R"(
    thread 1 main
      0..90 ProfileStep#0 ProfileStep
      90..100 ProfileStep#1 ProfileStep
      100..112 ProfileStep#2 ProfileStep
      112..120 ProfileStep#3 ProfileStep
      120..130 ProfileStep#4 ProfileStep)");
  EXPECT_EQ(c.summary.step_time.steps, 4u);
  EXPECT_EQ(c.summary.step_time.warmup, 1u);
  EXPECT_EQ(c.summary.step_time.avg_ns, 10);
  EXPECT_EQ(c.summary.step_time.p50_ns, 10);
  EXPECT_EQ(c.summary.step_time.min_ns, 8);
  EXPECT_EQ(c.summary.step_time.max_ns, 12);
  EXPECT_EQ(c.summary.steps.size(), 5u);
  EXPECT_TRUE(c.summary.steps[0].warmup);
}

TEST(StepTimeTest, WhereTheDevicePacesItIsTheDevices) {
  const Case c(kReplays);
  EXPECT_TRUE(c.summary.step_time.device_paced);
  EXPECT_EQ(c.summary.step_time.p50_ns, 94);
  EXPECT_EQ(c.summary.steps[2].period_ns, 92);
  EXPECT_EQ(c.summary.steps[2].device_start_ns, 191);
  EXPECT_EQ(c.summary.steps[2].device_end_ns, 283);
}

TEST(BenchmarkTest, WarmStepsCountReaderAndBatchAlike) {
  std::string text;
  for (int i = 8; i < 14; ++i) {
    const int start = i * 1000;
    text += std::to_string(start) + ".." + std::to_string(start + 100 + i) +
            " ProfileStep#" + std::to_string(i) + " ProfileStep\n" +
            std::to_string(start + 10) + ".." + std::to_string(start + 30) +
            " next Dataloader\n";
  }
  const Benchmark& benchmark = Case(text).summary.benchmark;
  EXPECT_EQ(benchmark.steps, 4u);
  EXPECT_EQ(benchmark.skipped, 2u);
  EXPECT_EQ(benchmark.batch.min_ns, 110);
  EXPECT_EQ(benchmark.batch.max_ns, 113);
  EXPECT_EQ(benchmark.batch.avg_ns, 112);  // 111.5, half to even
  EXPECT_EQ(benchmark.batch.p50_ns, 111);
  EXPECT_EQ(benchmark.reader.avg_ns, 20);
}

TEST(BenchmarkTest, FewStepsAllCount) {
  const Benchmark& benchmark =
      Case("0..100 ProfileStep#0 ProfileStep").summary.benchmark;
  EXPECT_EQ(benchmark.steps, 1u);
  EXPECT_EQ(benchmark.skipped, 0u);
  EXPECT_EQ(benchmark.reader.max_ns, 0);
}

constexpr std::string_view kCopies = R"(
    0..100 ProfileStep#0 ProfileStep
      1..5 cudaMemcpyAsync CudaRuntime correlation=1
      10..12 cudaMemcpyAsync CudaRuntime correlation=2
      20..23 cudaGraphLaunch CudaRuntime correlation=3
    stream 7 GPU:0
      6..16 "Memcpy HtoD" Memcpy correlation=1
      20..40 "Memcpy HtoD" Memcpy correlation=2
      50..53 Memset Memset correlation=3
      53..56 Memset Memset correlation=3
      60..70 gemm Kernel correlation=3)";

TEST(MemoryManipulationTest, CopiesOfTheDeviceWhereTheHostNamesNone) {
  const Case c(kCopies);
  const std::vector<NamedRow>& rows = c.summary.memory_manipulation;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "Memcpy HtoD");
  EXPECT_EQ(rows[0].calls, 2u);
  EXPECT_EQ(rows[0].cpu.total_ns, 6);
  EXPECT_EQ(rows[0].gpu.total_ns, 30);
  EXPECT_EQ(rows[0].gpu.max_ns, 20);
  EXPECT_EQ(rows[1].name, "Memset");
  EXPECT_EQ(rows[1].calls, 2u);
  EXPECT_EQ(rows[1].cpu.total_ns, 3);  // one call launched both
  EXPECT_EQ(rows[1].gpu.total_ns, 6);
}

TEST(MemoryManipulationTest, EventsOfTheHostComeFirst) {
  const Case c(std::string(kCopies) + R"(
    thread 9 loader
      0..4 GpuMemcpyAsync:CPU->GPU)");
  ASSERT_EQ(c.summary.memory_manipulation.size(), 1u);
  EXPECT_EQ(c.summary.memory_manipulation[0].name, "GpuMemcpyAsync:CPU->GPU");
}

}  // namespace
}  // namespace stepscope
