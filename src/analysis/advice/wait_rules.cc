// SPDX-License-Identifier: Apache-2.0
//
// A finding about the stepping thread that waits for another thread, in a call
// whose name says so: a lock, a queue, a condition, the end of a thread.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/advice/wait_names.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/order_statistics.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

// Waits of one name, outermost ones, within steps.
struct ThreadWait {
  StringId name;
  WaitKind kind = WaitKind::kNone;
  uint64_t calls = 0;
  int64_t time_ns = 0;
  std::vector<int64_t> by_step;
  Row longest = kNoRow;
  std::map<uint32_t, std::vector<Interval>> ranges;  // by process, in order

  uint64_t steps() const {
    return by_step.size() -
           static_cast<uint64_t>(std::count(by_step.begin(), by_step.end(), 0));
  }
};

class WaitCollector {
 public:
  explicit WaitCollector(const AdviceInput& input)
      : input_(input), trace_(input.trace()) {}

  // The name that takes most time.
  ThreadWait Largest() {
    for (uint32_t i = 0; i < trace_.processes().size(); ++i) AddProcess(i);
    ThreadWait largest;
    for (auto& [name, wait] : by_name_)
      if (wait.time_ns > largest.time_ns) largest = std::move(wait);
    return largest;
  }

 private:
  void AddProcess(uint32_t process) {
    const uint32_t thread = input_.steps.main_thread(process);
    if (thread == kNoThread) return;
    const std::vector<Interval> steps = StepsOf(input_, process);
    if (steps.empty()) return;
    const size_t first = FirstStepOf(input_, process);
    const IntervalSet loader = StagesOf(input_, thread).loader;
    const IntervalSet& exchange = input_.communication.by_thread()[thread];
    int64_t until = INT64_MIN;
    input_.tree.threads().ForEachRow(thread, [&](Row row) {
      const int64_t begin = trace_.start_ns()[row];
      if (begin < until || !TakesTime(trace_, row)) return;
      const WaitKind kind = KindOf(trace_.name()[row]);
      // With a device, a thread that hands work over waits by design.
      if (kind == WaitKind::kNone ||
          (kind == WaitKind::kHandOver && input_.HasWorkInSteps()) ||
          Contains(loader, begin) || Contains(exchange, begin))
        return;
      until = input_.tree.end_ns(row);
      Add(process, first, steps, row, kind);
    });
  }

  WaitKind KindOf(StringId name) {
    const auto [at, is_new] = kinds_.try_emplace(name);
    if (is_new) at->second = KindOfWait(trace_.str(name));
    return at->second;
  }

  void Add(uint32_t process, size_t first, const std::vector<Interval>& steps,
           Row row, WaitKind kind) {
    const Interval range{trace_.start_ns()[row], input_.tree.end_ns(row)};
    auto step = std::partition_point(
        steps.begin(), steps.end(),
        [&](const Interval& other) { return other.end <= range.begin; });
    bool any = false;
    for (; step != steps.end() && step->begin < range.end; ++step) {
      ThreadWait& wait = by_name_[trace_.name()[row]];
      wait.name = trace_.name()[row];
      wait.kind = kind;
      wait.calls += any ? 0 : 1;
      any = true;
      const Interval part{std::max(step->begin, range.begin),
                          std::min(step->end, range.end)};
      wait.by_step.resize(input_.step_count());
      wait.by_step[first + static_cast<size_t>(step - steps.begin())] +=
          part.end - part.begin;
      wait.time_ns = SaturatingAdd(wait.time_ns, part.end - part.begin);
      wait.ranges[process].push_back(part);
      if (wait.longest == kNoRow ||
          trace_.dur_ns()[row] > trace_.dur_ns()[wait.longest])
        wait.longest = row;
    }
  }

  const AdviceInput& input_;
  const Trace& trace_;
  std::map<StringId, WaitKind> kinds_;
  std::map<StringId, ThreadWait> by_name_;
};

// What another thread did during the waits, by itself.
struct Meanwhile {
  uint32_t thread = kNoThread;
  Row row = kNoRow;
  int64_t time_ns = 0;
};

Meanwhile FindMeanwhile(const AdviceInput& input, const ThreadWait& wait) {
  const Trace& trace = input.trace();
  std::map<StringId, bool> is_work;
  const auto works = [&](StringId id) {
    const auto [at, is_new] = is_work.try_emplace(id);
    const std::string_view name = trace.str(id);
    if (is_new)
      at->second =
          KindOfWait(name) == WaitKind::kNone && !IsThreadPlumbing(name);
    return at->second;
  };
  Meanwhile most;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    const uint32_t process = input.tree.threads()[i].process;
    const auto ranges = wait.ranges.find(process);
    if (ranges == wait.ranges.end() || input.steps.main_thread(process) == i)
      continue;
    std::map<StringId, Meanwhile> by_name;
    ForEachInnermost(input.tree, i, [&](const InnermostPiece& piece) {
      if (piece.row == kNoRow) return;
      const int64_t ns = CoveredLength(ranges->second, piece.range);
      if (ns == 0) return;
      const StringId name = trace.name()[piece.row];
      if (!works(name)) return;
      Meanwhile& sum = by_name[name];
      sum.thread = i;
      sum.row = piece.row;
      sum.time_ns = SaturatingAdd(sum.time_ns, ns);
    });
    for (const auto& [name, sum] : by_name)
      if (sum.time_ns > most.time_ns) most = sum;
  }
  return most;
}

std::string ThreadText(const Trace& trace, const Thread& thread) {
  const std::string_view name = trace.str(thread.name);
  return "thread " + std::to_string(thread.id) +
         (name.empty() ? "" : " (" + std::string(name) + ")");
}

void AddMeanwhile(const AdviceInput& input, const ThreadWait& wait,
                  Finding& finding) {
  constexpr int64_t kPart = 10;  // less than such a part is not worth a line
  const Trace& trace = input.trace();
  const Meanwhile other = FindMeanwhile(input, wait);
  if (other.time_ns < wait.time_ns / kPart) {
    finding.evidence.push_back(
        {"No other thread has events of work at that time: the trace does not "
         "say what is waited for.",
         "", kNoRow, 0, 0});
    return;
  }
  const std::string name(trace.str(trace.name()[other.row]));
  finding.evidence.push_back(
      {"Meanwhile " + ThreadText(trace, input.tree.threads()[other.thread]) +
           " was in " + Quoted(name) + " for " + input.PerStep(other.time_ns) +
           ".",
       name, other.row, 0, other.time_ns});
}

std::vector<std::string> RemediesOfWait(WaitKind kind) {
  if (kind == WaitKind::kLock) {
    return {"holding the lock for a shorter time: work before or after it",
            "data of its own for each thread, so that no lock is needed"};
  }
  return {
      "starting that work earlier (a deeper queue), so that it runs while "
      "the step does",
      "sharing that work among more threads or processes: one is busy "
      "while the others wait"};
}

}  // namespace

void FindThreadWait(const AdviceInput& input, Advice& advice) {
  if (!input.summary.has_steps) return;
  const ThreadWait wait = WaitCollector(input).Largest();
  if (!input.IsWorthSaying(wait.time_ns)) return;
  const std::string name(input.trace().str(wait.name));
  const bool rare = wait.steps() * 2 < input.step_count();
  Finding finding;
  finding.id = "thread_wait";
  finding.finding =
      std::string("The stepping thread waits for ") +
      (wait.kind == WaitKind::kLock ? "a lock" : "another thread") + " in " +
      Quoted(name) + ": " +
      (rare ? input.PerStep(wait.time_ns) : input.PerMedianStep(wait.by_step)) +
      ".";
  finding.covers = name;
  if (rare) {
    finding.SetAverage(
        input.OfAStep(wait.time_ns), input.ShareOfSteps(wait.time_ns),
        "that time, on average over " + CountText(input.step_count(), "step"));
  } else {
    finding.change = "op:" + name + "=0";
    finding.saving_ns = finding.measured_ns = Median(wait.by_step);
    finding.saving_basis = "it never has to wait; an upper bound";
  }
  finding.evidence.push_back(
      {CountText(wait.calls, "call") + " in " + CountText(wait.steps()) +
           " of " + CountText(input.step_count(), "step") + ", " +
           Milliseconds(AverageNs(wait.time_ns, wait.calls)) +
           " each on average.",
       name, wait.longest, wait.calls, wait.time_ns});
  AddMeanwhile(input, wait, finding);
  finding.to_try = RemediesOfWait(wait.kind);
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
