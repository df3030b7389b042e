// SPDX-License-Identifier: Apache-2.0
//
// What each view table counts, on traces small enough to check by hand, and
// that they add up to the tables of a summary.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/summary.h"
#include "analysis/views/device_properties.h"
#include "analysis/views/view_table.h"
#include "analysis/views/view_table_case_test_support.h"
#include "trace/build/trace_builder.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

TEST(ViewTablesTest, KeysAreUniqueAndColumnsExplained) {
  std::map<std::string_view, int> keys;
  for (const ViewTable& table : ViewTables()) {
    EXPECT_EQ(++keys[table.key], 1) << table.key;
    EXPECT_FALSE(table.meaning.empty()) << table.key;
    for (const TableColumn& column : table.columns) {
      EXPECT_FALSE(column.meaning.empty()) << table.key << column.name;
    }
  }
  EXPECT_EQ(FindViewTable("nothing"), nullptr);
}

TEST(ViewTablesTest, EmptyTraceHasNoRows) {
  const ViewCase c("");
  for (const ViewTable& table : ViewTables()) {
    EXPECT_EQ(table.rows({c.tree, c.steps, {}}).rows.size(), 0u) << table.key;
  }
}

constexpr char kTwoRanks[] = R"(
  process 1 rank=0
  thread 1 main
    0..50 mm Operator
    60..70 mm Operator
  thread 2 autograd
    20..40 mm Operator
  process 2 rank=4
  thread 1 main
    0..90 mm Operator
      10..40 copy Operator
)";

TEST(OperatorRanksTest, RanksAddUpToTheOperatorTable) {
  const ViewCase c(kTwoRanks);
  EXPECT_EQ(c.Rows("operator_ranks",
                   {"name", "rank", "calls", "self_cpu_ns", "cpu.total_ns",
                    "cpu.max_ns", "cpu.min_ns", "cpu.ratio"}),
            "mm 0 3 80 80 50 10 1.00\n"
            "mm 4 1 60 90 90 90 1.00\n"
            "copy 4 1 30 30 30 30 0.33\n");
  // Of one rank, the other table says all.
  EXPECT_EQ(ViewCase("process 1 rank=0\nthread 1\n 0..9 mm Operator")
                .Rows("operator_ranks", {"name"}),
            "");
}

TEST(StageStepsTest, StagesAndTheRestAddUpToTheStep) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("stage_steps", {"index", "stage", "cpu_ns", "gpu_ns"}),
            "3 Dataloader 10 0\n"
            "3 Forward 30 20\n"
            "3 Backward 50 10\n"
            "3 Others 10 0\n"
            "4 Dataloader 5 0\n"
            "4 Forward 40 20\n"
            "4 Backward 0 0\n"
            "4 Others 75 0\n");
}

TEST(TypeStagesTest, CountsWhereEventsBeginAndWorkIsLaunched) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("type_stages",
                   {"type", "device", "stage", "calls", "time_ns", "ratio"}),
            // The operator inside another adds a call and no time.
            "Operator no Forward 3 44 0.74\n"
            "Operator no Backward 1 15 0.25\n"
            "CudaRuntime no Forward 2 12 0.75\n"
            "CudaRuntime no Backward 1 4 0.25\n"
            "Kernel yes Forward 2 40 0.80\n"
            "Kernel yes Backward 1 10 0.20\n");
}

TEST(TypeStagesTest, AHelperThreadHasTheStageOfTheSteppingOne) {
  const ViewCase c(R"(
    thread 1 main
      0..100 ProfileStep#0 ProfileStep
        10..50 bwd Backward
    thread 2 autograd
      20..30 mul_grad Operator
      60..70 later Operator
      200..210 outside Operator)");
  EXPECT_EQ(c.Rows("type_stages", {"type", "stage", "calls"}),
            "Operator Backward 1\n"
            "Operator Others 1\n");
}

TEST(OperatorShapesTest, GroupsByNameAndShapes) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("operator_shapes",
                   {"name", "calls", "cpu.total_ns", "gpu.total_ns"}),
            // The conv inside the other is part of that call.
            "conv 1 26 20\n"
            "conv_grad 1 15 10\n"
            "conv 1 18 20\n");
}

TEST(OperatorShapesTest, AddsUpToTheOperatorTable) {
  const ViewCase c(kTraining);
  SummaryOptions options;
  options.views = kOperatorView;
  const Summary summary = ComputeSummary(*c.trace, options);
  const ViewTable& table = *FindViewTable("operator_shapes");
  const RowList rows = table.rows({c.tree, c.steps, {}}).rows;
  const auto sum = [&](std::string_view column_name, std::string_view name) {
    double total = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (TextOf(table.columns[0].cell(rows[i])) != name) continue;
      for (const TableColumn& column : table.columns) {
        if (column.name != column_name) continue;
        const Cell cell = column.cell(rows[i]);
        const auto* whole = std::get_if<int64_t>(&cell);
        total += whole ? static_cast<double>(*whole) : std::get<double>(cell);
      }
    }
    return total;
  };
  for (const OperatorRow& row : summary.operators.at(0).rows) {
    EXPECT_EQ(sum("calls", row.name), static_cast<double>(row.calls));
    EXPECT_EQ(sum("cpu.total_ns", row.name),
              static_cast<double>(row.cpu.total_ns));
    EXPECT_NEAR(sum("cpu.ratio", row.name), row.cpu.ratio, 1e-12);
    EXPECT_NEAR(sum("gpu.ratio", row.name), row.gpu.ratio, 1e-12);
  }
}

TEST(OperatorShapesTest, NoShapesNoRows) {
  const ViewCase c("0..10 conv Operator");
  EXPECT_EQ(c.Rows("operator_shapes", {"name"}), "");
}

TEST(KernelLaunchesTest, GroupsByAttributes) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("kernel_launches", {"name", "operator", "grid", "calls",
                                       "gpu.total_ns", "gpu.ratio"}),
            "h884gemm conv 8, 1, 1 1 20 0.40\n"
            "copy_kernel conv_grad 2, 1, 1 1 10 0.20\n"
            "h884gemm conv 16, 1, 1 1 20 0.40\n");
}

TEST(DeviceUseTest, UnknownOccupancyIsNotAveragedIn) {
  TraceBuilder builder;
  BuildFromText(R"(
    0..100 ProfileStep#0 ProfileStep
    stream 3 GPU:0
      0..30 a Kernel
      40..50 b Kernel)",
                builder);
  // Rows of the builder are numbered as they were added.
  builder.AddDouble(1, "theoretical achieved occupancy %", 50);
  builder.AddInt(2, "theoretical achieved occupancy %", 0);
  const ViewCase c(*builder.Finish());
  EXPECT_EQ(c.Rows("device_use", {"device", "utilization", "occupancy",
                                  "occupancy_known", "kernel_ns"}),
            "GPU0 0.40 0.50 0.75 40\n");
}

TEST(DeviceUseTest, TensorCoreShareIsOfTime) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("device_use", {"tensor_core", "occupancy", "name"}),
            "0.80 - -\n");
}

TEST(DeviceUseTest, NamesOfAmdDoNotSayWhetherTensorCoresAreUsed) {
  const ViewCase c(R"(
    stream 3 GPU:0
      20..60 Cijk_Ailk_Bljk_BBS_BH_MT128x128x64 Kernel)");
  EXPECT_EQ(c.Rows("device_use", {"tensor_core", "kernel_ns"}), "- 40\n");
}

TEST(MemoryEventsTest, MatchesByAddressAndKeepsLonelySides) {
  constexpr std::string_view kPeaks = R"(
    0..100 op Operator
    memory 10 +64 Place(gpu:0) 0x10
    memory 15 -32 Place(gpu:0) 0x99
    memory 20 +128 Place(cpu) 0x10
    memory 30 -64 Place(gpu:0) 0x10
    memory 150 +8 Place(gpu:0) 0x10)";
  const ViewCase c(kPeaks);
  const std::vector<std::string> columns = {"address",      "bytes",
                                            "allocated_by", "allocated_at_ns",
                                            "freed_at_ns",  "dur_ns"};
  EXPECT_EQ(c.Rows("memory_events", columns, {.place = "Place(gpu:0)"}),
            "0x10 64 op 10 30 20\n"
            "0x99 32 - - 15 -\n"
            "0x10 8 (outside events) 150 - -\n");
  EXPECT_EQ(c.Rows("memory_events", columns, {.range = Interval{15, 25}}),
            "0x99 32 - - 15 -\n"
            "0x10 128 op 20 - -\n");
}

TEST(FoldedStepsTest, LaysStepsOverEachOther) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("folded_steps", {"name", "number", "steps", "start.p50_ns",
                                    "dur.p50_ns", "dur.p95_ns"})
                .find("load 1 2 0 5 10\n"),
            0u);
  EXPECT_NE(c.Rows("folded_steps", {"name", "place", "steps", "start.p50_ns"})
                .find("h884gemm GPU0 stream 3 2 30\n"),
            std::string::npos);
}

TEST(FoldedStepsTest, OneStepIsNothingToFold) {
  const ViewCase c("0..100 ProfileStep#0 ProfileStep\n 10..20 a Operator");
  EXPECT_EQ(c.Rows("folded_steps", {"name"}), "");
}

DeviceProperties PropertiesWith(
    const std::vector<std::pair<std::string, std::string>>& metadata,
    int64_t device) {
  TraceBuilder builder;
  builder.AddProcess({});
  for (const auto& [key, value] : metadata) {
    builder.process(0).metadata.emplace_back(builder.Intern(key),
                                             builder.Intern(value));
  }
  const auto trace = *builder.Finish();
  return FindDeviceProperties(*trace, trace->processes()[0], "GPU", device);
}

TEST(DevicePropertiesTest, ReadsListsAndCaptures) {
  const DeviceProperties torch = PropertiesWith(
      {{"deviceProperties",
        R"([{"id":0,"name":"one"}, {"id": 1, "name": "NVIDIA H200",)"
        R"( "totalGlobalMem": 150109880320, "computeMajor": 9,)"
        R"( "computeMinor": 0, "numSms": 132}])"}},
      1);
  EXPECT_EQ(torch.name, "NVIDIA H200");
  EXPECT_EQ(torch.capability, "9.0");
  EXPECT_EQ(torch.multiprocessors, 132);
  EXPECT_EQ(torch.memory_bytes, 150109880320);
  const DeviceProperties capture =
      PropertiesWith({{"GPU0.name", "NVIDIA A100"},
                      {"GPU1.name", "another"},
                      {"GPU0.multiprocessors", "108"},
                      {"GPU0.compute capability major", "8"}},
                     0);
  EXPECT_EQ(capture.name, "NVIDIA A100");
  EXPECT_EQ(capture.multiprocessors, 108);
  EXPECT_EQ(capture.capability, "8.0");
}

TEST(DevicePropertiesTest, ToleratesWhatIsNoList) {
  for (const char* text : {"", "][", "[{", "[{\"id\":0", "{}", "[{}]"}) {
    EXPECT_EQ(PropertiesWith({{"deviceProperties", text}}, 0).name, "") << text;
  }
}

}  // namespace
}  // namespace stepscope
