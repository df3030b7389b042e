// SPDX-License-Identifier: Apache-2.0
//
// Every named query of `stepscope query` over a job of many ranks: seconds of
// the wall, of processor, and how often the floor F, which adds up one column
// of all events. Where the machine is busy, processor time is what counts.
//
// usage: query_bench [EVENTS [RANKS [FOLDER]]]
//
// EVENTS are those of a rank. With FOLDER, the dataset is kept there and used
// again; it is completed if it was left half made.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/file.h"
#include "base/hash.h"
#include "query/dataset.h"
#include "query/dataset_schema.h"
#include "query/named_query.h"
#include "query/part_writer.h"
#include "query/query_session.h"
#include "step_trace.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFloor = "SELECT count(*), sum(dur_ns) FROM raw_events";
constexpr int kTurns = 2;  // the first one reads the files

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) / 1e9;
}

void Check(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "query_bench: %s\n", status.error().message.c_str());
  std::exit(1);
}

template <typename T>
T Take(Result<T> result) {
  if (!result) Check(result.error());
  return *std::move(result);
}

// All ranks do the same, each as a source of its own.
void MakeRank(const std::shared_ptr<const Trace>& trace,
              const std::string& dataset, int64_t rank) {
  SourceFile source;
  source.path = "rank" + std::to_string(rank);
  source.importer = "bench";
  source.fingerprint = {Hash64(source.path), 1};
  const std::string hash = source.fingerprint.hex();
  const DatasetPart part = {"bench", rank, hash};
  if (FileExists(PartPath(dataset, "ranks", part))) return;
  const std::string staged = dataset + "/_staging/" + hash;
  fs::remove_all(staged);
  Check(WriteParts(trace, source, staged));
  const auto move = [&](const std::string& table) {
    const std::string path = PartPath(dataset, table, part);
    fs::create_directories(fs::path(path).parent_path());
    fs::rename(PartPath(staged, table, {kPendingJob, -1, hash}), path);
  };
  for (const TableSpec& table : DatasetTables())
    if (table.name != std::string("ranks")) move(table.name);
  move("ranks");
  fs::remove_all(staged);
}

struct Cost {
  double wall = 0;
  double processor = 0;
  size_t rows = 0;
};

Cost Ask(QuerySession& session, const std::string& sql) {
  Cost best;
  for (int turn = 0; turn < kTurns; ++turn) {
    Cost cost;
    const double wall = Seconds(CLOCK_MONOTONIC);
    const double processor = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    QueryResult result = Take(session.Query(sql));
    while (result.NextChunk()) cost.rows += result.rows();
    cost.wall = Seconds(CLOCK_MONOTONIC) - wall;
    cost.processor = Seconds(CLOCK_PROCESS_CPUTIME_ID) - processor;
    if (turn == 0 || cost.processor < best.processor) best = cost;
  }
  return best;
}

void Print(const std::string& name, const Cost& cost, const Cost& floor) {
  std::printf("| %-18s | %6.2f | %6.2f | %5.1f | %6zu |\n", name.c_str(),
              cost.wall, cost.processor, cost.processor / floor.processor,
              cost.rows);
  std::fflush(stdout);
}

void Run(uint32_t events, int64_t ranks, const std::string& dataset) {
  Check(MakeDataset(dataset));
  const std::shared_ptr<const Trace> trace = MakeStepTrace(events, true);
  Executor::Shared().ForEach(static_cast<size_t>(ranks), [&](size_t rank) {
    MakeRank(trace, dataset, static_cast<int64_t>(rank));
  });
  std::printf(
      "%lld ranks, %.1f M events, %zu processors\n\n",
      static_cast<long long>(ranks),
      static_cast<double>(trace->size()) * static_cast<double>(ranks) / 1e6,
      Executor::Shared().threads());
  std::printf(
      "| query              | wall s |  CPU s |     F |   rows |\n"
      "|---|---|---|---|---|\n");
  const auto session = Take(QuerySession::Open(dataset, {}));
  const Cost floor = Ask(*session, kFloor);
  Print("floor", floor, floor);
  for (const NamedQuery& query : NamedQueries())
    Print(query.name, Ask(*session, Take(FillParameters(query, {}))), floor);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const long events = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const long ranks = argc > 2 ? std::atol(argv[2]) : 64;
  if (events <= 0 || ranks <= 0) {
    std::fprintf(stderr, "usage: query_bench [EVENTS [RANKS [FOLDER]]]\n");
    return 2;
  }
  if (const auto library = stepscope::duckdb::LoadLibrary(); !library) {
    std::printf("skipped: %s\n", library.error().message.c_str());
    return 0;
  }
  const bool keep = argc > 3;
  const std::string folder =
      keep ? argv[3]
           : std::filesystem::temp_directory_path().string() +
                 "/stepscope_query_bench_" + std::to_string(getpid());
  stepscope::Run(static_cast<uint32_t>(events), ranks, folder);
  if (!keep) std::filesystem::remove_all(folder);
  return 0;
}
