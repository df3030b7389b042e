// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "analysis/views/view_table_case_test_support.h"

namespace stepscope {
namespace {

// Rows of the table with these columns, one per line.
std::string RowsOf(const Trace& trace, std::initializer_list<const char*> of) {
  const TableSchema& table = *FindTable("modules");
  const Summary summary = ComputeSummary(trace, {});
  const RowList rows = table.rows(summary);
  std::string text;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const char* name : of)
      for (const TableColumn& column : table.columns)
        if (column.name == name) text += TextOf(column.cell(rows[i])) + " ";
    text.back() = '\n';
  }
  return text;
}

constexpr std::string_view kModel = R"t(
  thread 1
    0..100 "train.py(5): step" PythonFunction
      10..90 "nn.Module: Net_0" PythonFunction
        12..88 "net.py(9): forward" PythonFunction
          20..40 "nn.Module: Linear_0" PythonFunction
            25..35 aten::linear Operator sequence=1
              30..31 cudaLaunchKernel CudaRuntime correlation=1
          40..60 "nn.Module: Linear_1" PythonFunction
            45..55 aten::linear Operator sequence=2
              50..51 cudaLaunchKernel CudaRuntime correlation=2
          60..70 aten::add Operator sequence=3
            61..62 cudaLaunchKernel CudaRuntime correlation=3
  thread 2
    100..120 "autograd::engine::evaluate_function: B" Operator sequence=2
      101..119 AddmmBackward0 Operator sequence=2
        105..106 cudaLaunchKernel CudaRuntime correlation=4
    120..140 "autograd::engine::evaluate_function: A" Operator sequence=1
      125..126 cudaLaunchKernel CudaRuntime correlation=5
  stream 7 GPU:0
    40..50 gemm Kernel correlation=1
    60..80 gemm Kernel correlation=2
    80..81 add Kernel correlation=3
    110..150 gemm_bw Kernel correlation=4
    150..155 gemm_bw Kernel correlation=5)t";

TEST(ModulesTableTest, HostAndDeviceTimeOfEachInstance) {
  EXPECT_EQ(RowsOf(*TraceFromText(kModel),
                   {"name", "calls", "cpu.total_ns", "self_cpu_ns",
                    "gpu.total_ns", "self_gpu_ns", "parent"}),
            "Net_0 1 80 40 31 1 -\n"
            "Linear_1 1 20 20 20 20 Net_0\n"
            "Linear_0 1 20 20 10 10 Net_0\n");
}

TEST(ModulesTableTest, GradientsBelongToTheModuleOfTheirOperator) {
  EXPECT_EQ(RowsOf(*TraceFromText(kModel), {"name", "backward_gpu_ns"}),
            "Net_0 45\nLinear_1 40\nLinear_0 5\n");
}

TEST(ModulesTableTest, AModuleInsideItselfIsOneCall) {
  const auto trace = TraceFromText(R"t(
    0..100 "nn.Module: Tree_0" PythonFunction
      10..60 "nn.Module: Tree_0" PythonFunction
        20..50 aten::mm Operator sequence=1
    100..110 "autograd::engine::evaluate_function: A" Operator sequence=1
      101..102 cudaLaunchKernel CudaRuntime correlation=1
    stream 7 GPU:0
      110..120 gemm Kernel correlation=1)t");
  EXPECT_EQ(RowsOf(*trace, {"name", "calls", "nested_calls", "cpu.total_ns",
                            "self_cpu_ns", "backward_gpu_ns"}),
            "Tree_0 1 1 100 100 10\n");
}

TEST(ModulesTableTest, AreNoFunctions) {
  const auto trace = TraceFromText(kModel);
  std::string functions;
  for (const PythonRow& row : ComputeSummary(*trace, {}).python)
    functions += std::string(row.name.function) + " " +
                 std::to_string(row.self_cpu_ns) + "\n";
  EXPECT_EQ(functions, "step 24\nforward 76\n");
}

TEST(ModulesTableTest, OtherRangesOfThatNameAreNone) {
  EXPECT_EQ(RowsOf(*TraceFromText("0..9 \"nn.Module: A_0\" UserDefined\n"
                                  "9..19 \"nn.Module\" PythonFunction"),
                   {"name"}),
            "");
}

}  // namespace
}  // namespace stepscope
