// SPDX-License-Identifier: Apache-2.0
//
// Map and reduce: what mapping a trace costs against reading it alone, how
// small a partial is, and what many of them cost to reduce. In processor time
// of the same run.
//
// usage: partial_bench [RANKS [EVENTS]]
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/partial/codec.h"
#include "analysis/partial/reduce.h"
#include "exporters/exporter.h"
#include "importers/registry.h"
#include "step_trace.h"

namespace stepscope {
namespace {

constexpr uint32_t kCalls = 4;  // collectives of a step
constexpr size_t kBatch = 64;   // as stepscope reduce has it

double Processor() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

double PeakMegabytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) / 1024;
}

[[noreturn]] void Stop(const Error& error) {
  std::fprintf(stderr, "partial_bench: %s\n", error.message.c_str());
  std::exit(1);
}

// The partial of another rank that did the same, and met the others in
// collectives that the trace does not have.
Partial AsRank(const Partial& mapped, uint32_t rank) {
  Partial partial = mapped;
  PartialBody& body = partial.body;
  body.processes[0].rank = rank;
  body.processes[0].pid = 1000 + rank;
  RankDigest& digest = body.digest.ranks.at(0);
  digest.pid = 1000 + rank;
  digest.calls.rank = rank;
  CallSignature signature;
  signature.kind = CollectiveKind::kAllReduce;
  signature.name = "ncclDevKernel_AllReduce";
  signature.bytes = 1 << 20;
  digest.calls.signatures = {signature};
  digest.calls.calls.clear();
  uint64_t random = 88172645463325252u + rank;
  for (const RankStep& step : digest.steps) {
    const int64_t part = (step.range.end - step.range.begin) / kCalls;
    for (uint32_t i = 0; i < kCalls; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      RankCall call;
      call.time.end = step.range.begin + part * (i + 1);
      call.time.begin =
          call.time.end - part / 10 - static_cast<int64_t>(random % 5000);
      call.step = step.index;
      digest.calls.calls.push_back(call);
    }
  }
  digest.held.names = {{"op1", HeldKind::kHost}};
  digest.held.before.assign(digest.calls.calls.size(), {{0, 1000}});
  return partial;
}

int Run(uint32_t ranks, uint32_t events) {
  const std::string folder = (std::filesystem::temp_directory_path() /
                              ("partial_bench" + std::to_string(getpid())))
                                 .string();
  std::filesystem::create_directory(folder);
  const std::string path = folder + "/rank.sscap";
  double trace_bytes = 0;
  {
    const auto trace = MakeStepTrace(events, /*gpu=*/true);
    if (Status status = ExportFile(*trace, *FindExporter("capture"), path);
        !status)
      Stop(status.error());
    trace_bytes = static_cast<double>(std::filesystem::file_size(path));
  }

  double before = Processor();
  auto trace = ImportFile(path);
  if (!trace) Stop(trace.error());
  const double floor = Processor() - before;
  before = Processor();
  Partial mapped;
  mapped.head.facts = FactsOf(**trace, path, "capture");
  mapped.body = MapTrace(**trace, {});
  const std::string bytes = EncodePartial(mapped);
  const double map = Processor() - before;
  const auto count = static_cast<double>((*trace)->size());
  const double map_peak = PeakMegabytes();
  trace->reset();
  std::filesystem::remove_all(folder);

  const std::string one = EncodePartial(AsRank(mapped, 0));
  std::printf("read alone           %6.2f s  %7.1f M events/s  1.00 F\n", floor,
              count / floor / 1e6);
  std::printf(
      "map, after reading   %6.2f s  %7.1f M events/s  %4.2f F  "
      "%.0f MB\n",
      map, count / map / 1e6, map / floor, map_peak);
  std::printf(
      "partial              %6.0f KB of a capture of %.0f KB: 1 in "
      "%.0f\n",
      static_cast<double>(one.size()) / 1e3, trace_bytes / 1e3,
      trace_bytes / static_cast<double>(one.size()));

  Reducer reducer;
  double decode = 0;
  double add = 0;
  for (uint32_t first = 0; first < ranks; first += kBatch) {
    for (uint32_t i = first; i < std::min<uint32_t>(ranks, first + kBatch);
         ++i) {
      const std::string file = EncodePartial(AsRank(mapped, i));
      before = Processor();
      Result<Partial> partial = DecodePartial(file);
      if (!partial) Stop(partial.error());
      decode += Processor() - before;
      before = Processor();
      reducer.Add(std::move(partial->body));
      add += Processor() - before;
    }
  }
  before = Processor();
  SummaryOptions options;
  options.views = kPartialViews;
  const auto job = reducer.Finish(options);
  if (!job) Stop(job.error());
  const double finish = Processor() - before;
  if ((*job)->summary.ranks.ranks.size() != ranks && ranks > 1) {
    std::fprintf(stderr, "partial_bench: %zu ranks of %u\n",
                 (*job)->summary.ranks.ranks.size(), ranks);
    return 1;
  }
  const double all = decode + add + finish;
  std::printf(
      "reduce %5u partials %6.2f s  %7.2f ms a rank: read %.2f, add "
      "%.2f, align and compare %.2f s; %.0f MB, %.0f KB a rank\n",
      ranks, all, all / ranks * 1e3, decode, add, finish, PeakMegabytes(),
      (PeakMegabytes() - map_peak) * 1e3 / ranks);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const auto number = [&](int i, uint32_t fallback) {
    return argc > i ? static_cast<uint32_t>(std::atoi(argv[i])) : fallback;
  };
  return stepscope::Run(number(1, 1000), number(2, 1'000'000));
}
