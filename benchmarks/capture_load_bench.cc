// SPDX-License-Identifier: Apache-2.0
//
// How fast a capture is read: records a real one and imports it, then writes it
// as `convert` does and imports that. Speeds are events per second of processor
// time, which is per core, however many were used and whoever else used them;
// of the wall clock besides. Usage: capture_load_bench [million events].
#include <stepscope/stepscope.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "bench.h"
#include "exporters/exporter.h"
#include "importers/registry.h"

namespace stepscope::bench {
namespace {

constexpr int kSites = 200;

// Nested operators of 200 names with varied durations, paced so that the
// writer keeps up.
void RecordSteps(int64_t events) {
  static stepscope_site sites[kSites];
  static std::string names[kSites];
  for (int i = 0; i < kSites; ++i) {
    names[i] = "operator_" + std::to_string(i);
    sites[i] = {names[i].c_str(), STEPSCOPE_OPERATOR, 0};
  }
  uint64_t random = 1;
  for (int64_t done = 0; done < events;) {
    for (int i = 0; i < 50000; i += 5, done += 5) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      stepscope_site* site = &sites[(random >> 33) % (kSites - 4)];
      RecordEvent outer(site);
      for (int k = 1; k < 5; ++k) {
        RecordEvent inner(site + k);
        for (uint64_t spin = (random >> (40 + k)) % 64; spin > 0; --spin)
          __asm__ volatile("" ::: "memory");
      }
    }
    usleep(300);
  }
}

double ProcessorNs() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Imports the file over and over and prints a row. Null: it cannot be read.
std::shared_ptr<const Trace> Load(const std::string& path, const char* what,
                                  bool* met) {
  constexpr int kRounds = 11;
  std::vector<double> per_core;
  std::vector<double> wall;
  std::shared_ptr<const Trace> trace;
  for (int i = 0; i < kRounds; ++i) {
    trace.reset();  // one at a time
    const double start = NowNs();
    const double used = ProcessorNs();
    const auto read = ImportFile(path);
    const double cpu_ns = ProcessorNs() - used;
    const double wall_ns = NowNs() - start;
    if (!read) {
      std::fprintf(stderr, "%s\n", read.error().message.c_str());
      return nullptr;
    }
    trace = *read;
    per_core.push_back(trace->size() / cpu_ns * 1e3);
    wall.push_back(trace->size() / wall_ns * 1e3);
  }
  const Sample rate = Summarise(per_core);
  *met = *met && rate.median >= 100;
  std::printf(
      "%s, per event %*.2f B\n", what, static_cast<int>(41 - std::strlen(what)),
      static_cast<double>(std::filesystem::file_size(path)) / trace->size());
  std::printf("%s, load, per core %*.1f M events/s  >= 100  %s\n", what,
              static_cast<int>(36 - std::strlen(what)), rate.median,
              rate.median >= 100 ? "met" : "MISSED");
  std::printf("  best round %.1f; by the wall clock %.1f M events/s\n",
              *std::max_element(per_core.begin(), per_core.end()),
              Summarise(wall).median);
  return trace;
}

int Main(int argc, char** argv) {
  const int64_t events = (argc > 1 ? std::atoll(argv[1]) : 20) * 1000000;
  const std::string stem = "/tmp/stepscope_load_" + std::to_string(getpid());
  const std::string recorded = stem + ".sscap";
  const std::string converted = stem + "_converted.sscap";
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = recorded.c_str();
  if (stepscope_start(&options) != STEPSCOPE_OK) {
    std::fprintf(stderr, "%s\n", stepscope_last_error());
    return 1;
  }
  RecordSteps(events);
  stepscope_stop();
  stepscope_wait(stepscope_session(), 60000);
  bool met = true;
  auto trace = Load(recorded, "recorded capture", &met);
  unlink(recorded.c_str());
  if (!trace) return 1;
  const Status written =
      ExportFile(*trace, *FindExporter("capture"), converted);
  if (!written) {
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return 1;
  }
  trace = Load(converted, "converted capture", &met);
  unlink(converted.c_str());
  return trace && met ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) { return stepscope::bench::Main(argc, argv); }
