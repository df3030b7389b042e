// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory_category.h"

#include <stepscope/c.h>

#include <algorithm>
#include <string>
#include <utility>

#include "trace/memory_levels.h"

namespace stepscope {
namespace {

// What cuBLAS and cuBLASLt take once per handle and stream, and keep.
bool IsWorkspaceSize(int64_t bytes) {
  for (const int64_t known : {int64_t{8'519'680}, int64_t{33'554'432},
                              int64_t{4'194'304}, int64_t{1'048'576}})
    if (bytes == known) return true;
  return false;
}

// The first range that begins behind a time.
std::vector<Interval>::const_iterator FirstAfter(
    const std::vector<Interval>& ranges, int64_t time_ns) {
  return std::upper_bound(
      ranges.begin(), ranges.end(), time_ns,
      [](int64_t time, const Interval& range) { return time < range.begin; });
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

MemoryCategories::MemoryCategories(const EventTree& tree,
                                   const StepTable& steps)
    : trace_(tree.trace()),
      levels_place_(trace_.strings().Find(kMemoryLevelsPlace)),
      alone_(IsOfMemoryAlone(trace_)),
      optimizer_(trace_.processes().size()),
      backward_(trace_.processes().size()) {
  for (Row row = 0; row < trace_.size(); ++row) {
    const uint16_t type = trace_.type()[row];
    has_steps_ |= type == STEPSCOPE_PROFILE_STEP;
    const Interval when = {trace_.start_ns()[row], trace_.end_ns(row)};
    if (type == STEPSCOPE_OPTIMIZATION &&
        trace_.str(trace_.name()[row]).starts_with("Optimizer.step"))
      optimizer_[ProcessOf(row)].push_back(when);
    if (type == STEPSCOPE_BACKWARD && !alone_)
      backward_[ProcessOf(row)].push_back(when);
  }
  for (const StepInterval& stage : steps.stages())
    if (stage.type == STEPSCOPE_BACKWARD && stage.inferred && !alone_)
      backward_[tree.threads()[stage.thread].process].push_back(stage.range);
  const auto earlier = [](const Interval& a, const Interval& b) {
    return a.begin < b.begin;
  };
  for (std::vector<Interval>& ranges : optimizer_)
    std::sort(ranges.begin(), ranges.end(), earlier);
  for (std::vector<Interval>& ranges : backward_) {
    std::sort(ranges.begin(), ranges.end(), earlier);
    std::vector<Interval> apart;
    for (const Interval& when : ranges) {
      if (apart.empty() || when.begin > apart.back().end) apart.push_back(when);
      apart.back().end = std::max(apart.back().end, when.end);
    }
    ranges = std::move(apart);
  }
}

uint32_t MemoryCategories::ProcessOf(Row row) const {
  return trace_.tracks()[trace_.track()[row]].process;
}

int64_t MemoryCategories::OptimizerEnd(uint32_t process,
                                       int64_t time_ns) const {
  const std::vector<Interval>& ranges = optimizer_[process];
  const auto after = FirstAfter(ranges, time_ns);
  return after != ranges.begin() && time_ns <= after[-1].end ? after[-1].end
                                                             : -1;
}

bool MemoryCategories::OptimizerBetween(uint32_t process, int64_t from_ns,
                                        int64_t to_ns) const {
  const std::vector<Interval>& ranges = optimizer_[process];
  const auto after = FirstAfter(ranges, from_ns);
  return after != ranges.end() && after->begin <= to_ns;
}

bool MemoryCategories::InBackward(uint32_t process, int64_t time_ns) const {
  const std::vector<Interval>& ranges = backward_[process];
  const auto after = FirstAfter(ranges, time_ns);
  return after != ranges.begin() && time_ns < after[-1].end;
}

MemoryCategories::Where MemoryCategories::WhereIs(const MemoryEvent& event) {
  if (event.owner == kNoRow && !alone_)
    return InBackward(trace_.tracks()[event.track].process, event.time_ns)
               ? Where::kBackward
               : Where::kForward;
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
  // On a thread of autograd's, or in a pass that was concluded.
  if (InBackward(ProcessOf(row), trace_.start_ns()[row]))
    return Where::kBackward;
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

// The file says it: torch's profiler followed the tensors.
MemoryCategory MemoryCategories::StatedBy(Row owner) const {
  const std::string_view name =
      owner == kNoRow ? std::string_view() : trace_.str(trace_.name()[owner]);
  for (size_t i = 0; i < kMemoryCategories; ++i)
    if (name == MemoryCategoryName(static_cast<MemoryCategory>(i)))
      return static_cast<MemoryCategory>(i);
  return MemoryCategory::kOther;
}

MemoryCategory MemoryCategories::Of(const BlockLife& allocation) {
  const MemoryEvent made = trace_.memory()[allocation.made];
  if (levels_place_ != StringId() && made.place == levels_place_)
    return StatedBy(made.owner);
  const bool kept = allocation.freed == BlockLife::kNever;
  const MemoryEvent freed =
      kept ? MemoryEvent() : trace_.memory()[allocation.freed];
  const int64_t until = kept ? INT64_MAX : freed.time_ns;
  const uint32_t process = trace_.tracks()[made.track].process;
  Where where = WhereIs(made);
  const int64_t optimizer_end = OptimizerEnd(process, made.time_ns);
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
                     (kept || OptimizerBetween(process, made.time_ns, until))
                 ? MemoryCategory::kOptimizerState
                 : MemoryCategory::kTemporary;
    case Where::kBackward:
      return kept || OptimizerBetween(process, made.time_ns, until)
                 ? MemoryCategory::kGradients
                 : MemoryCategory::kTemporary;
    case Where::kSetUp:
      return kept || OptimizerBetween(process, made.time_ns, until)
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
