// SPDX-License-Identifier: Apache-2.0
#include "analysis/autograd_passes.h"

#include <algorithm>
#include <string_view>

#include "analysis/gaps.h"
#include "analysis/gradients.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

constexpr TypeSet kOperatorTypes =
    SetOf(STEPSCOPE_OPERATOR) | SetOf(STEPSCOPE_BACKWARD);

// Sets gradients to zero: anywhere in a step, also between the passes.
bool IsZeroing(std::string_view name) {
  return name.starts_with("Optimizer.zero_grad#");
}

// torch's own range around the forward pass of a wrapped model, which does more
// than run the model: DistributedDataParallel.forward.
bool IsForwardRange(std::string_view name) {
  return name.ends_with("Parallel.forward");
}

// Begins the backward pass: the gradient of the loss by itself.
constexpr std::string_view kFirstGradient = "aten::ones_like";

}  // namespace

void AutogradPasses::AddMark(const StepInterval& stage) {
  if (IsPass(stage.type)) marked_[stage.type] = true;
  if (stage.thread != main_) return;
  marks_.Add(stage.range.begin, stage.range.end);
  cuts_.push_back(stage.range.begin);
  if (stage.type == STEPSCOPE_OPTIMIZATION &&
      !IsZeroing(trace().str(trace().name()[stage.row])))
    optimizer_ends_.push_back(stage.range.end);
}

// The thread with most operators of its own.
uint32_t AutogradPasses::ChooseMainThread() const {
  uint32_t best = kNoThread;
  size_t most = 0;
  for (uint32_t i = threads_.first; i < threads_.second; ++i) {
    if (!tree_.Has(i, kOperatorTypes)) continue;
    size_t count = 0;
    OpenSpan open;
    tree_.threads().ForEachRow(i, [&](Row row) {
      if ((SetOf(trace().type()[row]) & kOperatorTypes) == 0) return;
      const Interval range = RangeOf(row);
      count +=
          open.Enter(range.begin, range.end) && !autograd_.Has(trace(), row);
    });
    if (count > most) {
      most = count;
      best = i;
    }
  }
  return best;
}

// Functions of autograd, and on the stepping thread all other operators.
void AutogradPasses::CollectThread(uint32_t thread,
                                   std::vector<Pass>& functions) {
  OpenSpan open;
  OpenSpan function;
  IntervalCollector zeroing;
  IntervalCollector forward;
  const auto type = trace().type();
  tree_.threads().ForEachRow(thread, [&](Row row) {
    if (type[row] == STEPSCOPE_USER_DEFINED && thread == main_) {
      const std::string_view name = trace().str(trace().name()[row]);
      const Interval range = RangeOf(row);
      if (IsZeroing(name)) zeroing.Add(range.begin, range.end);
      if (IsForwardRange(name)) forward.Add(range.begin, range.end);
      return;
    }
    if ((SetOf(type[row]) & kOperatorTypes) == 0) return;
    const Interval range = RangeOf(row);
    const bool is_function = autograd_.Has(trace(), row);
    const bool outermost = open.Enter(range.begin, range.end);
    if (is_function) {
      if (function.Enter(range.begin, range.end))
        functions.push_back({range, row});
    } else if (outermost && thread == main_ &&
               type[row] == STEPSCOPE_OPERATOR) {
      operators_.push_back({range, row, false});
    }
  });
  if (thread != main_) return;
  zeroing_ = zeroing.Finish();
  forward_ranges_ = forward.Finish();
}

void AutogradPasses::CollectOperators() {
  std::vector<Pass> functions;
  for (uint32_t i = threads_.first; i < threads_.second; ++i)
    if (tree_.Has(i, kOperatorTypes)) CollectThread(i, functions);
  for (const OuterOperator& op : operators_) cuts_.push_back(op.range.begin);
  for (const Interval& step : steps_) {
    cuts_.push_back(step.begin);
    cuts_.push_back(step.end);
  }
  std::sort(cuts_.begin(), cuts_.end());
  marked_set_ = marks_.Finish();
  FindPasses(std::move(functions));
}

bool AutogradPasses::IsCut(int64_t from, int64_t to) const {
  const auto at = std::lower_bound(cuts_.begin(), cuts_.end(), from);
  return at != cuts_.end() && *at <= to;
}

void AutogradPasses::FindPasses(std::vector<Pass> functions) {
  StableSort(functions.begin(), functions.end(),
             [](const Pass& a, const Pass& b) {
               return a.range.begin < b.range.begin;
             });
  for (const Pass& function : functions) {
    if (!passes_.empty()) {
      Interval& last = passes_.back().range;
      if (function.range.begin < last.end ||
          !IsCut(last.end, function.range.begin)) {
        last.end = std::max(last.end, function.range.end);
        continue;
      }
    }
    passes_.push_back(function);
  }
}

// Of the operators with a sequence number, those whose gradient was computed.
void AutogradPasses::UseSequenceNumbers() {
  ForEachGradient(
      tree_, autograd_, tree_.threads()[main_].process,
      [&](Row row) { return tree_.thread_of(row) == main_; },
      [&](Row forward, Row) { UseBefore(forward); });
}

// Marks the operator around an event.
void AutogradPasses::UseBefore(Row row) {
  const int64_t start = trace().start_ns()[row];
  const auto after = std::partition_point(
      operators_.begin(), operators_.end(),
      [&](const OuterOperator& op) { return op.range.begin <= start; });
  if (after == operators_.begin()) return;
  OuterOperator& op = after[-1];
  if (op.row != row && op.range.end <= start) return;
  op.is_used = true;
  has_used_ = true;
}

// Between the pass before, or the begin of the step, and a pass.
Interval AutogradPasses::ForwardWindow(size_t pass) const {
  const int64_t end = passes_[pass].range.begin;
  Interval window{pass == 0 ? INT64_MIN : passes_[pass - 1].range.end, end};
  const auto after = std::partition_point(
      steps_.begin(), steps_.end(),
      [&](const Interval& step) { return step.begin <= end; });
  if (after != steps_.begin()) {
    const Interval& step = after[-1];
    window.begin =
        std::max(window.begin, end < step.end ? step.begin : step.end);
  }
  return window;
}

bool AutogradPasses::IsInterrupted(int64_t from, int64_t to) const {
  return !PartsIn(marked_set_, {from, to}).empty() ||
         !PartsIn(zeroing_, {from, to}).empty();
}

bool AutogradPasses::IsForward(const OuterOperator& op, bool is_last) const {
  if (has_used_) return op.is_used;
  if (is_last && trace().str(trace().name()[op.row]) == kFirstGradient)
    return false;
  return !Covers(marked_set_, op.range.begin) &&
         !Covers(zeroing_, op.range.begin);
}

// Runs of operators with no other stage in between. Where it is only supposed
// that they are the forward pass, the longest of them.
std::vector<AutogradPasses::Pass> AutogradPasses::ForwardOf(size_t pass) const {
  Interval window = ForwardWindow(pass);
  const auto optimizer = std::upper_bound(optimizer_ends_.begin(),
                                          optimizer_ends_.end(), window.end);
  if (!has_used_ && optimizer != optimizer_ends_.begin())
    window.begin = std::max(window.begin, optimizer[-1]);
  std::vector<Pass> runs;
  auto op = std::partition_point(
      operators_.begin(), operators_.end(),
      [&](const OuterOperator& of) { return of.range.begin < window.begin; });
  for (; op != operators_.end() && op->range.begin < window.end; ++op) {
    if (op->range.end > window.end) continue;
    const bool is_last =
        op + 1 == operators_.end() || op[1].range.begin >= window.end;
    if (!IsForward(*op, is_last)) continue;
    if (runs.empty() || IsInterrupted(runs.back().range.end, op->range.begin))
      runs.push_back({op->range, op->row});
    Interval& run = runs.back().range;
    run.end = std::max(run.end, op->range.end);
  }
  if (!has_used_ && runs.size() > 1) {
    const auto length = [](const Pass& run) {
      return SaturatingSubtract(run.range.end, run.range.begin);
    };
    runs = {*std::max_element(
        runs.begin(), runs.end(),
        [&](const Pass& a, const Pass& b) { return length(a) < length(b); })};
  }
  for (Pass& run : runs) {
    for (const Interval& range : PartsIn(forward_ranges_, run.range)) {
      if (range.begin < window.begin || range.end > window.end) continue;
      run.range.begin = std::min(run.range.begin, range.begin);
      run.range.end = std::max(run.range.end, range.end);
    }
  }
  return runs;
}

// What no mark covers.
void AutogradPasses::Emit(const Pass& stage, uint16_t type,
                          std::vector<StepInterval>& stages) const {
  StepInterval span;
  span.row = stage.row;
  span.thread = main_;
  span.type = type;
  span.inferred = true;
  ForEachGap(marked_set_, stage.range, [&](const Interval& part) {
    span.range = part;
    stages.push_back(span);
  });
}

uint32_t AutogradPasses::AddTo(std::vector<StepInterval>& stages) {
  const bool is_chosen = main_ == kNoThread;
  if (is_chosen) main_ = ChooseMainThread();
  if (main_ == kNoThread) return kNoThread;
  std::sort(optimizer_ends_.begin(), optimizer_ends_.end());
  CollectOperators();
  UseSequenceNumbers();
  for (size_t i = 0; i < passes_.size(); ++i) {
    if (!marked_[STEPSCOPE_FORWARD])
      for (const Pass& run : ForwardOf(i)) Emit(run, STEPSCOPE_FORWARD, stages);
    if (!marked_[STEPSCOPE_BACKWARD])
      Emit(passes_[i], STEPSCOPE_BACKWARD, stages);
  }
  return is_chosen && passes_.empty() ? kNoThread : main_;
}

}  // namespace stepscope
