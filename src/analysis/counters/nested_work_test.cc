// SPDX-License-Identifier: Apache-2.0
//
// Operators and modules inside each other: work, its bytes and its arithmetic
// stand in one row, so that rows add up to the whole.
#include <gtest/gtest.h>
#include <stepscope/c.h>

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <variant>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "analysis/tables/flops.h"
#include "trace/build/trace_builder.h"
#include "trace/device_counter.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

struct Amounts {
  int64_t gpu_ns = 0;
  int64_t dram_bytes = 0;
  bool operator==(const Amounts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Amounts& amounts) {
  return out << amounts.gpu_ns << " ns, " << amounts.dram_bytes << " bytes";
}

template <typename Value>
Value ValueIn(const TableSchema& table, const void* row,
              std::string_view name) {
  for (const TableColumn& column : table.columns) {
    if (column.name != name) continue;
    const Cell cell = column.cell(row);
    if (const auto* value = std::get_if<Value>(&cell)) return *value;
  }
  return {};
}

// By what the rows are of, then by name.
using RowsOf = std::map<std::string, std::map<std::string, Amounts>>;

RowsOf RooflineOf(const Summary& summary) {
  const TableSchema& table = *FindTable("roofline");
  const RowList rows = table.rows(summary);
  RowsOf found;
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto text = [&](std::string_view name) {
      return std::string(ValueIn<std::string_view>(table, rows[i], name));
    };
    found[text("of")][text("name")] = {
        ValueIn<int64_t>(table, rows[i], "gpu_ns"),
        ValueIn<int64_t>(table, rows[i], "counters.dram_bytes")};
  }
  return found;
}

Amounts SumOf(const std::map<std::string, Amounts>& rows) {
  Amounts sum;
  for (const auto& [name, amounts] : rows) {
    sum.gpu_ns += amounts.gpu_ns;
    sum.dram_bytes += amounts.dram_bytes;
  }
  return sum;
}

void AddShapes(TraceBuilder& builder, std::string_view name) {
  for (Row row = 0; row < builder.event_count(); ++row)
    if (builder.name_of(row) == builder.Intern(std::string(name)))
      builder.AddRawArgs(row, R"("Input Dims": [[1000, 1000], [1000, 1000]],)"
                              R"("Input type": ["float", "float"])");
}

// A product within a product within two modules, a copy that the outer module
// launches, and a kernel outside of all.
constexpr std::string_view kNested = R"t(
  thread 1
    0..1000 "nn.Module: Net_0" PythonFunction
      0..400 "nn.Module: Linear_0" PythonFunction
        10..300 aten::matmul Operator
          20..200 aten::mm Operator
            30..40 cudaLaunchKernel CudaRuntime correlation=1
      500..600 cudaMemcpyAsync CudaRuntime correlation=2
    1100..1200 cudaLaunchKernel CudaRuntime correlation=3
  stream 7 GPU:0
    1000..2000 gemm Kernel correlation=1
    2000..2500 copy Memcpy correlation=2
    2500..2800 other Kernel correlation=3
  counter 1000 "GPU 0: DRAM read (B/s)" 1e12
  counter 2000 "GPU 0: DRAM read (B/s)" 2e12
  counter 2500 "GPU 0: DRAM read (B/s)" 1e12
  counter 2800 "GPU 0: DRAM read (B/s)" nan
  )t";
constexpr Amounts kWhole = {1800, 2'300'000};

TEST(NestedWorkTest, AKernelStandsInOneRow) {
  const auto trace = TraceFromText(kNested);
  RowsOf rows = RooflineOf(*ComputeSummaryOfSteps(*trace, {}));
  EXPECT_EQ(rows["work"]["all work"], kWhole);
  EXPECT_EQ(SumOf(rows["operator"]), kWhole);
  EXPECT_EQ(SumOf(rows["module"]), kWhole);
  EXPECT_EQ(rows["operator"]["aten::mm"], (Amounts{1000, 1'000'000}));
  EXPECT_EQ(rows["operator"]["(no operator)"], (Amounts{800, 1'300'000}));
  EXPECT_EQ(rows["module"]["Linear_0"], (Amounts{1000, 1'000'000}));
  EXPECT_EQ(rows["module"]["Net_0"], (Amounts{500, 1'000'000}));
  EXPECT_EQ(rows["module"]["(no module)"], (Amounts{300, 300'000}));
}

// Operations are those of the outer call, whose shapes are known: so is the
// work that does them.
TEST(NestedWorkTest, WorkCountsWhereItsOperationsDo) {
  TraceBuilder builder;
  BuildFromText(kNested, builder);
  AddShapes(builder, "aten::matmul");
  AddShapes(builder, "aten::mm");
  const auto trace = *builder.Finish();
  SummaryOptions options;
  options.flops = true;
  const Summary summary = *ComputeSummaryOfSteps(*trace, options);
  RowsOf rows = RooflineOf(summary);
  EXPECT_EQ(rows["operator"]["aten::matmul"], (Amounts{1000, 1'000'000}));
  EXPECT_EQ(rows["operator"].count("aten::mm"), 0u);
  EXPECT_EQ(SumOf(rows["operator"]), kWhole);
  ASSERT_EQ(summary.flops.rows.size(), 1u);
  const FlopsRow& row = summary.flops.rows[0];
  EXPECT_EQ(row.name, "aten::matmul");
  EXPECT_EQ(row.flops, summary.flops.total_flops);
  EXPECT_EQ(row.flops, 2'000'000'000);
  EXPECT_EQ(row.time_ns(), 1000);
  EXPECT_EQ(row.moved_bytes, 3 * 4 * 1'000'000);
  // One figure of one thing, in both tables.
  ASSERT_TRUE(row.measured_intensity());
  EXPECT_DOUBLE_EQ(*row.measured_intensity(), 2000);
  const TableSchema& table = *FindTable("roofline");
  const RowList all = table.rows(summary);
  for (size_t i = 0; i < all.size(); ++i)
    if (ValueIn<std::string_view>(table, all[i], "name") == row.name) {
      EXPECT_DOUBLE_EQ(ValueIn<double>(table, all[i], "tflops_per_s"),
                       row.tflops_per_s());
      EXPECT_DOUBLE_EQ(ValueIn<double>(table, all[i], "counters.intensity"),
                       *row.measured_intensity());
    }
}

// Of some calls the operations are not known: then the row has none, rather
// than those of some by the time of all.
TEST(NestedWorkTest, NoRateOfSomeCallsByTheTimeOfAll) {
  TraceBuilder builder;
  BuildFromText(R"t(
    thread 1
      0..10 aten::mm Operator
        2..4 cudaLaunchKernel CudaRuntime correlation=1
      20..30 aten::mm Operator
        22..24 cudaLaunchKernel CudaRuntime correlation=2
    stream 7 GPU:0
      100..200 gemm Kernel correlation=1
      200..300 gemm Kernel correlation=2
    counter 100 "GPU 0: DRAM read (B/s)" 1e12
    counter 300 "GPU 0: DRAM read (B/s)" nan)t",
                builder);
  builder.AddRawArgs(0, R"("Input Dims": [[10, 10], [10, 10]])");
  const auto trace = *builder.Finish();
  SummaryOptions options;
  options.flops = true;
  const Summary summary = *ComputeSummaryOfSteps(*trace, options);
  ASSERT_EQ(summary.flops.rows.size(), 1u);
  EXPECT_EQ(summary.flops.rows[0].calls, 2u);
  EXPECT_EQ(summary.flops.rows[0].counted_calls, 1u);
  EXPECT_FALSE(summary.flops.rows[0].measured_intensity());
  const TableSchema& table = *FindTable("roofline");
  const RowList rows = table.rows(summary);
  bool found = false;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (ValueIn<std::string_view>(table, rows[i], "of") != "operator") continue;
    found = true;
    EXPECT_EQ(ValueIn<double>(table, rows[i], "tflops_per_s"), 0);
  }
  EXPECT_TRUE(found);
}

// Calls within calls of any depth, with and without shapes, that launch here
// and there.
class RandomNests {
 public:
  explicit RandomNests(uint32_t seed) : random_(seed) {}

  std::shared_ptr<const Trace> Make() {
    builder_.AddProcess({});
    thread_ = builder_.AddTrack({});
    Track stream;
    stream.kind = TrackKind::kStream;
    stream.id = 7;
    stream.device = 0;
    stream_ = builder_.AddTrack(stream);
    AddCalls(0, 4000, 0);
    Track counter;
    counter.kind = TrackKind::kCounter;
    counter.name = builder_.Intern(
        DeviceCounterTrackName({DeviceCounterKind::kDramRead, 0}));
    const uint32_t index = builder_.AddTrack(counter);
    for (int64_t at = 5000; at <= free_; at += 1)
      builder_.AddCounter({.time_ns = at, .track = index, .value = 1e12});
    builder_.AddCounter({.time_ns = free_ + 1, .track = index, .value = 0});
    return *builder_.Finish();
  }

 private:
  uint32_t Draw(uint32_t below) {
    return static_cast<uint32_t>(random_() % below);
  }

  void AddCalls(int64_t begin, int64_t end, int depth) {
    while (end - begin > 20) {
      const int64_t dur = 10 + Draw(static_cast<uint32_t>(end - begin - 10));
      AddCall(begin, dur, depth);
      begin += dur + Draw(20);
    }
  }

  void AddCall(int64_t begin, int64_t dur, int depth) {
    const uint32_t kind = Draw(10);
    if (kind < 3 || depth > 6) {
      Launch(begin, std::min<int64_t>(dur, 5));
      return;
    }
    EventSpec event;
    event.track = thread_;
    event.start_ns = begin;
    event.dur_ns = dur;
    const bool product = kind < 6;
    if (kind < 8) {
      event.type = STEPSCOPE_OPERATOR;
      event.name = builder_.Intern(product ? "own::p" + Drawn(3) + "_mm"
                                           : "aten::op" + Drawn(3));
    } else {
      event.type = STEPSCOPE_PYTHON_FUNCTION;
      event.name = builder_.Intern("nn.Module: M_" + Drawn(3));
    }
    const Row row = builder_.AddEvent(event);
    if (product && Draw(3) > 0)
      builder_.AddRawArgs(row, R"("Input Dims": [[2, 3], [3, 5]],)"
                               R"("Input type": ["float", "float"])");
    AddCalls(begin + 1, begin + dur - 1, depth + 1);
  }

  void Launch(int64_t begin, int64_t dur) {
    EventSpec launch;
    launch.track = thread_;
    launch.start_ns = begin;
    launch.dur_ns = dur;
    launch.type = STEPSCOPE_CUDA_RUNTIME;
    launch.name = builder_.Intern("cudaLaunchKernel");
    builder_.AddLink(
        {0, LinkSpace::kCorrelation, ++launches_, builder_.AddEvent(launch)});
    EventSpec kernel;
    kernel.track = stream_;
    kernel.start_ns = free_;
    kernel.dur_ns = 1 + Draw(20);
    kernel.type = STEPSCOPE_KERNEL;
    kernel.name = builder_.Intern("kernel" + Drawn(3));
    builder_.AddLink(
        {0, LinkSpace::kCorrelation, launches_, builder_.AddEvent(kernel)});
    free_ += kernel.dur_ns + Draw(3);
  }

  std::string Drawn(uint32_t below) { return std::to_string(Draw(below)); }

  TraceBuilder builder_;
  std::mt19937 random_;
  uint32_t thread_ = 0;
  uint32_t stream_ = 0;
  int64_t free_ = 5000;
  uint32_t launches_ = 0;
};

TEST(NestedWorkPropertyTest, RowsAddUpToTheWhole) {
  uint64_t with_flops = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const auto trace = RandomNests(seed).Make();
    SummaryOptions options;
    options.flops = true;
    const Summary summary = *ComputeSummaryOfSteps(*trace, options);
    RowsOf rows = RooflineOf(summary);
    const Amounts whole = rows["work"]["all work"];
    for (const char* of : {"operator", "module"})
      if (!rows[of].empty()) {
        ASSERT_EQ(SumOf(rows[of]), whole) << seed << of;
      }
    int64_t flops = 0;
    for (const FlopsRow& row : summary.flops.rows) flops += row.flops;
    ASSERT_EQ(flops, summary.flops.total_flops) << seed;
    with_flops += flops > 0 ? 1 : 0;
  }
  EXPECT_GT(with_flops, 100u);
}

}  // namespace
}  // namespace stepscope
