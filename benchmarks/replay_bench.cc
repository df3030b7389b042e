// SPDX-License-Identifier: Apache-2.0
//
// Speed and memory of the replay on one core, beside the summary of the same
// trace in the same run.
//
// usage: replay_bench [EVENTS]
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "analysis/replay/critical_path.h"
#include "analysis/replay/whatif.h"
#include "analysis/summary.h"
#include "step_trace.h"

namespace stepscope {
namespace {

// Time that this thread was given, so that a busy machine does not matter.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// Seconds of the median of five rounds.
double Median(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const double start = Now();
    work();
    times.push_back(Now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[2];
}

// A line of /proc/self/status in bytes: "VmHWM:", "VmRSS:".
double Status(const char* key) {
  double kib = 0;
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0) {
      kib = std::atof(line + std::strlen(key));
    }
  }
  std::fclose(file);
  return kib * 1024;
}

void ResetPeak() {
  std::FILE* const file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return;
  std::fputs("5", file);
  std::fclose(file);
}

void Print(const char* what, double seconds, double events) {
  std::printf("  %-34s %8.1f ms  %7.1f M events/s\n", what, seconds * 1e3,
              events / seconds / 1e6);
}

void Run(uint32_t events) {
  const double before = Status("VmRSS:");
  const auto trace = MakeStepTrace(events, true);
  const double trace_bytes = Status("VmRSS:") - before;
  const auto count = static_cast<double>(trace->size());
  std::printf("%u events, %.0f MiB\n", trace->size(), trace_bytes / (1 << 20));

  SummaryOptions all;
  Print("summary, all tables", Median([&] { ComputeSummary(*trace, all); }),
        count);
  SummaryOptions advice;
  advice.views = kAdviceView;
  Print("advice", Median([&] { ComputeSummary(*trace, advice); }), count);
  {
    const EventTree tree(*trace);
    const StepTable steps(tree);
    NameClasses names(trace->strings());
    ReplayTimes times;
    Print("replay: build the graph and simulate", Median([&] {
            const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
            Simulate(graph, times);
          }),
          count);
    const ReplayGraph graph = BuildReplayGraph(tree, steps, names);
    Print("replay: simulate again", Median([&] { Simulate(graph, times); }),
          count);
    Print("critical path of the graph", Median([&] {
            (void)FindCriticalPath(tree, graph, names, StepChoice::All());
          }),
          count);
  }
  WhatifOptions options;
  options.changes.push_back(*ParseChange("graph"));
  Print("whatif, one change",
        Median([&] { (void)ComputeWhatif(*trace, options); }), count);
  options.unprofiled_ns = 1'000'000;
  for (const char* text : {"no_sync", "fuse_small", "op:op1*=0.5", "host=0.5",
                           "kernel:*op2*=0.5"}) {
    options.changes.push_back(*ParseChange(text));
  }
  malloc_trim(0);  // what earlier rows left behind is not there to be used
  const double resident = Status("VmRSS:");
  ResetPeak();
  Print("whatif, six changes, unprofiled",
        Median([&] { (void)ComputeWhatif(*trace, options); }), count);
  std::printf("  memory of whatif / of the trace: %.2f (bound 0.5)\n",
              (Status("VmHWM:") - resident) / trace_bytes);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const uint32_t events =
      argc > 1 ? static_cast<uint32_t>(std::atol(argv[1])) : 1'000'000;
  stepscope::Run(events);
}
