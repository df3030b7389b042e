// SPDX-License-Identifier: Apache-2.0
//
// Findings about threads and processors: more threads ready to run than there
// are processors, and threads that take turns.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/host_time.h"
#include "analysis/advice/rules.h"
#include "analysis/advice/wait_names.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/machine_load.h"
#include "analysis/processor_demand.h"
#include "analysis/stats.h"
#include "base/text.h"

namespace stepscope {
namespace {

std::string CountOf(double number) { return Format("%.1f", number); }

std::string ProcessorsText(double number) {
  return Format("%g processor%s", number, number == 1 ? "" : "s");
}

// The thread of a stepping process that waits longest: the step waits for it,
// or is it.
const ThreadDemand* LongestWaiting(const AdviceInput& input,
                                   const ProcessorDemand& demand) {
  const ThreadDemand* longest = nullptr;
  for (const ThreadDemand& thread : demand.threads) {
    if (!DoesStep(input, thread.process)) continue;
    if (longest == nullptr || thread.waiting > longest->waiting)
      longest = &thread;
  }
  return longest;
}

std::vector<std::string> RemediesOf(const DemandParts& split,
                                    double processors) {
  std::vector<std::string> remedies;
  const std::string most =
      Format("%.0f", std::max(1.0, std::floor(processors)));
  if (split.stepping > processors) {
    remedies.push_back("at most " + most +
                       (most == "1" ? " thread" : " threads") +
                       " in operators (torch.set_num_threads, "
                       "OMP_NUM_THREADS)");
  }
  if (split.workers > 0) {
    remedies.push_back("fewer loader workers (num_workers): they share the " +
                       ProcessorsText(processors) + " with the step");
    remedies.push_back(
        "one thread in each worker (torch.set_num_threads(1) in "
        "worker_init_fn)");
  }
  remedies.push_back(
      "fewer processes or thread pools at a time, or more processors for the "
      "job");
  return remedies;
}

// How long a thread was in Python functions of the steps, by themselves, that
// are no waits by their names.
int64_t TimeInPython(const AdviceInput& input, uint32_t thread,
                     const IntervalSet& steps) {
  const Trace& trace = input.trace();
  std::map<StringId, bool> counted;
  int64_t sum = 0;
  ForEachInnermost(input.tree, thread, [&](const InnermostPiece& piece) {
    if (piece.row == kNoRow ||
        trace.type()[piece.row] != STEPSCOPE_PYTHON_FUNCTION)
      return;
    const auto [at, is_new] = counted.try_emplace(trace.name()[piece.row]);
    if (is_new) {
      const std::string_view name = trace.str(at->first);
      at->second =
          KindOfWait(name) == WaitKind::kNone && !IsThreadPlumbing(name);
    }
    if (!at->second) return;
    sum = SaturatingAdd(sum, CoveredLength(steps, piece.range));
  });
  return sum;
}

// Threads of a process that were in Python functions and ran part of the time.
struct Turns {
  uint64_t threads = 0;
  double running = 0;        // processors, all of them together
  double inside = 0;         // threads in functions at a time
  double stepping_lost = 0;  // of the steps: in a function and not running
};

Turns FindTurnsOf(const AdviceInput& input, const ProcessorDemand& demand,
                  uint32_t process) {
  constexpr double kTakesPart = 0.1;
  constexpr double kTwice = 1.5;  // inside for so much longer than it ran
  const IntervalSet steps = StepsOf(input, process);
  const int64_t length = TotalLength(steps);
  Turns turns;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    const Thread& thread = input.tree.threads()[i];
    if (thread.process != process ||
        !input.tree.Has(i, SetOf(STEPSCOPE_PYTHON_FUNCTION)))
      continue;
    const ThreadDemand* const use = demand.Find(process, thread.id);
    if (use == nullptr || use->ready() < kTakesPart) continue;
    const double inside = Ratio(TimeInPython(input, i, steps), length);
    if (inside < kTwice * use->ready()) continue;
    ++turns.threads;
    turns.running += use->ready();
    turns.inside += inside;
    if (input.steps.main_thread(process) == i)
      turns.stepping_lost = inside - use->ready();
  }
  return turns;
}

}  // namespace

void FindOversubscribed(const AdviceInput& input, Advice& advice) {
  // Times the processors. On a machine that others use, a thread that sleeps
  // and wakes often is ready for longer, so that it takes more to be sure.
  constexpr double kOver = 1.25;
  constexpr double kOverIfCrowded = 2;
  if (!input.summary.has_steps) return;
  const std::optional<ProcessorDemand> demand = DemandInSteps(input);
  const std::optional<MachineLoad> load = FindMachineLoad(input.trace());
  const bool crowded = load && load->crowding() > 0;
  if (!demand ||
      demand->ready < (crowded ? kOverIfCrowded : kOver) * demand->processors)
    return;
  const ThreadDemand* const longest = LongestWaiting(input, *demand);
  if (longest == nullptr) return;
  const double share = std::min(1.0, longest->waiting);
  if (share < kWorthSaying) return;
  const DemandParts split = SplitDemand(input, *demand);
  const auto wait_ns = static_cast<int64_t>(
      share * static_cast<double>(input.OfAStep(input.waterfall().step_ns)));
  Finding finding;
  finding.id = "oversubscribed";
  finding.finding = "The job has more threads ready to run than processors: " +
                    CountOf(demand->ready) + " on average, for " +
                    ProcessorsText(demand->processors) + ".";
  finding.SetAverage(wait_ns, share,
                     "no thread of the steps waits for a processor");
  finding.evidence.push_back({"Thread " + std::string(longest->label) +
                                  " was ready to run and waited for a "
                                  "processor for " +
                                  Milliseconds(wait_ns) +
                                  " per step on average.",
                              "", kNoRow, 0, 0});
  if (split.worker_processes > 0) {
    finding.evidence.push_back(
        {CountOf(split.workers) + " of the threads that were ready are in " +
             CountText(split.worker_processes, "worker process",
                       "worker processes") +
             ", " + CountOf(split.stepping) + " in processes that step.",
         "", kNoRow, 0, 0});
  }
  // Workers that end with their parent do not say what they used.
  if (const std::string use = ProcessorUse(input.trace());
      !use.empty() && split.worker_processes == 0)
    finding.evidence.push_back({use, "", kNoRow, 0, 0});
  if (crowded) {
    finding.evidence.push_back(
        {"The machine was busy with other programs too: without them, threads "
         "wait less, and fewer may be ready at a time.",
         "", kNoRow, 0, 0});
  }
  finding.to_try = RemediesOf(split, demand->processors);
  advice.findings.push_back(std::move(finding));
}

void FindThreadsThatTakeTurns(const AdviceInput& input, Advice& advice) {
  // One processor in all, as far as samples can tell.
  constexpr double kLeast = 0.8;
  constexpr double kMost = 1.25;
  if (!input.summary.has_steps || input.HasWorkInSteps()) return;
  const std::optional<ProcessorDemand> demand = DemandInSteps(input);
  if (!demand || demand->processors < 2) return;
  // Then a thread that waits for its turn waits for a processor as well, and
  // the two cannot be told apart.
  const std::optional<MachineLoad> load = FindMachineLoad(input.trace());
  if (load && load->crowding() > 0) return;
  for (const ProcessDemand& process : demand->processes) {
    if (!DoesStep(input, process.process)) continue;
    const Turns turns = FindTurnsOf(input, *demand, process.process);
    if (turns.threads < 2 || turns.running < kLeast || turns.running > kMost ||
        turns.stepping_lost < kWorthSaying)
      continue;
    const auto lost_ns = static_cast<int64_t>(
        turns.stepping_lost *
        static_cast<double>(input.OfAStep(input.waterfall().step_ns)));
    Finding finding;
    finding.id = "threads_take_turns";
    finding.finding =
        CountText(turns.threads, "thread") +
        " in Python functions use one processor together: they take turns, as "
        "Python's global lock (GIL) makes them.";
    finding.SetAverage(lost_ns, turns.stepping_lost,
                       "the stepping thread runs whenever it is in a function");
    finding.evidence.push_back(
        {"On average " + CountOf(turns.inside) +
             " threads were in Python functions at a time, and " +
             CountOf(turns.running) + " ran or were ready to run.",
         "", kNoRow, 0, 0});
    finding.evidence.push_back(
        {"The stepping thread was in such a function and not running for " +
             Milliseconds(lost_ns) + " per step on average.",
         "", kNoRow, 0, 0});
    finding.to_try = {
        "processes instead of threads for work in Python (multiprocessing, "
        "loader workers)",
        "operators on whole tensors or arrays, which let other threads run",
        "doing that work before the loop, or less often"};
    advice.findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace stepscope
