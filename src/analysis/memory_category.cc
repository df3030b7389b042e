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

MemoryCategories::MemoryCategories(const Trace& trace)
    : trace_(trace), alone_(IsOfMemoryAlone(trace)) {
  std::vector<Interval> backward;
  for (Row row = 0; row < trace.size(); ++row) {
    const uint16_t type = trace.type()[row];
    has_steps_ |= type == STEPSCOPE_PROFILE_STEP;
    const Interval when = {trace.start_ns()[row], trace.end_ns(row)};
    if (type == STEPSCOPE_OPTIMIZATION &&
        trace.str(trace.name()[row]).starts_with("Optimizer.step"))
      optimizer_.push_back(when);
    if (type == STEPSCOPE_BACKWARD && !alone_) backward.push_back(when);
  }
  const auto earlier = [](const Interval& a, const Interval& b) {
    return a.begin < b.begin;
  };
  std::sort(optimizer_.begin(), optimizer_.end(), earlier);
  std::sort(backward.begin(), backward.end(), earlier);
  for (const Interval& when : backward) {
    if (backward_.empty() || when.begin > backward_.back().end)
      backward_.push_back(when);
    backward_.back().end = std::max(backward_.back().end, when.end);
  }
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

bool MemoryCategories::InBackward(int64_t time_ns) const {
  const auto after = std::upper_bound(
      backward_.begin(), backward_.end(), time_ns,
      [](int64_t time, const Interval& range) { return time < range.begin; });
  return after != backward_.begin() && time_ns < after[-1].end;
}

MemoryCategories::Where MemoryCategories::WhereIs(const MemoryEvent& event) {
  if (event.owner == kNoRow && !alone_)
    return InBackward(event.time_ns) ? Where::kBackward : Where::kForward;
  return WhereIsOwner(event.owner);
}

MemoryCategories::Where MemoryCategories::WhereIsOperator(Row row) const {
  const Nesting& nesting = trace_.nesting();
  bool in_step = false;
  for (Row at = row; at != kNoRow; at = nesting.parent[at]) {
    const uint16_t type = trace_.type()[at];
    if (type == STEPSCOPE_BACKWARD) return Where::kBackward;
    if (type == STEPSCOPE_OPTIMIZATION) return Where::kOptimizer;
    in_step |= type == STEPSCOPE_PROFILE_STEP;
  }
  return in_step || !has_steps_ ? Where::kForward : Where::kSetUp;
}

MemoryCategories::Where MemoryCategories::WhereIsOwner(Row row) {
  const auto [it, fresh] = where_.try_emplace(row, Where::kForward);
  if (!fresh) return it->second;
  const std::string stack = row == kNoRow ? "" : trace_.raw_args(row);
  Where& where = it->second;
  const bool op = row != kNoRow && (trace_.flags()[row] & kEventInstant) == 0;
  if (op) where = WhereIsOperator(row);
  // Autograd's threads have no Python frames.
  if ((stack.empty() && !op) || Has(stack, "_engine_run_backward") ||
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
  Where where = WhereIs(made);
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
      return WhereIs(freed) == Where::kBackward ? MemoryCategory::kActivations
                                                : MemoryCategory::kTemporary;
    case Where::kWorkspace:
      break;
  }
  return MemoryCategory::kWorkspace;
}

}  // namespace stepscope
