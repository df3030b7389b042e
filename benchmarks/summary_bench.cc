// SPDX-License-Identifier: Apache-2.0
//
// Speed of the summary tables on one core: all of them together and one by
// one, against a bare pass over the columns of the same trace in the same run.
//
// usage: summary_bench [EVENTS [cpu|gpu|counters [all [ROUNDS]]]]
//        "all": no table by itself, for large traces and for a profiler
#include <malloc.h>
#include <stepscope/c.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/name_totals.h"
#include "analysis/summary.h"
#include "step_trace.h"

namespace stepscope {
namespace {

constexpr ViewSet kNoView = ViewSet::One(255);  // none is the default

// Time that this thread was given, so that a busy machine does not matter.
double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

// The floor: every column read once, time added up by type.
int64_t BareScan(const Trace& trace) {
  int64_t sums[64] = {};
  uint64_t names = 0;
  for (Row row = 0; row < trace.size(); ++row) {
    sums[trace.type()[row] & 63] +=
        trace.dur_ns()[row] + (trace.start_ns()[row] & 1);
    names += trace.name()[row].v;
  }
  return sums[0] + static_cast<int64_t>(names);
}

// Seconds of the median round.
double Median(size_t rounds, const std::function<void()>& work) {
  std::vector<double> times;
  for (size_t i = 0; i < rounds; ++i) {
    const double start = Now();
    work();
    times.push_back(Now() - start);
  }
  std::sort(times.begin(), times.end());
  return times[rounds / 2];
}

// The plainest summary: calls, total, least and greatest by name.
int64_t SumNames(const Trace& trace) {
  NameTotals totals(trace);
  totals.Add(0, trace.size());
  return totals.totals().back().total_ns;
}

// A figure of /proc/self/status in bytes: VmRSS (now) or VmHWM (the peak).
double StatusBytes(const char* key) {
  double bytes = 0;
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return bytes;
  char line[256];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, key, std::strlen(key)) == 0) {
      bytes = std::strtod(line + std::strlen(key) + 1, nullptr) * 1024;
    }
  }
  std::fclose(file);
  return bytes;
}

// Memory that `work` needs at most, beyond what is there before it. The peak
// is set back first: making the trace took more than keeping it.
double PeakBytesOf(const std::function<void()>& work) {
  std::FILE* const file = std::fopen("/proc/self/clear_refs", "w");
  if (file != nullptr) {
    std::fputs("5", file);
    std::fclose(file);
  }
  malloc_trim(0);
  const double before = StatusBytes("VmRSS");
  work();
  return std::max(0.0, StatusBytes("VmHWM") - before);
}

int Main(int argc, char** argv) {
  const auto events = static_cast<uint32_t>(
      argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 5000000);
  const bool counters = argc > 2 && std::strcmp(argv[2], "counters") == 0;
  const bool gpu = counters || (argc > 2 && std::strcmp(argv[2], "gpu") == 0);
  const std::shared_ptr<const Trace> trace =
      MakeStepTrace(events, gpu, counters);
  const double count = trace->size();
  const double bytes = count * (28 + 16);  // columns and nesting
  volatile int64_t sink = 0;
  const size_t rounds =
      std::max<size_t>(1, argc > 4 ? std::strtoul(argv[4], nullptr, 10) : 7);
  const double floor = Median(rounds, [&] { sink = sink + BareScan(*trace); });
  std::printf("summary tables, %.0f events, %s, one core\n", count,
              counters ? "CPU, GPU and its counters"
              : gpu    ? "CPU and GPU"
                       : "CPU only");
  const auto report = [&](const char* what, double seconds) {
    std::printf("%-28s %8.1f M events/s %8.1f x the bare pass\n", what,
                count / seconds / 1e6, seconds / floor);
  };
  report("bare pass over the columns", floor);
  report("name summary",
         Median(rounds, [&] { sink = sink + SumNames(*trace); }));
  const auto tables = [&](const char* what, const SummaryOptions& options) {
    report(what, Median(rounds, [&] { ComputeSummary(*trace, options); }));
  };
  SummaryOptions everything;
  everything.views = kUsualViews & ~kAdviceView;
  tables("all tables but advice", everything);
  // Advice replays the trace a dozen times; `summary --format json` has it.
  everything.views = kUsualViews;
  tables("all tables and advice", everything);
  SummaryOptions paddle;
  paddle.views = kPaddleViews;
  const bool only_all = argc > 3 && std::strcmp(argv[3], "all") == 0;
  if (!only_all) tables("Paddle's tables", paddle);
  const struct {
    const char* name;
    ViewSet views;
  } kParts[] = {{"event tree and steps", kNoView},
                {"+ device", kDeviceView},
                {"+ overview, distribution", kOverView | kDistributedView},
                {"+ model", kModelView},
                {"+ operator", kOperatorView},
                {"+ kernel", kKernelView},
                {"+ user-defined, memory", kUserDefinedView | kMemoryView},
                {"+ percentiles", kPercentileView},
                {"+ waterfall, idle", kWaterfallView | kIdleView},
                {"+ launch", kLaunchView},
                {"+ flops", kFlopsView}};
  for (const auto& part : kParts) {
    if (only_all) break;
    SummaryOptions options;
    options.views = part.views;
    tables(part.name, options);
  }
  std::printf("memory above the trace: %.2f x the trace's columns\n",
              PeakBytesOf([&] { ComputeSummary(*trace, everything); }) / bytes);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) { return stepscope::Main(argc, argv); }
