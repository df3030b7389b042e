// SPDX-License-Identifier: Apache-2.0
//
// Many small files against one large one with as many events, in processor
// time of the same run: what a file costs beyond its bytes.
//
// usage: many_files_bench [FILES [EVENTS [FORMAT]]]
#include <stepscope/c.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/ranks/file_digest.h"
#include "exporters/exporter.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

constexpr int kRounds = 5;
constexpr int64_t kOpNs = 10'000;

double Processor() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

std::shared_ptr<const Trace> Make(uint32_t rank, uint64_t events) {
  TraceBuilder builder;
  builder.AddSource("kineto", "rank" + std::to_string(rank));
  builder.AlignEpoch(1'790'000'000'000'000'000, true);
  ClockInfo info;
  info.epoch_known = true;
  builder.MergeClock(info);
  Process process;
  process.pid = 1000 + rank;
  process.rank = rank;
  builder.AddProcess(std::move(process));
  Track thread;
  thread.id = 1;
  const uint32_t main = builder.AddTrack(thread);
  std::vector<StringId> names;
  for (int i = 0; i < 100; ++i)
    names.push_back(builder.Intern("aten::operator_" + std::to_string(i)));
  const StringId collective = builder.Intern("gloo:all_reduce");
  int64_t now = 0;
  for (uint64_t i = 0; i < events; ++i, now += kOpNs) {
    const bool meets = i % 50 == 49;
    builder.AddEvent({main, now, kOpNs - 500,
                      meets ? collective : names[i % names.size()],
                      static_cast<uint16_t>(meets ? STEPSCOPE_COMMUNICATION
                                                  : STEPSCOPE_OPERATOR),
                      0});
  }
  const auto trace = builder.Finish();
  if (!trace) std::abort();
  return *trace;
}

uint64_t Write(const std::string& path, uint32_t rank, uint64_t events,
               const Exporter& exporter) {
  const Status status = ExportFile(*Make(rank, events), exporter, path);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    std::exit(1);
  }
  return std::filesystem::file_size(path);
}

// MB per second of processor time, the best of some rounds.
struct Rate {
  double best = 0;

  template <typename Work>
  void Take(uint64_t bytes, Work work) {
    const double before = Processor();
    work();
    best = std::max(best,
                    static_cast<double>(bytes) / (Processor() - before) / 1e6);
  }
};

int Run(uint32_t files, uint64_t events, const char* format) {
  const Exporter* const exporter = FindExporter(format);
  if (exporter == nullptr) return 2;
  const std::string folder = std::filesystem::temp_directory_path().string() +
                             "/stepscope_files_bench_" +
                             std::to_string(getpid());
  const std::string small = folder + "/small";
  const std::string large = folder + "/large";
  std::filesystem::create_directories(small);
  std::filesystem::create_directories(large);
  const std::string ending =
      std::string(format) == "chrome" ? ".json" : ".trace";
  uint64_t small_bytes = 0;
  for (uint32_t i = 0; i < files; ++i)
    small_bytes += Write(small + "/rank" + std::to_string(i) + ending, i,
                         events, *exporter);
  const uint64_t large_bytes =
      Write(large + "/all" + ending, 0, events * files, *exporter);
  Rate read_small;
  Rate read_large;
  Rate digest_small;
  Rate digest_large;
  const auto read = [](const std::string& path, bool digests) {
    const auto scanned =
        ScanFolder(path, {}, [&](uint32_t, const Trace& trace) {
          if (digests) static_cast<void>(DigestFile(trace));
        });
    if (!scanned) std::exit(1);
  };
  for (int round = 0; round < kRounds; ++round) {
    read_large.Take(large_bytes, [&] { read(large, false); });
    read_small.Take(small_bytes, [&] { read(small, false); });
    digest_large.Take(large_bytes, [&] { read(large, true); });
    digest_small.Take(small_bytes, [&] { read(small, true); });
  }
  std::filesystem::remove_all(folder);
  std::printf("%u files of %.0f KB against one of %.0f MB, %s\n", files,
              static_cast<double>(small_bytes) / files / 1e3,
              static_cast<double>(large_bytes) / 1e6, format);
  std::printf("%-22s %8.0f MB/s  %8.0f MB/s  %5.2f F\n", "reading",
              read_small.best, read_large.best,
              read_small.best / read_large.best);
  std::printf("%-22s %8.0f MB/s  %8.0f MB/s  %5.2f F\n",
              "reading and digesting", digest_small.best, digest_large.best,
              digest_small.best / digest_large.best);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const auto number = [&](int i, uint32_t usual) {
    return argc > i ? static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10))
                    : usual;
  };
  return stepscope::Run(number(1, 1024), number(2, 400),
                        argc > 3 ? argv[3] : "chrome");
}
