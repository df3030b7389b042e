// SPDX-License-Identifier: Apache-2.0
#include "analysis/processor_demand.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

namespace stepscope {
namespace {

constexpr std::string_view kReady = "Threads ready to run";
constexpr std::string_view kReadyInChild = "Threads ready to run in child ";
constexpr std::string_view kRunning = "CPU of ";
constexpr std::string_view kWaiting = "CPU wait of ";

struct Sum {
  double value = 0;
  uint64_t samples = 0;
};

// The last number in parentheses.
int64_t ThreadIdOf(std::string_view label) {
  const size_t open = label.rfind('(');
  if (open == label.npos) return -1;
  return std::strtoll(std::string(label.substr(open + 1)).c_str(), nullptr, 10);
}

double NumberOf(const Trace& trace, const Process& process,
                std::string_view key) {
  for (const auto& [name, value] : process.metadata) {
    if (trace.str(name) != key) continue;
    return std::strtod(std::string(trace.str(value)).c_str(), nullptr);
  }
  return 0;
}

// Of the job: what its processes may use is as a rule the same. 0: not known.
double UsableProcessors(const Trace& trace) {
  double most = 0;
  std::string_view host;
  for (const Process& process : trace.processes()) {
    const std::string_view name = trace.str(process.host);
    if (!host.empty() && name != host) return 0;
    host = name;
    const double usable = NumberOf(trace, process, "cpus_usable");
    most =
        std::max(most, usable > 0 ? usable : NumberOf(trace, process, "cpus"));
  }
  return most;
}

// Processes that a parent sampled, because they cannot do it themselves.
void AddChildren(const Trace& trace, const std::vector<Sum>& sums,
                 const std::vector<uint64_t>& own_samples,
                 ProcessorDemand& demand) {
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const std::string_view name = trace.str(trace.tracks()[i].name);
    if (sums[i].samples == 0 || !name.starts_with(kReadyInChild)) continue;
    const int64_t pid = std::strtoll(
        std::string(name.substr(kReadyInChild.size())).c_str(), nullptr, 10);
    for (uint32_t p = 0; p < trace.processes().size(); ++p) {
      if (trace.processes()[p].pid != pid || own_samples[p] > 0) continue;
      const double ready = sums[i].value / static_cast<double>(sums[i].samples);
      demand.processes.push_back({p, ready});
      demand.ready += ready;
      break;
    }
  }
}

}  // namespace

const ThreadDemand* ProcessorDemand::Find(uint32_t process,
                                          int64_t thread) const {
  for (const ThreadDemand& one : threads)
    if (one.process == process && one.id == thread) return &one;
  return nullptr;
}

std::optional<ProcessorDemand> FindProcessorDemand(const Trace& trace,
                                                   const Interval& window) {
  ProcessorDemand demand;
  demand.processors = UsableProcessors(trace);
  if (demand.processors <= 0) return std::nullopt;
  std::vector<Sum> sums(trace.tracks().size());
  for (const CounterSample& sample : trace.counters()) {
    if (sample.time_ns < window.begin || sample.time_ns > window.end) continue;
    sums[sample.track].value += sample.value;
    ++sums[sample.track].samples;
  }
  // All threads of a process are looked at together; one that did not run
  // meanwhile has no sample.
  std::vector<uint64_t> samples(trace.processes().size());
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (sums[i].samples == 0 || trace.str(track.name) != kReady) continue;
    samples[track.process] = sums[i].samples;
    const double ready = sums[i].value / static_cast<double>(sums[i].samples);
    demand.processes.push_back({track.process, ready});
    demand.ready += ready;
  }
  if (demand.processes.empty()) return std::nullopt;
  AddChildren(trace, sums, samples, demand);
  std::map<std::pair<uint32_t, std::string_view>, size_t> known;
  for (uint32_t i = 0; i < sums.size(); ++i) {
    const Track& track = trace.tracks()[i];
    const std::string_view name = trace.str(track.name);
    const bool waits = name.starts_with(kWaiting);
    if (sums[i].samples == 0 || samples[track.process] == 0 ||
        (!waits && !name.starts_with(kRunning)))
      continue;
    const std::string_view label =
        name.substr(waits ? kWaiting.size() : kRunning.size());
    const auto [at, is_new] =
        known.try_emplace({track.process, label}, demand.threads.size());
    if (is_new)
      demand.threads.push_back({track.process, ThreadIdOf(label), label, 0, 0});
    ThreadDemand& thread = demand.threads[at->second];
    (waits ? thread.waiting : thread.running) =
        sums[i].value / static_cast<double>(samples[track.process]);
  }
  return demand;
}

}  // namespace stepscope
