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
#include "query/ranks_of_trace.h"

namespace stepscope {
namespace {

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
