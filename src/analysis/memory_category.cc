// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_category.h"

#include <stepscope/c.h>

#include <algorithm>
#include <string>

namespace stepscope {
namespace {

// What cuBLAS and cuBLASLt take once per handle and stream, and keep.
bool IsWorkspaceSize(int64_t bytes) {
  for (const int64_t known : {int64_t{8'519'680}, int64_t{33'554'432},
                              int64_t{4'194'304}, int64_t{1'048'576}})
    if (bytes == known) return true;
  return false;
}

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

std::string_view MemoryCategoryName(MemoryCategory category) {
  switch (category) {
    case MemoryCategory::kParameters:
      return "parameters";
    case MemoryCategory::kGradients:
      return "gradients";
    case MemoryCategory::kOptimizerState:
      return "optimizer state";
    case MemoryCategory::kActivations:
      return "activations";
    case MemoryCategory::kTemporary:
      return "temporary";
    case MemoryCategory::kWorkspace:
      return "workspace";
    case MemoryCategory::kOther:
      break;
  }
  return "other";
}

MemoryCategories::MemoryCategories(const Trace& trace) : trace_(trace) {
  for (Row row = 0; row < trace.size(); ++row)
    if (trace.type()[row] == STEPSCOPE_OPTIMIZATION &&
        trace.str(trace.name()[row]).starts_with("Optimizer.step"))
      optimizer_.push_back({trace.start_ns()[row], trace.end_ns(row)});
  std::sort(
      optimizer_.begin(), optimizer_.end(),
      [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
}

int64_t MemoryCategories::OptimizerEnd(int64_t time_ns) const {
  const auto after = std::upper_bound(
      optimizer_.begin(), optimizer_.end(), time_ns,
      [](int64_t time, const Interval& range) { return time < range.begin; });
  return after != optimizer_.begin() && time_ns <= after[-1].end ? after[-1].end
                                                                 : -1;
}

bool MemoryCategories::OptimizerBetween(int64_t from_ns, int64_t to_ns) const {
  const auto after = std::upper_bound(
      optimizer_.begin(), optimizer_.end(), from_ns,
      [](int64_t time, const Interval& range) { return time < range.begin; });
  return after != optimizer_.end() && after->begin <= to_ns;
}

MemoryCategories::Where MemoryCategories::WhereIs(Row row) {
  const auto [it, fresh] = where_.try_emplace(row, Where::kForward);
  if (!fresh) return it->second;
  const std::string stack = row == kNoRow ? "" : trace_.raw_args(row);
  Where& where = it->second;
  // Autograd's threads have no Python frames.
  if (stack.empty() || Has(stack, "_engine_run_backward") ||
      Has(stack, "torch::autograd::Engine"))
    where = Where::kBackward;
  else if (Has(stack, "Workspace"))
    where = Where::kWorkspace;
  else if (Has(stack, "/optim/"))
    where = Where::kOptimizer;
  else if (Has(stack, "convert (") || Has(stack, "_apply (") ||
           Has(stack, "load_state_dict (") || Has(stack, "__init__ (") ||
           Has(stack, "reset_parameters ("))
    where = Where::kSetUp;
  return where;
}

MemoryCategory MemoryCategories::Of(const BlockLife& allocation) {
  const MemoryEvent made = trace_.memory()[allocation.made];
  const bool kept = allocation.freed == BlockLife::kNever;
  const MemoryEvent freed =
      kept ? MemoryEvent() : trace_.memory()[allocation.freed];
  const int64_t until = kept ? INT64_MAX : freed.time_ns;
  Where where = WhereIs(made.owner);
  const int64_t optimizer_end = OptimizerEnd(made.time_ns);
  if (optimizer_end >= 0 && where != Where::kWorkspace)
    where = Where::kOptimizer;
  const int64_t asked = made.bytes - made.padding_bytes;
  if (where == Where::kWorkspace ||
      (kept && where != Where::kSetUp && where != Where::kOptimizer &&
       IsWorkspaceSize(asked)))
    return MemoryCategory::kWorkspace;
  if (WasFound(trace_, made))
    return kept ? MemoryCategory::kParameters : MemoryCategory::kOther;
  switch (where) {
    case Where::kOptimizer:
      return until > std::max(optimizer_end, made.time_ns) &&
                     (kept || OptimizerBetween(made.time_ns, until))
                 ? MemoryCategory::kOptimizerState
                 : MemoryCategory::kTemporary;
    case Where::kBackward:
      return kept || OptimizerBetween(made.time_ns, until)
                 ? MemoryCategory::kGradients
                 : MemoryCategory::kTemporary;
    case Where::kSetUp:
      return kept || OptimizerBetween(made.time_ns, until)
                 ? MemoryCategory::kParameters
                 : MemoryCategory::kTemporary;
    case Where::kForward:
      if (kept) return MemoryCategory::kOther;
      return WhereIs(freed.owner) == Where::kBackward
                 ? MemoryCategory::kActivations
                 : MemoryCategory::kTemporary;
    case Where::kWorkspace:
      break;
  }
  return MemoryCategory::kWorkspace;
}

}  // namespace stepscope
