// SPDX-License-Identifier: Apache-2.0
//
// A trace as Parquet files: bytes per event, and events per second of one
// processor against the floor F, DuckDB's own COPY of the same rows from a
// table of its own. Then what SQL over many ranks costs. Processor time is
// what counts, the least of some turns: the machine may be busy.
//
// usage: dataset_bench [EVENTS [RANKS]]
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "query/database.h"
#include "query/dataset.h"
#include "query/dataset_schema.h"
#include "query/part_writer.h"
#include "step_trace.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

double Seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) / 1e9;
}

struct Cost {
  double processor = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  double wall = Seconds(CLOCK_MONOTONIC);

  Cost Until(const Cost& end) const {
    Cost cost = end;
    cost.processor -= processor;
    cost.wall -= wall;
    return cost;
  }
};

[[noreturn]] void Stop(const Error& error) {
  std::fprintf(stderr, "dataset_bench: %s\n", error.message.c_str());
  std::exit(1);
}

void Check(const Status& status) {
  if (!status) Stop(status.error());
}

double BytesUnder(const std::string& folder) {
  double bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      bytes += static_cast<double>(entry.file_size());
  return bytes;
}

void Report(const char* what, const Cost& cost, double events,
            const Cost& floor) {
  std::printf("%-34s %7.2f s of processor  %6.2f M events/s/core  %5.2f F\n",
              what, cost.processor, events / cost.processor / 1e6,
              cost.processor / floor.processor);
}

constexpr int kTurns = 5;

// DuckDB alone: the same rows, the same files.
class FloorWriter {
 public:
  FloorWriter(const std::shared_ptr<const Trace>& trace, int64_t source_id,
              std::string folder)
      : folder_(std::move(folder)) {
    auto db = Database::Open({{"threads", "1"}});
    if (!db) Stop(db.error());
    db_ = *std::move(db);
    const auto sources =
        SourcesOf(std::make_shared<const RankData>(trace, source_id));
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::string name = DatasetTables()[i].name;
      Check(db_->AddTable("source_" + name, sources[i], false));
      Check(db_->Run("CREATE TABLE " + name + " AS SELECT * FROM source_" +
                     name));
    }
  }

  Cost Write() {
    const Cost begin;
    for (const TableSpec& table : DatasetTables()) {
      const std::string name = table.name;
      if (name == "ranks") continue;
      Check(db_->Run("COPY " + name + " TO " +
                     SqlText(folder_ + "/floor_" + name + ".parquet") + " " +
                     ParquetOptions(name)));
    }
    return begin.Until({});
  }

 private:
  const std::string folder_;
  std::unique_ptr<Database> db_;
};

// Every rank has the files of the first; each is read by itself.
void MakeRanks(const std::string& from, const std::string& dataset,
               const std::string& hash, int64_t ranks) {
  for (const TableSpec& table : DatasetTables()) {
    const std::string source =
        PartPath(from, table.name, {kPendingJob, -1, hash});
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const std::string target =
          PartPath(dataset, table.name, {"bench", rank, hash});
      fs::create_directories(fs::path(target).parent_path());
      fs::copy_file(source, target);
    }
  }
}

void Ask(Database& db, const char* what, const std::string& sql) {
  const Cost begin;
  Result<QueryResult> result = db.Query(sql);
  if (!result) Stop(result.error());
  size_t rows = 0;
  while (result->NextChunk()) rows += result->rows();
  const Cost cost = begin.Until({});
  std::printf("%-34s %7.2f s of processor  %6.2f s, %zu rows\n", what,
              cost.processor, cost.wall, rows);
}

int Run(uint32_t events, int64_t ranks) {
  const std::string folder = fs::temp_directory_path().string() +
                             "/stepscope_dataset_bench_" +
                             std::to_string(getpid());
  fs::create_directories(folder + "/staged");
  const auto trace = MakeStepTrace(events, true);
  const auto count = static_cast<double>(trace->size());
  SourceFile source;
  source.path = "bench";
  source.importer = "bench";
  source.fingerprint = {0x0123456789abcdefu, 1};
  FloorWriter floor_writer(trace, source.fingerprint.source_id(), folder);
  Cost floor, ours;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Cost one = floor_writer.Write();
    if (turn == 0 || one.processor < floor.processor) floor = one;
    fs::remove_all(folder + "/staged");
    const Cost begin;
    Check(WriteParts(trace, source, folder + "/staged"));
    const Cost other = begin.Until({});
    if (turn == 0 || other.processor < ours.processor) ours = other;
  }
  Report("F: DuckDB writes its own tables", floor, count, floor);
  Report("trace as Parquet, all tables", ours, count, floor);
  std::printf("%-34s %7.2f bytes per event, all tables\n", "size",
              BytesUnder(folder + "/staged") / count);

  const std::string dataset = folder + "/dataset";
  Check(MakeDataset(dataset));
  MakeRanks(folder + "/staged", dataset, source.fingerprint.hex(), ranks);
  auto db = Database::Open();
  if (!db) Stop(db.error());
  Check(AddDatasetViews(**db, dataset));
  std::printf("\n%lld ranks, %.0f M events\n", static_cast<long long>(ranks),
              count * static_cast<double>(ranks) / 1e6);
  Ask(**db, "kernels by name",
      "SELECT name, count(*), sum(dur_ns) FROM events WHERE type = 'Kernel' "
      "AND stream IS NOT NULL GROUP BY name");
  Ask(**db, "operators by name",
      "SELECT name, count(*) FILTER (outermost), sum(dur_ns) FILTER "
      "(outermost), sum(gpu_ns) FILTER (outermost), sum(self_ns) FROM events "
      "WHERE type = 'Operator' AND tid IS NOT NULL GROUP BY name");
  Ask(**db, "device time by rank and step",
      "SELECT rank, step, sum(dur_ns) FROM events WHERE stream IS NOT NULL "
      "GROUP BY rank, step");
  Ask(**db, "one rank",
      "SELECT name, sum(dur_ns) FROM events WHERE rank = 0 GROUP BY name");
  fs::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const long events = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const long ranks = argc > 2 ? std::atol(argv[2]) : 64;
  if (events <= 0 || ranks <= 0) {
    std::fprintf(stderr, "usage: dataset_bench [EVENTS [RANKS]]\n");
    return 2;
  }
  if (const auto library = stepscope::duckdb::LoadLibrary(); !library) {
    std::printf("skipped: %s\n", library.error().message.c_str());
    return 0;
  }
  return stepscope::Run(static_cast<uint32_t>(events), ranks);
}
