// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/idle_ranges.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"

namespace stepscope {
namespace {

// A range that takes more of a step hardly says where in it.
constexpr double kMostOfStep = 0.6;
// One that takes more is around several steps.
constexpr double kLongerThanStep = 1.1;
constexpr std::string_view kAutograd = "autograd::engine";
constexpr std::string_view kBackward = "the backward pass (autograd)";

bool CanBeRange(uint16_t type) {
  return !IsApiCall(type) && type != STEPSCOPE_PROFILE_STEP &&
         type != STEPSCOPE_SYNCHRONIZATION &&
         type != STEPSCOPE_PYTHON_FUNCTION && type != STEPSCOPE_OVERHEAD;
}

class Collector {
 public:
  explicit Collector(const AdviceInput& input)
      : input_(input), trace_(input.trace()) {
    const auto step =
        static_cast<double>(input.OfAStep(input.waterfall().step_ns));
    short_ = static_cast<int64_t>(kMostOfStep * step);
    longest_ = static_cast<int64_t>(kLongerThanStep * step);
  }

  IdleRanges Collect() {
    std::vector<IntervalSet> idle = IdleByProcess();
    for (const IntervalSet& set : idle)
      result_.idle_ns = SaturatingAdd(result_.idle_ns, TotalLength(set));
    TakeThreads(idle, [&](uint32_t i) { return ShortRanges(i); });
    TakeThreads(idle, [&](uint32_t i) { return LongRanges(i); });
    StableSort(result_.ranges.begin(), result_.ranges.end(),
               [](const IdleRange& a, const IdleRange& b) {
                 return a.idle_ns > b.idle_ns;
               });
    return std::move(result_);
  }

 private:
  // Within the steps of a process, when none of its devices worked; empty for
  // those that have none.
  std::vector<IntervalSet> IdleByProcess() const {
    const size_t count = trace_.processes().size();
    std::vector<IntervalCollector> busy(count);
    for (const DeviceWork& work : input_.tree.work()) {
      busy[trace_.tracks()[trace_.track()[work.row]].process].Add(
          trace_.start_ns()[work.row], input_.tree.end_ns(work.row));
    }
    std::vector<IntervalCollector> windows(count);
    for (const StepParts& step : input_.waterfall().steps)
      if (step.knows_devices)
        windows[step.process].Add(step.range.begin, step.range.end);
    std::vector<IntervalSet> idle(count);
    for (size_t i = 0; i < count; ++i) {
      const IntervalSet worked = busy[i].Finish();
      if (!worked.empty()) idle[i] = Difference(windows[i].Finish(), worked);
    }
    return idle;
  }

  // Loading and communicating are findings of their own, with whatever goes
  // on inside.
  bool IsOtherFinding(Row row) const {
    return trace_.type()[row] == STEPSCOPE_DATALOADER ||
           input_.communication.IsHostEvent(row);
  }

  // The stepping threads first, for each process.
  template <typename RangesOf>
  void TakeThreads(std::vector<IntervalSet>& idle, RangesOf ranges_of) {
    for (uint32_t i = 0; i < idle.size(); ++i) {
      const uint32_t main = input_.steps.main_thread(i);
      if (main != kNoThread) Take(ranges_of(main), idle[i]);
    }
    for (uint32_t i = 0; i < input_.tree.threads().size(); ++i) {
      const uint32_t process = input_.tree.threads()[i].process;
      if (i == input_.steps.main_thread(process) || idle[process].empty())
        continue;
      Take(ranges_of(i), idle[process]);
    }
  }

  // The outermost of those that are short enough.
  std::vector<Row> ShortRanges(uint32_t thread) const {
    std::vector<Row> rows;
    int64_t until = INT64_MIN;
    input_.tree.threads().ForEachRow(thread, [&](Row row) {
      if (trace_.start_ns()[row] < until || !CanBeRange(trace_.type()[row]))
        return;
      const bool other = IsOtherFinding(row);
      if (!other && trace_.dur_ns()[row] > short_) return;
      until = input_.tree.end_ns(row);
      if (!other) rows.push_back(row);
    });
    return rows;
  }

  // The innermost of those that are longer, but not longer than a step.
  std::vector<Row> LongRanges(uint32_t thread) const {
    std::vector<Row> rows;
    input_.tree.threads().ForEachRow(thread, [&](Row row) {
      const int64_t dur = trace_.dur_ns()[row];
      if (dur <= short_ || dur > longest_ || !CanBeRange(trace_.type()[row]) ||
          IsOtherFinding(row))
        return;
      // Parents come first.
      if (!rows.empty() &&
          trace_.start_ns()[row] < input_.tree.end_ns(rows.back()))
        rows.back() = row;
      else
        rows.push_back(row);
    });
    return rows;
  }

  // Deals out idle time to ranges that do not overlap; `idle` keeps the rest.
  void Take(const std::vector<Row>& rows, IntervalSet& idle) {
    if (rows.empty() || idle.empty()) return;
    IntervalCollector covered;
    size_t next = 0;
    for (const Row row : rows) {
      const int64_t begin = trace_.start_ns()[row];
      const int64_t end = input_.tree.end_ns(row);
      while (next < idle.size() && idle[next].end <= begin) ++next;
      int64_t held_up = 0;
      for (size_t i = next; i < idle.size() && idle[i].begin < end; ++i)
        held_up += std::min(idle[i].end, end) - std::max(idle[i].begin, begin);
      if (held_up <= 0) continue;
      covered.Add(begin, end);
      Add(row, held_up);
    }
    idle = Difference(idle, covered.Finish());
  }

  void Add(Row row, int64_t idle_ns) {
    const StringId name = trace_.name()[row];
    const bool backward = trace_.str(name).starts_with(kAutograd);
    const auto [at, added] = slots_.try_emplace(backward ? UINT32_MAX : name.v,
                                                result_.ranges.size());
    if (added) {
      result_.ranges.emplace_back().name =
          backward ? kBackward : trace_.str(name);
    }
    IdleRange& range = result_.ranges[at->second];
    ++range.calls;
    range.idle_ns = SaturatingAdd(range.idle_ns, idle_ns);
    if (idle_ns <= range.longest_ns) return;
    range.longest_ns = idle_ns;
    range.example = row;
  }

  const AdviceInput& input_;
  const Trace& trace_;
  int64_t short_ = 0;
  int64_t longest_ = 0;
  std::unordered_map<uint32_t, size_t> slots_;  // by name
  IdleRanges result_;
};

}  // namespace

IdleRanges FindIdleRanges(const AdviceInput& input) {
  return Collector(input).Collect();
}

}  // namespace stepscope
