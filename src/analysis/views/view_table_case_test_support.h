// SPDX-License-Identifier: Apache-2.0
//
// For tests: a trace from text, and the rows of its view tables as text.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/views/view_table.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {

inline std::string TextOf(const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell))
    return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) {
    std::string text = std::to_string(*number);
    text.resize(text.find('.') + 3);
    return text;
  }
  if (const auto* truth = std::get_if<bool>(&cell))
    return *truth ? "yes" : "no";
  if (const auto* text = std::get_if<std::string_view>(&cell))
    return std::string(*text);
  return "-";
}

struct ViewCase {
  explicit ViewCase(std::string_view text) : ViewCase(TraceFromText(text)) {}
  explicit ViewCase(std::shared_ptr<const Trace> of)
      : trace(std::move(of)), tree(*trace), steps(tree) {}

  // The named columns of all rows, a line each.
  std::string Rows(std::string_view key,
                   const std::vector<std::string>& columns,
                   const ViewQuery& query = {}) const {
    const ViewTable& table = *FindViewTable(key);
    const RowList rows = table.rows({tree, steps, query}).rows;
    std::string text;
    for (size_t i = 0; i < rows.size(); ++i) {
      for (const std::string& name : columns) {
        for (const TableColumn& column : table.columns)
          if (column.name == name) text += TextOf(column.cell(rows[i])) + " ";
      }
      text.back() = '\n';
    }
    return text;
  }

  // "key value key value"
  std::string Facts(std::string_view key, const ViewQuery& query = {}) const {
    std::string text;
    for (const ViewFact& fact :
         FindViewTable(key)->rows({tree, steps, query}).facts) {
      text += (text.empty() ? "" : " ") + std::string(fact.key) + " " +
              std::to_string(fact.value);
    }
    return text;
  }

  std::shared_ptr<const Trace> trace;
  EventTree tree;
  StepTable steps;
};

inline constexpr std::string_view kTraining = R"(
  process 100
  thread 7 main
    0..100 ProfileStep#3 ProfileStep
      0..10 load Dataloader
      10..40 fwd Forward
        12..38 conv Operator input_shape=[2,3]
          14..20 cudaLaunchKernel CudaRuntime correlation=1
          22..30 conv Operator input_shape=[2,3]
      40..90 bwd Backward
        45..60 conv_grad Operator input_shape=[9]
          46..50 cudaLaunchKernel CudaRuntime correlation=2
    100..220 ProfileStep#4 ProfileStep
      100..105 load Dataloader
      110..150 fwd Forward
        112..130 conv Operator input_shape=[4,3]
          114..120 cudaLaunchKernel CudaRuntime correlation=3
  stream 3 GPU:0
    30..50 h884gemm Kernel correlation=1 grid=[8,1,1]
    60..70 copy_kernel Kernel correlation=2 grid=[2,1,1]
    130..150 h884gemm Kernel correlation=3 grid=[16,1,1])";

}  // namespace stepscope
