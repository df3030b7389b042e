// SPDX-License-Identifier: Apache-2.0
//
// Findings about things that could go on at the same time and do not.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/advice/rules.h"
#include "analysis/interval_search.h"
#include "analysis/kinds.h"
#include "analysis/stats.h"
#include "base/stable_sort.h"
#include "base/text.h"

namespace stepscope {
namespace {

struct Communicator {
  uint64_t calls = 0;
  int64_t time_ns = 0;
  Row longest = kNoRow;

  void Add(const Trace& trace, Row row) {
    ++calls;
    time_ns = SaturatingAdd(time_ns, trace.dur_ns()[row]);
    if (longest == kNoRow || trace.dur_ns()[row] > trace.dur_ns()[longest])
      longest = row;
  }
};

// What communicates, by name, longest first.
std::vector<Communicator> Communicators(const AdviceInput& input) {
  const Trace& trace = input.trace();
  std::map<StringId, Communicator> all;
  for (const DeviceWork& work : input.tree.work()) {
    if (!input.communication.IsKernel(work)) continue;
    all[trace.name()[work.row]].Add(trace, work.row);
  }
  for (uint32_t i = 0; i < input.tree.threads().size(); ++i) {
    if (input.communication.host_calls() == 0) break;
    OpenSpan outermost;
    input.tree.threads().ForEachRow(i, [&](Row row) {
      if (!input.communication.IsHostEvent(row)) return;
      if (input.tree.gpu_ns(row) > 0 &&
          !input.names.host_side_collective(trace.name()[row]))
        return;
      if (!outermost.Enter(trace.start_ns()[row], input.tree.end_ns(row)))
        return;
      all[trace.name()[row]].Add(trace, row);
    });
  }
  std::vector<Communicator> sorted;
  for (const auto& [name, sum] : all) sorted.push_back(sum);
  StableSort(sorted.begin(), sorted.end(),
             [](const Communicator& a, const Communicator& b) {
               return a.time_ns > b.time_ns;
             });
  return sorted;
}

// Communication in the steps of each process, and how much of it has
// computation beside it. Without kernels the host computes.
struct Hidden {
  int64_t all_ns = 0;
  int64_t hidden_ns = 0;
};

Hidden HiddenCommunication(const AdviceInput& input, int64_t exposed) {
  const Distribution& distribution = input.summary.distribution;
  if (!input.tree.work().empty())
    return {distribution.communication_ns, distribution.overlap_ns};
  Hidden found;
  const Threads& threads = input.tree.threads();
  std::vector<IntervalCollector> exchange(input.trace().processes().size());
  for (uint32_t i = 0; i < threads.size(); ++i)
    for (const Interval& part : input.communication.by_thread()[i])
      exchange[threads[i].process].Add(part.begin, part.end);
  std::vector<IntervalSet> of_process;
  for (IntervalCollector& one : exchange) of_process.push_back(one.Finish());
  for (const StepParts& step : input.waterfall().steps) {
    found.all_ns = SaturatingAdd(
        found.all_ns, CoveredLength(of_process[step.process], step.range));
  }
  found.hidden_ns = SaturatingSubtract(found.all_ns, exposed);
  return found;
}

struct Stream {
  int64_t id = 0;
  IntervalSet busy;
  int64_t busy_ns = 0;
  Row longest = kNoRow;
};

using DeviceKey = std::tuple<uint32_t, std::string_view, int64_t>;

DeviceKey DeviceKeyOf(const Trace& trace, const Track& track) {
  return {track.process, trace.str(track.device_type), track.device};
}

// Streams with computation or copies, by device; only of devices that have
// several.
std::map<DeviceKey, std::vector<Stream>> StreamsByDevice(
    const AdviceInput& input) {
  const Trace& trace = input.trace();
  std::map<DeviceKey, std::set<int64_t>> ids;
  bool several = false;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kStream ||
        (input.tree.census().types(i) & kDeviceWorkTypes) == 0)
      continue;
    std::set<int64_t>& of_device = ids[DeviceKeyOf(trace, track)];
    of_device.insert(track.id);
    several = several || of_device.size() > 1;
  }
  if (!several) return {};
  struct Collected {
    IntervalCollector busy;
    Row longest = kNoRow;
  };
  std::map<DeviceKey, std::map<int64_t, Collected>> all;
  uint32_t last = kNoThread;
  Collected* stream = nullptr;
  for (const DeviceWork& work : input.tree.work()) {
    const uint32_t index = trace.track()[work.row];
    if (index != last) {
      last = index;
      const Track& track = trace.tracks()[index];
      const DeviceKey key = DeviceKeyOf(trace, track);
      stream = ids[key].size() > 1 ? &all[key][track.id] : nullptr;
    }
    if (stream == nullptr || input.communication.IsKernel(work)) continue;
    stream->busy.Add(trace.start_ns()[work.row], input.tree.end_ns(work.row));
    if (stream->longest == kNoRow ||
        trace.dur_ns()[work.row] > trace.dur_ns()[stream->longest])
      stream->longest = work.row;
  }
  std::map<DeviceKey, std::vector<Stream>> result;
  for (auto& [key, streams] : all) {
    for (auto& [id, collected] : streams) {
      if (collected.longest == kNoRow) continue;
      Stream made{id, collected.busy.Finish(), 0, collected.longest};
      made.busy_ns = TotalLength(made.busy);
      result[key].push_back(std::move(made));
    }
    StableSort(
        result[key].begin(), result[key].end(),
        [](const Stream& a, const Stream& b) { return a.busy_ns > b.busy_ns; });
  }
  return result;
}

}  // namespace

void FindExposedCommunication(const AdviceInput& input, Advice& advice) {
  const int64_t exposed = input.waterfall().part(StepPart::kCommunication);
  if (!input.IsWorthSaying(exposed)) return;
  const std::vector<Communicator> communicators = Communicators(input);
  if (communicators.empty()) return;
  const Hidden hidden = HiddenCommunication(input, exposed);
  const Trace& trace = input.trace();
  Finding finding;
  finding.id = "exposed_communication";
  finding.finding = "Communication is not hidden behind computation.";
  finding.change = "no_comm";
  finding.saving_ns = input.OfAStep(exposed);
  finding.saving_basis = "communication takes no time; an upper bound";
  finding.evidence.push_back(
      {"The step only communicates for " + input.PerStep(exposed) + "; " +
           Percent(Ratio(hidden.hidden_ns, hidden.all_ns)) +
           " of all communication (" + Milliseconds(hidden.all_ns) +
           ") is hidden behind computation.",
       "", kNoRow, 0, exposed});
  for (const Communicator& sum : communicators) {
    if (finding.evidence.size() > kMostExamples) break;
    const std::string name(trace.str(trace.name()[sum.longest]));
    finding.evidence.push_back({CountText(sum.calls, "call") + ", " +
                                    Milliseconds(sum.time_ns) + " in all, " +
                                    Milliseconds(trace.dur_ns()[sum.longest]) +
                                    " at most: " + name,
                                name, sum.longest, sum.calls, sum.time_ns});
  }
  finding.to_try = {
      "starting gradients' exchange during the backward pass, in buckets",
      "fewer exchanges: gradient accumulation, a larger batch per process",
      "less data: bfloat16 gradients; on GPUs, NCCL rather than Gloo",
      "a look at the other ranks: waiting for a late one counts here"};
  advice.findings.push_back(std::move(finding));
}

void FindSerialStreams(const AdviceInput& input, Advice& advice) {
  constexpr double kBusyEnough = 0.05;
  constexpr double kHardlyEver = 0.01;
  for (const auto& [key, streams] : StreamsByDevice(input)) {
    if (streams.size() < 2) continue;
    // The two busiest: what the second does could run behind the first.
    const Stream& a = streams[0];
    const Stream& b = streams[1];
    if (!input.IsWorthSaying(b.busy_ns, kBusyEnough)) continue;
    const int64_t both = TotalLength(Intersection(a.busy, b.busy));
    if (Ratio(both, b.busy_ns) > kHardlyEver) continue;
    Finding finding;
    finding.id = "serial_streams";
    finding.finding = "Streams take turns instead of running together.";
    finding.saving_ns = input.OfAStep(b.busy_ns);
    finding.saving_basis =
        "the time of the less busy one, if all of it ran behind the other; "
        "they share one device";
    for (const Stream* stream : {&a, &b}) {
      finding.evidence.push_back(
          {"Stream " + std::to_string(stream->id) + " of " +
               std::string(std::get<1>(key)) +
               std::to_string(std::get<2>(key)) + " was busy for " +
               Milliseconds(stream->busy_ns) + ", both at once for " +
               Milliseconds(both) + ".",
           std::string(
               input.trace().str(input.trace().name()[stream->longest])),
           stream->longest, 0, stream->busy_ns});
    }
    finding.to_try = {
        "looking for events or synchronisation that order them",
        "copies from pinned memory, which alone can overlap with kernels"};
    advice.findings.push_back(std::move(finding));
    return;
  }
}

}  // namespace stepscope
