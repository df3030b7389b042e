// SPDX-License-Identifier: Apache-2.0
#include "analysis/machine_load.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace stepscope {
namespace {

// Above this share of use, who wants a processor has to wait for one.
constexpr double kFull = 0.9;
// Less than this share may be the recorder, the system and rounding.
constexpr double kSomebody = 0.15;

// The recorder samples the use of each thread as a counter of this name.
constexpr std::string_view kThreadCounter = "CPU of ";
constexpr double kBusyThread = 0.1;

uint64_t CountBusyThreads(const Trace& trace) {
  uint64_t count = 0;
  const std::vector<CounterSample>& samples = trace.counters();
  for (size_t i = 0; i < samples.size();) {
    const uint32_t track = samples[i].track;
    double sum = 0;
    size_t last = i;
    for (; last < samples.size() && samples[last].track == track; ++last)
      sum += samples[last].value;
    if (trace.str(trace.tracks()[track].name).starts_with(kThreadCounter) &&
        sum >= kBusyThread * static_cast<double>(last - i))
      ++count;
    i = last;
  }
  return count;
}

}  // namespace

double MachineLoad::crowding() const {
  if (busy < kFull) return 0;
  const double share = others / static_cast<double>(processors);
  return share < kSomebody ? 0 : share;
}

std::optional<MachineLoad> FindMachineLoad(const Trace& trace) {
  const CpuUsage& usage = trace.cpu_usage();
  if (usage.process < 0 || usage.system < 0) return std::nullopt;
  MachineLoad load;
  std::string_view host;
  for (const Process& process : trace.processes()) {
    const std::string_view name = trace.str(process.host);
    if (!host.empty() && name != host) return std::nullopt;
    host = name;
    for (const auto& [key, value] : process.metadata) {
      if (trace.str(key) != "cpus") continue;
      load.processors =
          std::strtoull(std::string(trace.str(value)).c_str(), nullptr, 10);
    }
  }
  if (load.processors == 0) return std::nullopt;
  load.job = usage.process;
  load.busy = std::min(usage.system, 1.0);
  load.others = std::max(
      0.0, load.busy * static_cast<double>(load.processors) - load.job);
  load.busy_threads = CountBusyThreads(trace);
  return load;
}

std::string CrowdingText(const Trace& trace) {
  const std::optional<MachineLoad> load = FindMachineLoad(trace);
  if (!load || load->crowding() == 0) return "";
  return Format(
             "The machine was busy with other programs, or with processes "
             "of this job that are not in the trace: they used %.1f of ",
             load->others) +
         CountText(load->processors, "processor") +
         Format(", this job %.1f. Times include waiting for a processor.",
                load->job);
}

}  // namespace stepscope
