// SPDX-License-Identifier: Apache-2.0
//
// Figures that a page shows of a step, and heads of all columns: made here, so
// that the page makes none. Each is held against the table of the summary that
// it comes from.
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "analysis/tables/rows.h"
#include "analysis/views/folded_steps.h"
#include "analysis/views/view_table_case_test_support.h"
#include "trace/build/trace_builder.h"

namespace stepscope {
namespace {

void ExpectTitles(const std::string& where,
                  const std::vector<TableColumn>& columns) {
  std::set<std::string> titles;
  for (const TableColumn& column : columns) {
    if (column.name.empty()) continue;  // the values of a list
    const std::string at = where + "." + column.name;
    ASSERT_FALSE(column.title.empty()) << at;
    EXPECT_TRUE(titles.insert(column.title).second)
        << at << ": \"" << column.title << "\" is there twice";
    EXPECT_FALSE(std::islower(static_cast<unsigned char>(column.title[0])))
        << at << ": " << column.title;
    EXPECT_EQ(column.title.find_first_of("_."), std::string::npos)
        << at << ": " << column.title;
    // A head has the unit behind the title.
    if (!column.unit.empty() && column.title != column.unit) {
      EXPECT_EQ(column.title.find(column.unit), std::string::npos) << at;
    }
    ExpectTitles(at, column.columns);
  }
}

TEST(ColumnTitleTest, EveryColumnOfEveryTableHasOneOfItsOwn) {
  for (const TableSchema& table : AllTables())
    ExpectTitles(std::string(table.key), table.columns);
  for (const ViewTable& table : ViewTables())
    ExpectTitles(std::string(table.key), table.columns);
}

TEST(ColumnTitleTest, NamesAreSpelledAsPeopleDo) {
  EXPECT_EQ(TitleOfColumn("cpu.total_ns"), "CPU total");
  EXPECT_EQ(TitleOfColumn("gpu.avg_ns"), "GPU mean");
  EXPECT_EQ(TitleOfColumn("blocks_per_sm"), "Blocks per SM");
  EXPECT_EQ(TitleOfColumn("idle_ns.host_inside"), "Idle host inside");
  EXPECT_EQ(TitleOfColumn("peak_allocated_bytes"), "Peak allocated");
  EXPECT_EQ(TitleOfColumn(""), "");
}

TEST(StepPartsTest, MeansAreTheWaterfallOverItsSteps) {
  const ViewCase c(kTraining);
  SummaryOptions options;
  options.views = kWaterfallView;
  const Summary summary = ComputeSummary(*c.trace, options);
  ASSERT_EQ(summary.waterfall.steps.size(), 2u);
  std::string expected;
  for (size_t i = 0; i < kStepParts; ++i) {
    expected += std::string(StepPartName(static_cast<StepPart>(i))) + " " +
                std::to_string(AverageNs(summary.waterfall.part_ns[i], 2)) +
                "\n";
  }
  EXPECT_EQ(c.Rows("step_parts", {"part", "mean_ns"}), expected + "step 110\n");
}

TEST(StepPartsTest, EachStepSaysHowLongItIs) {
  const ViewCase c(kTraining);
  const std::string rows =
      c.Rows("part_steps", {"index", "part", "time_ns", "step_ns"});
  EXPECT_NE(rows.find("3 kernel 30 100\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("4 kernel 20 120\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("4 unexplained "), std::string::npos) << rows;
}

TEST(StepPartsTest, WithoutStepsTheWindowStandsForOne) {
  const ViewCase c("10..50 a Operator");
  EXPECT_EQ(c.Rows("step_parts", {"part", "mean_ns"}).find("kernel 0\n"), 0u);
  EXPECT_NE(c.Rows("part_steps", {"index", "step_ns"}).find("- 40\n"),
            std::string::npos);
}

TEST(StageMeansTest, AreTheModelTableOverTheSteps) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("stage_means", {"stage", "cpu_ns", "gpu_ns", "inferred"}),
            "ProfileStep 110 25 no\n"
            "Dataloader 8 0 no\n"
            "Forward 35 20 no\n"
            "Backward 25 5 no\n"
            "Others 42 0 no\n");
}

TEST(StageStepsTest, EachRowHasTheWholeStep) {
  const ViewCase c(kTraining);
  EXPECT_EQ(c.Rows("stage_steps", {"index", "step_cpu_ns", "step_gpu_ns"})
                .find("3 100 30\n"),
            0u);
}

TEST(OverlapPartsTest, AddUpToTheSteps) {
  const ViewCase c(R"(
    0..100 ProfileStep#0 ProfileStep
    stream 3 GPU:0
      10..40 gemm Kernel
    stream 4 GPU:0
      30..70 ncclDevKernel_AllReduce Kernel)");
  EXPECT_EQ(c.Rows("overlap_parts", {"part", "time_ns", "ratio"}),
            "computes only 20 0.20\n"
            "both at once 10 0.10\n"
            "communicates only 30 0.30\n"
            "neither 40 0.40\n");
}

// An operator allocates in each of two steps, another frees; both are in use
// at 40, the larger alone at 60.
constexpr std::string_view kMemory = R"(
  0..50 one Operator
  memory 10 +64 Place(gpu:0) 0x10
  memory 40 +32 Place(gpu:0) 0x20
  55..90 two Operator
  memory 60 -64 Place(gpu:0) 0x10
  memory 70 +16 Place(gpu:0) 0x30
  memory 75 +128 Place(cpu) 0x30)";

TEST(MemoryOwnersTest, OverTheWholeTraceTheyAreTheSummarys) {
  const ViewCase c(kMemory);
  SummaryOptions options;
  options.views = kMemoryView | kMemoryLifeView;
  const Summary summary = ComputeSummary(*c.trace, options);
  std::string owners;
  for (const MemoryRow& row : summary.memory[0].rows) {
    owners += std::string(row.name) + " " + std::to_string(row.allocations) +
              " " + std::to_string(row.increase_bytes()) + "\n";
  }
  EXPECT_EQ(
      c.Rows("memory_owners", {"name", "allocation_count", "increase_bytes"},
             {.place = "Place(gpu:0)"}),
      owners);
  EXPECT_EQ(c.Rows("memory_live", {"name", "bytes", "allocations"},
                   {.place = "Place(gpu:0)"}),
            "one 96 2\n");
}

TEST(MemoryOwnersTest, ARangeHasWhatHappenedInIt) {
  const ViewCase c(kMemory);
  const ViewQuery query = {.place = "Place(gpu:0)", .range = Interval{55, 95}};
  EXPECT_EQ(c.Rows("memory_owners",
                   {"name", "allocation_count", "free_count", "increase_bytes"},
                   query),
            "two 1 1 -48\n");
  // The most that is in use then is at 70, and begun before.
  EXPECT_EQ(c.Rows("memory_live", {"name", "bytes"}, query),
            "one 32\ntwo 16\n");
}

TEST(MemoryOwnersTest, SaysHowMuchOfThePeakIsListed) {
  const ViewCase known(kMemory);
  const ViewQuery query = {.place = "Place(gpu:0)"};
  EXPECT_EQ(known.Facts("memory_live", query),
            "live_bytes 96 before_bytes 0 peak_bytes 96");
  const ViewCase part(R"(
  0..50 one Operator
  memory 10 +64 Place(gpu:0) 0x10 total=1064
  memory 40 +32 Place(gpu:0) 0x20 total=1096
  memory 45 -32 Place(gpu:0) 0x20 total=1064)");
  EXPECT_EQ(part.Facts("memory_live", query),
            "live_bytes 96 before_bytes 1000 peak_bytes 1096");
  // The most within a time.
  EXPECT_EQ(part.Facts("memory_live",
                       {.place = query.place, .range = Interval{0, 20}}),
            "live_bytes 64 before_bytes 1000 peak_bytes 1064");
  EXPECT_EQ(part.Facts("memory_live", {.place = "Place(cpu)"}), "");
  EXPECT_EQ(part.Facts("memory_owners", query), "");
}

TEST(KernelTest, OccupancyThatIsNotKnownIsNotAveragedIn) {
  TraceBuilder builder;
  BuildFromText(R"(
    stream 3 GPU:0
      0..30 a Kernel
      40..70 a Kernel
      80..90 b Kernel)",
                builder);
  builder.AddInt(0, "est. achieved occupancy %", 50);
  builder.AddInt(1, "est. achieved occupancy %", 0);
  builder.AddInt(2, "est. achieved occupancy %", 0);
  SummaryOptions options;
  options.views = kKernelView;
  const auto trace = *builder.Finish();
  const Summary summary = ComputeSummary(*trace, options);
  ASSERT_EQ(summary.kernel.size(), 2u);
  EXPECT_EQ(summary.kernel[0].occupancy, 0.5);
  EXPECT_EQ(summary.kernel[1].occupancy, std::nullopt);
}

TEST(FoldedStepsTest, ARowKnowsItsEvents) {
  const ViewCase c(kTraining);
  const std::vector<Row> rows =
      RowsOfFolded({c.tree, c.steps, {}}, "h884gemm", "GPU0 stream 3", 1);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(c.trace->start_ns()[rows[1]], 130);
  EXPECT_TRUE(
      RowsOfFolded({c.tree, c.steps, {}}, "h884gemm", "thread 7", 1).empty());
}

}  // namespace
}  // namespace stepscope
