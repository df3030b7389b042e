// SPDX-License-Identifier: Apache-2.0
#include "query/part_writer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "query/database.h"
#include "query/dataset.h"
#include "query/dataset_schema.h"
#include "trace/job/jobs.h"

namespace stepscope {
namespace {

// The rank of each process: what it states; where just one is stated in the
// file, that one, since the others (a GPU, a data loader) work for it.
std::vector<int64_t> RanksOf(const Trace& trace) {
  std::vector<int64_t> ranks;
  int64_t only = -1;
  bool several = false;
  for (const Process& process : trace.processes()) {
    ranks.push_back(std::max<int64_t>(process.rank, -1));
    if (process.rank < 0) continue;
    several |= only >= 0 && only != process.rank;
    only = process.rank;
  }
  if (!several)
    for (int64_t& rank : ranks) rank = only;
  return ranks;
}

RankFactsList RankFactsOf(const Trace& trace, const SourceFile& source,
                          const std::vector<int64_t>& ranks) {
  const FileFacts stated = FactsOf(trace, source.path, source.importer);
  std::vector<int64_t> events(trace.processes().size());
  for (const Track& track : trace.tracks())
    events[track.process] += track.last - track.first;
  RankFactsList list;
  for (uint32_t i = 0; i < trace.processes().size(); ++i) {
    const Process& process = trace.processes()[i];
    RankFacts facts;
    facts.source_id = source.fingerprint.source_id();
    facts.process = static_cast<int32_t>(i);
    facts.rank = ranks[i];
    facts.stated_rank = std::max<int64_t>(process.rank, -1);
    facts.pid = process.pid;
    facts.host = trace.str(process.host);
    facts.process_name = trace.str(process.name);
    facts.source = source.path;
    facts.format = trace.format();
    facts.importer = source.importer;
    facts.fingerprint = source.fingerprint.text();
    facts.stated_job = stated.job;
    facts.run = stated.run;
    facts.world_size = stated.world;
    facts.clock_source = trace.clock().source;
    facts.events = events[i];
    facts.complete = trace.complete();
    facts.epoch_known = trace.clock().epoch_known;
    facts.epoch_ns = trace.epoch_ns();
    facts.begin_ns = trace.begin_ns();
    facts.end_ns = trace.end_ns();
    facts.first_ns = trace.first_time_ns();
    facts.anchor_error_ns = trace.clock().worst_error_ns;
    list.push_back(std::move(facts));
  }
  return list;
}

// One table, of the processes of one rank.
Status WriteTableOfRank(Database& db, const std::string& table,
                        const std::string& chosen, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  const Status status =
      db.Run("COPY (SELECT * FROM " + table + chosen + ") TO " + SqlText(path) +
             " " + ParquetOptions(table));
  if (status) return status;
  return Fail(ErrorCode::kIo, path + ": " + status.error().message);
}

// "WHERE process IN (0, 2)" for the processes of a rank; "" if that is all.
std::string OfRank(const std::vector<int64_t>& ranks, int64_t rank) {
  if (std::all_of(ranks.begin(), ranks.end(),
                  [&](int64_t other) { return other == rank; }))
    return "";
  std::string list;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] == rank)
      list += (list.empty() ? "" : ", ") + std::to_string(i);
  return " WHERE process IN (" + list + ")";
}

Status WriteTables(std::shared_ptr<const Trace> trace, const SourceFile& source,
                   const std::string& folder) {
  const std::vector<int64_t> ranks = RanksOf(*trace);
  RankFactsList facts = RankFactsOf(*trace, source, ranks);
  if (facts.empty()) {  // without a process, it still has a ledger
    facts.emplace_back();
    facts[0].source_id = source.fingerprint.source_id();
    facts[0].source = source.path;
    facts[0].fingerprint = source.fingerprint.text();
    facts[0].format = trace->format();
    facts[0].importer = source.importer;
  }
  STEPSCOPE_TRY_ASSIGN(const std::unique_ptr<Database> db,
                       Database::Open({{"threads", "1"}}));
  auto data = std::make_shared<const RankData>(std::move(trace),
                                               source.fingerprint.source_id());
  const auto sources = SourcesOf(data);
  for (size_t i = 0; i < sources.size(); ++i)
    STEPSCOPE_TRY(db->AddTable(DatasetTables()[i].name, sources[i], false));
  std::map<int64_t, RankFactsList> by_rank;
  for (const RankFacts& one : facts) by_rank[one.rank].push_back(one);
  bool first = true;
  for (auto& [rank, list] : by_rank) {
    const DatasetPart part = {kPendingJob, rank, source.fingerprint.hex()};
    for (size_t i = 0; i < sources.size(); ++i) {
      const std::string table = DatasetTables()[i].name;
      // The ledger is of the file, and so of one of its ranks only.
      const std::string chosen = table != "ledger" ? OfRank(ranks, rank)
                                 : first           ? ""
                                                   : " WHERE false";
      STEPSCOPE_TRY(
          WriteTableOfRank(*db, table, chosen, PartPath(folder, table, part)));
    }
    first = false;
    STEPSCOPE_TRY(db->AddTable(
        "ranks",
        RanksSource(std::make_shared<const RankFactsList>(std::move(list))),
        false));
    STEPSCOPE_TRY(
        WriteTableOfRank(*db, "ranks", "", PartPath(folder, "ranks", part)));
  }
  return Ok();
}

bool HasDoubles(std::string_view name) {
  for (const TableSpec& table : DatasetTables())
    for (const ColumnSpec& column : table.columns)
      if (table.name == name && column.type == ColumnType::kDouble) return true;
  return false;
}

}  // namespace

std::string ParquetOptions(std::string_view table) {
  // V2: differences of whole numbers are packed, which halves the size. It also
  // splits the bytes of doubles, which Spark 4.1 cannot read. Times need no
  // dictionary: giving up early, and level 1, save a fifth of the work.
  const char* const version = HasDoubles(table) ? "V1" : "V2";
  return std::string(
             "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, "
             "DICTIONARY_SIZE_LIMIT 8192, PARQUET_VERSION ") +
         version +
         ", ROW_GROUP_SIZE 122880, KV_METADATA {stepscope_dataset: '" +
         std::to_string(kDatasetVersion) + "'})";
}

Status WriteParts(std::shared_ptr<const Trace> trace, const SourceFile& source,
                  const std::string& folder) {
  try {
    return WriteTables(std::move(trace), source, folder);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, source.path + ": not enough memory");
  }
}

}  // namespace stepscope
