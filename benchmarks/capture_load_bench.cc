// SPDX-License-Identifier: Apache-2.0
//
// How fast a capture is read: records a real one, then imports it. Usage:
// capture_load_bench [million events].
#include <stepscope/stepscope.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "bench.h"
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

int Main(int argc, char** argv) {
  const int64_t events = (argc > 1 ? std::atoll(argv[1]) : 20) * 1000000;
  const std::string path =
      "/tmp/stepscope_load_" + std::to_string(getpid()) + ".sscap";
  stepscope_options options{};
  options.struct_size = sizeof(options);
  options.path = path.c_str();
  if (stepscope_start(&options) != STEPSCOPE_OK) {
    std::fprintf(stderr, "%s\n", stepscope_last_error());
    return 1;
  }
  RecordSteps(events);
  stepscope_stop();
  stepscope_wait(stepscope_session(), 60000);
  const auto bytes = std::filesystem::file_size(path);
  std::vector<double> rates;
  uint64_t kept = 0;
  for (int i = 0; i < 7; ++i) {
    const double start = NowNs();
    const auto trace = ImportFile(path);
    const double took = NowNs() - start;
    if (!trace) {
      std::fprintf(stderr, "%s\n", trace.error().message.c_str());
      return 1;
    }
    kept = (*trace)->size();
    rates.push_back(static_cast<double>(kept) / took * 1e3);
  }
  unlink(path.c_str());
  const Sample rate = Summarise(rates);
  std::printf("%-46s %8.2f B\n", "capture, per event (200 names, nested)",
              static_cast<double>(bytes) / static_cast<double>(kept));
  std::printf("%-46s %8.1f M events/s  >= 100  %s\n",
              "capture load, one core", rate.median,
              rate.median >= 100 ? "met" : "MISSED");
  return rate.median >= 100 ? 0 : 1;
}

}  // namespace
}  // namespace stepscope::bench

int main(int argc, char** argv) { return stepscope::bench::Main(argc, argv); }
