// SPDX-License-Identifier: Apache-2.0
//
// Speed of the flame graph: folding the calls of a training run into a tree of
// paths; *whole*: that, and writing what is drawn of it; *cold*: all that the
// first graph of an open trace needs. Times are those that this thread was
// given.
//
// usage: flame_bench [EVENTS]
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "server/timeline/flame.h"
#include "step_trace.h"

namespace stepscope {
namespace {

double Now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) / 1e9;
}

void Measure(const Trace& trace) {
  trace.nesting();  // the timeline needs it before
  const double before = Now();
  const EventTree tree(trace);
  const double tree_s = Now() - before;
  std::printf("%-26s %9s %9s %8s %9s %9s\n", "", "fold ms", "M ev/s", "nodes",
              "whole ms", "cold ms");
  for (const bool device : {false, true}) {
    for (const bool modules : {false, true}) {
      server::FoldOptions options;
      options.device = device;
      options.modules = modules;
      const double begin = Now();
      const auto calls = server::FoldCalls(tree, options);
      const double fold = Now() - begin;
      const double whole_begin = Now();
      server::FlameJson(tree, 0, options);
      const double whole = Now() - whole_begin;
      std::printf("%-26s %9.0f %9.1f %8zu %9.1f %9.0f\n",
                  device    ? modules ? "device, by module" : "device"
                  : modules ? "host, by module"
                            : "host",
                  fold * 1e3, trace.size() / fold / 1e6, calls.size(),
                  whole * 1e3, (tree_s + whole) * 1e3);
    }
  }
  std::printf("tree of events, once: %.0f ms\n", tree_s * 1e3);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const auto events = static_cast<uint32_t>(
      argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000'000);
  const auto trace = stepscope::MakeStepTrace(events, /*gpu=*/true);
  std::printf("%u events\n", trace->size());
  stepscope::Measure(*trace);
  return 0;
}
