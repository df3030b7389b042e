// SPDX-License-Identifier: Apache-2.0
//
// Findings about the host: it waits for data, for the device, or computes
// while the device has nothing to do.
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/advice/host_time.h"
#include "analysis/advice/rules.h"
#include "analysis/kinds.h"
#include "analysis/machine_load.h"
#include "analysis/processor_demand.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "trace/event_type.h"

namespace stepscope {
namespace {

// The longest wait for data of a thread that steps.
Row LongestInput(const AdviceInput& input) {
  const Trace& trace = input.trace();
  Row longest = kNoRow;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    const uint32_t main =
        input.steps.main_thread(input.tree.threads()[i].process);
    if (main != i && main != kNoThread) continue;
    const Thread& thread = input.tree.threads()[i];
    for (uint32_t t = thread.first_track; t < thread.last_track; ++t) {
      for (const Row row : input.tree.census().marks(t)) {
        if (trace.type()[row] != STEPSCOPE_DATALOADER) continue;
        if (longest == kNoRow || trace.dur_ns()[row] > trace.dur_ns()[longest])
          longest = row;
      }
    }
  }
  return longest;
}

uint64_t StepsWith(const Waterfall& waterfall, StepPart part) {
  return static_cast<uint64_t>(
      std::count_if(waterfall.steps.begin(), waterfall.steps.end(),
                    [&](const StepParts& step) {
                      return step.part_ns[static_cast<size_t>(part)] > 0;
                    }));
}

std::vector<int64_t> OfEachStep(const Waterfall& waterfall, StepPart part) {
  std::vector<int64_t> by_step;
  for (const StepParts& step : waterfall.steps)
    by_step.push_back(step.part_ns[static_cast<size_t>(part)]);
  return by_step;
}

// Who makes the batches, against the processors that there are.
void AddLoaderWorkers(const AdviceInput& input, std::string_view loader,
                      Finding& finding) {
  constexpr double kAllInUse = 0.9;
  constexpr double kBusyWorker = 0.7;
  const Trace& trace = input.trace();
  const std::optional<MachineLoad> load = FindMachineLoad(trace);
  const std::optional<ProcessorDemand> demand = DemandInSteps(input);
  const auto say = [&](std::string text) {
    finding.evidence.push_back({std::move(text), "", kNoRow, 0, 0});
  };
  // torch names the kind of its loader.
  const bool no_workers = loader.find("SingleProcess") != loader.npos;
  if (no_workers) {
    say("The loader has no workers (num_workers=0): the stepping thread makes "
        "the batches itself.");
  }
  const DemandParts parts =
      demand ? SplitDemand(input, *demand) : DemandParts{};
  if (parts.worker_processes > 0) {
    say(Format(
        "%s had %.1f threads ready to run on average.",
        CountText(parts.worker_processes, "worker process", "worker processes")
            .c_str(),
        parts.workers));
  }
  const std::string less_work =
      "less work for a sample: smaller files, decoding once, caching";
  if ((load && load->busy >= kAllInUse) ||
      (demand && demand->ready >= kAllInUse * demand->processors)) {
    if (load) say(ProcessorUse(trace));
    finding.to_try = {less_work +
                      "; all processors are in use, and more loader workers "
                      "would share them"};
    return;
  }
  if (parts.worker_processes > 0 &&
      parts.workers <
          kBusyWorker * static_cast<double>(parts.worker_processes)) {
    finding.to_try = {
        "faster storage or fewer, larger reads: the workers wait for "
        "something other than a processor",
        "more loader workers, so that more of them wait at the same time"};
    return;
  }
  std::string workers =
      "more loader workers, so that batches are made in parallel";
  if (no_workers)
    workers =
        "loader workers (num_workers), so that batches are "
        "made while the step runs";
  if (demand) {
    workers += Format("; the job kept %.1f of %g processors busy",
                      demand->ready, demand->processors);
  }
  finding.to_try = {workers, less_work};
}

constexpr TypeSet kWaitingTypes =
    kApiCallTypes | SetOf(STEPSCOPE_SYNCHRONIZATION);

// Calls that wait for the device, by the event around them.
struct SyncCaller {
  uint64_t calls = 0;
  int64_t time_ns = 0;
  Row longest = kNoRow;
};

std::vector<std::pair<std::string, SyncCaller>> SyncCallers(
    const AdviceInput& input) {
  const Trace& trace = input.trace();
  std::map<std::string, SyncCaller> callers;
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    if (!input.tree.Has(i, kWaitingTypes)) continue;
    input.tree.threads().ForEachRow(i, [&](Row row) {
      const uint16_t type = trace.type()[row];
      if (!(IsApiCall(type) && input.names.sync_call(trace.name()[row])) &&
          type != STEPSCOPE_SYNCHRONIZATION)
        return;
      std::string name(trace.str(trace.name()[row]));
      const Row parent = input.tree.parent(row);
      if (parent != kNoRow && !IsStage(trace.type()[parent]) &&
          trace.type()[parent] != STEPSCOPE_PROFILE_STEP)
        name += " in " + std::string(trace.str(trace.name()[parent]));
      SyncCaller& caller = callers[name];
      ++caller.calls;
      const int64_t dur = trace.dur_ns()[row];
      caller.time_ns = SaturatingAdd(caller.time_ns, dur);
      if (caller.longest == kNoRow || dur > trace.dur_ns()[caller.longest])
        caller.longest = row;
    });
  }
  std::vector<std::pair<std::string, SyncCaller>> sorted(callers.begin(),
                                                         callers.end());
  StableSort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.time_ns > b.second.time_ns;
  });
  return sorted;
}

}  // namespace

void FindDataLoader(const AdviceInput& input, Advice& advice) {
  const int64_t wait = input.waterfall().part(StepPart::kInputStall);
  if (!input.IsWorthSaying(wait)) return;
  const Row longest = LongestInput(input);
  if (longest == kNoRow) return;
  const Trace& trace = input.trace();
  Finding finding;
  finding.id = "data_loader";
  finding.finding = "The step waits for the data loader.";
  finding.change = "data_ready";
  finding.saving_ns = input.OfAStep(wait);
  finding.saving_basis = "batches are ready when the step asks for them";
  const std::string name(trace.str(trace.name()[longest]));
  finding.evidence.push_back(
      {"The stepping thread waited for data for " +
           input.PerMedianStep(
               OfEachStep(input.waterfall(), StepPart::kInputStall)) +
           ", in " +
           CountText(StepsWith(input.waterfall(), StepPart::kInputStall)) +
           " of " + CountText(input.step_count(), "step") + ".",
       name, longest, input.step_count(), wait});
  finding.evidence.push_back(
      {"The longest wait was " + Milliseconds(trace.dur_ns()[longest]) + ".",
       name, longest, 1, trace.dur_ns()[longest]});
  AddLoaderWorkers(input, name, finding);
  finding.to_try.push_back(
      "reading ahead (prefetch), so that batches are made while the step "
      "runs");
  advice.findings.push_back(std::move(finding));
}

void FindHostSync(const AdviceInput& input, Advice& advice) {
  if (!input.has_devices() || !input.TrustsIdleTime()) return;
  const auto callers = SyncCallers(input);
  uint64_t calls = 0;
  for (const auto& [name, caller] : callers) calls += caller.calls;
  // One at the end of the recording is the recorder's.
  if (calls < std::max<uint64_t>(input.step_count(), 2)) return;
  const int64_t lost = input.OfWorstDevices(
      [](const IdleDevice& device) { return device.around_sync_ns; });
  Finding finding;
  finding.id = "host_sync";
  finding.finding =
      "The host waits for the device in the loop, and the device then waits "
      "for the host.";
  finding.change = "no_sync";
  finding.saving_ns = input.OfAStep(lost);
  finding.saving_basis = "no call waits for the device";
  for (const auto& [name, caller] : callers) {
    if (finding.evidence.size() == kMostExamples) break;
    finding.evidence.push_back(
        {CountText(caller.calls, "call") + " of " + name + ", " +
             Milliseconds(caller.time_ns) + " in all.",
         std::string(input.trace().str(input.trace().name()[caller.longest])),
         caller.longest, caller.calls, caller.time_ns});
  }
  finding.to_try = {
      "reading results (loss.item(), .cpu(), print) every so many steps only",
      "copies from pinned memory that do not block",
      "leaving out explicit synchronisation"};
  advice.findings.push_back(std::move(finding));
}

void FindMemoryGrowth(const AdviceInput& input, Advice& advice) {
  Finding finding;
  finding.id = "memory_growth";
  finding.finding = "Memory grows with every step and is not given back.";
  finding.saving_basis = "the job ends when its memory is used up";
  for (const MemoryPlace& place : input.summary.memory) {
    for (const LeakRow& leak : place.life.leaks) {
      if (finding.evidence.size() == kMostExamples) break;
      finding.evidence.push_back(
          {Quoted(leak.name) + " kept " +
               CountText(
                   static_cast<uint64_t>(AverageNs(leak.bytes, leak.steps))) +
               " bytes of " + std::string(place.place) + " in each of " +
               CountText(leak.steps, "step") +
               (leak.line.empty() ? "." : ", in " + Quoted(leak.line) + "."),
           std::string(leak.name), leak.example, leak.allocations, 0});
    }
  }
  if (finding.evidence.empty()) return;
  finding.to_try = {
      "not keeping tensors that carry history: loss.item() or loss.detach() "
      "when adding up",
      "emptying lists and caches that grow by a step's results"};
  advice.findings.push_back(std::move(finding));
}

}  // namespace stepscope
