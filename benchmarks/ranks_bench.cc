// SPDX-License-Identifier: Apache-2.0
//
// A job of many ranks, file by file: reading, aligning and comparing them
// against reading them alone, in processor time of the same run. Clocks and
// the late rank are known, so it also says how far the answers are off.
//
// usage: ranks_bench [RANKS[,RANKS...] [EVENTS [FOLDER]]]
//
// Several numbers of ranks, the fewest first, show how time and memory grow.
#include <stepscope/c.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "analysis/ranks/file_digest.h"
#include "exporters/exporter.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

constexpr int64_t kOps = 250;  // of a part of a step, two events each
constexpr int64_t kOpNs = 10'000;
constexpr int64_t kPartNs = kOps * kOpNs * 5 / 4;
constexpr int64_t kParts = 4;  // of a step; a collective ends each
constexpr uint32_t kLateRank = 1;
constexpr int64_t kLateNs = kPartNs / 10;
constexpr int64_t kJitterNs = 20'000;

struct Times {
  double wall = 0;
  double processor = 0;
};

Times Now() {
  timespec wall{};
  clock_gettime(CLOCK_MONOTONIC, &wall);
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return {static_cast<double>(wall.tv_sec) +
              static_cast<double>(wall.tv_nsec) / 1e9,
          seconds(use.ru_utime) + seconds(use.ru_stime)};
}

Times Since(const Times& before) {
  const Times now = Now();
  return {now.wall - before.wall, now.processor - before.processor};
}

double PeakBytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return static_cast<double>(use.ru_maxrss) * 1024;
}

struct PlantedClock {
  double offset_ns = 0;
  double drift = 0;

  int64_t Shown(int64_t time) const {
    return time +
           static_cast<int64_t>(offset_ns + drift * static_cast<double>(time));
  }
};

PlantedClock ClockOf(uint32_t rank) {
  std::mt19937 random(rank);
  std::uniform_real_distribution<double> side(-1, 1);
  if (rank == 0) return {};
  return {side(random) * 5e6, side(random) * 1e-4};
}

std::shared_ptr<const Trace> MakeRank(uint32_t rank, uint32_t events) {
  std::mt19937 random(rank + 1);
  const PlantedClock clock = ClockOf(rank);
  TraceBuilder builder;
  builder.AddSource("kineto", "rank" + std::to_string(rank));
  builder.AlignEpoch(1'790'000'000'000'000'000, true);
  ClockInfo info;
  info.epoch_known = true;
  builder.MergeClock(info);
  Process process;
  process.pid = 1000 + rank;
  process.rank = rank;
  process.host = builder.Intern("node" + std::to_string(rank / 8));
  builder.AddProcess(std::move(process));
  Track thread;
  thread.id = 1;
  const uint32_t main = builder.AddTrack(thread);
  std::vector<StringId> names;
  for (int i = 0; i < 300; ++i) {
    names.push_back(builder.Intern("op" + std::to_string(i)));
  }
  const StringId collective = builder.Intern("all_reduce");
  const auto add = [&](int64_t from, int64_t to, StringId name, uint16_t type) {
    const int64_t start = clock.Shown(from);
    builder.AddEvent({main, start, clock.Shown(to) - start, name, type, 0});
  };
  int64_t now = 1'000'000'000;
  for (uint32_t step = 0; builder.event_count() < events; ++step) {
    add(now, now + kParts * kPartNs - 1000,
        builder.Intern("ProfileStep#" + std::to_string(step)),
        STEPSCOPE_PROFILE_STEP);
    for (int64_t part = 0; part < kParts; ++part, now += kPartNs) {
      for (int64_t i = 0; i < kOps; ++i) {
        const int64_t at = now + i * kOpNs;
        const StringId name = names[random() % names.size()];
        add(at, at + kOpNs - 500, name, STEPSCOPE_OPERATOR);
        add(at + 1000, at + 7000, name, STEPSCOPE_OPERATOR_INNER);
      }
      const bool late = rank == kLateRank && part == 0 && step % 3 == 0;
      const int64_t arrival = now + kOps * kOpNs +
                              static_cast<int64_t>(random() % (kPartNs / 50)) +
                              (late ? kLateNs : 0);
      const int64_t left =
          now + kPartNs * 19 / 20 +
          static_cast<int64_t>(
              std::normal_distribution<double>(0, kJitterNs)(random));
      add(arrival, left, collective, STEPSCOPE_COMMUNICATION);
    }
  }
  const auto trace = builder.Finish();
  if (!trace) std::abort();
  return *trace;
}

// Files of an earlier run are used again.
void WriteRanks(const std::string& folder, uint32_t ranks, uint32_t events) {
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    const std::string path = folder + "/rank" + std::to_string(rank) + ".sscap";
    if (std::filesystem::exists(path)) continue;
    const Status status =
        ExportFile(*MakeRank(rank, events), *FindExporter("capture"), path);
    if (!status) {
      std::fprintf(stderr, "%s\n", status.error().message.c_str());
      std::exit(1);
    }
  }
}

void Report(const char* what, const Times& times, double events,
            const Times& floor) {
  std::printf(
      "%-28s %8.2f s of processor  %6.2f s  %8.1f M events/s  "
      "%5.2f F\n",
      what, times.processor, times.wall, events / times.processor / 1e6,
      times.processor / floor.processor);
}

void Check(const RankJob& job, int64_t middle_ns) {
  std::vector<double> errors;
  double covered = 0;
  for (const RankRow& rank : job.ranks) {
    if (rank.rank == 0) continue;
    const PlantedClock clock = ClockOf(static_cast<uint32_t>(rank.rank));
    const double planted =
        static_cast<double>(clock.Shown(middle_ns) - middle_ns);
    const double error =
        std::abs(static_cast<double>(rank.clock.offset_ns) + planted);
    errors.push_back(error);
    covered += error <= static_cast<double>(rank.clock.error_ns.value_or(0));
  }
  std::sort(errors.begin(), errors.end());
  if (errors.empty() || job.stragglers.empty()) {
    std::printf("nothing was found\n");
    return;
  }
  std::printf(
      "clocks: error %.1f us at most, within the stated error "
      "%.0f %%\n",
      errors.back() / 1e3, 100 * covered / static_cast<double>(errors.size()));
  const StragglerRow& worst = job.stragglers[0];
  std::printf(
      "late: rank %lld (planted: %u), %.1f us in a step with a delay "
      "(planted: %.1f)\n",
      static_cast<long long>(worst.rank), kLateRank,
      worst.steps.empty() ? 0.0
                          : static_cast<double>(worst.steps[0].delay_ns) / 1e3,
      static_cast<double>(kLateNs) / 1e3);
}

int Run(uint32_t ranks, uint32_t events, std::string folder) {
  const bool own = folder.empty();
  if (own) {
    folder = std::filesystem::temp_directory_path().string() +
             "/stepscope_ranks_bench_" + std::to_string(getpid());
  }
  std::filesystem::create_directories(folder);
  WriteRanks(folder, ranks, events);
  const double all = static_cast<double>(ranks) * events;

  Times before = Now();
  if (!ScanFolder(folder, {}, [](uint32_t, const Trace&) {})) return 1;
  const Times floor = Since(before);
  Report("F: reading alone", floor, all, floor);

  before = Now();
  std::mutex mutex;
  std::vector<FileDigest> digests(ranks);
  std::atomic<int64_t> middle = 0;
  const auto scanned =
      ScanFolder(folder, {}, [&](uint32_t number, const Trace& trace) {
        if (number == 0) middle = (trace.begin_ns() + trace.end_ns()) / 2;
        FileDigest digest = DigestFile(trace);
        const std::lock_guard lock(mutex);
        digests[number] = std::move(digest);
      });
  if (!scanned || scanned->jobs.size() != 1) return 1;
  const Times digested = Since(before);
  const RankJob job = AnalyseFiles(std::move(digests));
  const Times compared = Since(before);
  Report("reading and digesting", digested, all, floor);
  Report("and aligning and comparing", compared, all, floor);
  std::printf(
      "per rank: %.2f ms of processor, of which %.2f ms align and "
      "compare\n",
      compared.processor / ranks * 1e3,
      (compared.processor - digested.processor) / ranks * 1e3);
  std::printf(
      "memory: %.0f MB at most; %u ranks of %u events, %llu "
      "collectives that several recorded\n",
      PeakBytes() / 1e6, ranks, events,
      static_cast<unsigned long long>(job.matched));
  Check(job, middle);
  if (own) std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const auto number = [&](int i, uint32_t usual) {
    return argc > i ? static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10))
                    : usual;
  };
  const char* list = argc > 1 ? argv[1] : "16";
  while (true) {
    char* end = nullptr;
    const auto ranks = static_cast<uint32_t>(std::strtoul(list, &end, 10));
    if (ranks == 0) return 2;
    const int code =
        stepscope::Run(ranks, number(2, 250'000), argc > 3 ? argv[3] : "");
    if (code != 0 || *end != ',') return code;
    list = end + 1;
  }
}
