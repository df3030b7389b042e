// SPDX-License-Identifier: Apache-2.0
#include "query/dataset.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "query/dataset_schema.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "_stepscope_dataset.json";
constexpr std::string_view kPartBegin = "part-";
constexpr std::string_view kPartEnd = ".parquet";

std::string MarkOf(const std::string& folder) {
  return folder + "/" + std::string(kMark);
}

std::string MarkText() {
  return "{\"format\":\"stepscope dataset\",\"version\":" +
         std::to_string(kDatasetVersion) + "}\n";
}

// What follows `key` in the name of a folder; "" if it is no such folder.
std::string ValueOf(const fs::path& path, std::string_view key) {
  const std::string name = path.filename().string();
  return name.starts_with(key) ? name.substr(key.size()) : "";
}

bool ParseRank(const std::string& text, int64_t& rank) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, rank);
  return error == std::errc() && stop == end;
}

// Folders and files in a folder; nothing if it cannot be read.
std::vector<fs::path> Listing(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    found.push_back(it->path());
  return found;
}

const TableSpec& TableNamed(const std::string& name) {
  for (const TableSpec& table : DatasetTables())
    if (table.name == name) return table;
  return DatasetTables().front();
}

// The columns by name and type, of a table that has no part.
std::string EmptyTable(const TableSpec& table) {
  std::string sql = "SELECT ";
  for (const ColumnSpec& column : table.columns)
    sql += "NULL::" + std::string(SqlTypeName(column.type)) + " AS " +
           SqlName(column.name) + ", ";
  return sql + "NULL::VARCHAR AS job, NULL::BIGINT AS rank WHERE false";
}

}  // namespace

bool IsDataset(const std::string& folder) { return FileExists(MarkOf(folder)); }

Status MakeDataset(const std::string& folder) {
  std::error_code error;
  if (!IsDirectory(folder)) {
    if (FileExists(folder))
      return Fail(ErrorCode::kInvalidArgument,
                  folder + ": is a file; a dataset is a folder");
    if (!fs::create_directories(folder, error) && error)
      return FileError(folder, error.value());
  }
  if (IsDataset(folder)) {
    STEPSCOPE_TRY_ASSIGN(const std::string mark,
                         ReadRegularFile(MarkOf(folder)));
    if (mark == MarkText()) return Ok();
    return Fail(ErrorCode::kUnsupported,
                folder + ": a dataset of another version; expected " +
                    std::to_string(kDatasetVersion) +
                    ", write into another folder");
  }
  // Another writer may be making it at this moment: its own files do not
  // count, and its mark is there before any table.
  const std::vector<fs::path> found = Listing(folder);
  const bool others =
      std::any_of(found.begin(), found.end(), [](const fs::path& path) {
        const std::string name = path.filename().string();
        return name != kMark && !name.starts_with("." + std::string(kMark)) &&
               name != "_lock" && name != "_staging";
      });
  if (others && !IsDataset(folder))
    return Fail(ErrorCode::kInvalidArgument,
                folder +
                    ": holds other files and is no dataset; write into "
                    "an empty folder");
  return ReplaceFile(MarkOf(folder), MarkText());
}

std::string PartPath(const std::string& folder, const std::string& table,
                     const DatasetPart& part) {
  return folder + "/" + table + "/job=" + part.job +
         "/rank=" + std::to_string(part.rank) + "/" + std::string(kPartBegin) +
         part.hash + std::string(kPartEnd);
}

std::vector<DatasetPart> PartsOf(const std::string& folder,
                                 const std::string& table) {
  std::vector<DatasetPart> parts;
  for (const fs::path& jobs : Listing(folder + "/" + table)) {
    DatasetPart part;
    part.job = ValueOf(jobs, "job=");
    if (part.job.empty()) continue;
    for (const fs::path& ranks : Listing(jobs)) {
      if (!ParseRank(ValueOf(ranks, "rank="), part.rank)) continue;
      for (const fs::path& file : Listing(ranks)) {
        part.hash = ValueOf(file, kPartBegin);
        if (!part.hash.ends_with(kPartEnd)) continue;
        part.hash.resize(part.hash.size() - kPartEnd.size());
        parts.push_back(part);
      }
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

std::vector<DatasetPart> CommittedParts(const std::string& folder) {
  return PartsOf(folder, "ranks");
}

std::string StateOfDataset(const std::string& folder) {
  std::string state = folder + "\n";
  for (const DatasetPart& part : CommittedParts(folder)) {
    const std::string path = PartPath(folder, "ranks", part);
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) continue;
    state += Format("%llx %llx %lld.%09ld ",
                    static_cast<unsigned long long>(status.st_ino),
                    static_cast<unsigned long long>(status.st_size),
                    static_cast<long long>(status.st_ctim.tv_sec),
                    status.st_ctim.tv_nsec) +
             path + "\n";
  }
  return state;
}

std::string ReadParts(const std::string& folder, const std::string& table,
                      const std::vector<DatasetPart>& parts) {
  if (parts.empty()) return "(" + EmptyTable(TableNamed(table)) + ")";
  std::string list;
  for (const DatasetPart& part : parts)
    list += (list.empty() ? "" : ", ") + SqlText(PartPath(folder, table, part));
  return "read_parquet([" + list +
         "], hive_partitioning = true, hive_types = "
         "{'job': VARCHAR, 'rank': BIGINT})";
}

Status AddDatasetViews(Database& db, const std::string& folder) {
  const std::vector<DatasetPart> parts = CommittedParts(folder);
  for (const TableSpec& table : DatasetTables()) {
    STEPSCOPE_TRY(db.Run("CREATE OR REPLACE VIEW " + SqlName(table.name) +
                         " AS SELECT * FROM " +
                         ReadParts(folder, table.name, parts)));
  }
  return Ok();
}

Result<RankFactsList> ReadRanks(Database& db, const std::string& folder,
                                const std::vector<DatasetPart>& parts) {
  RankFactsList ranks;
  if (parts.empty()) return ranks;
  STEPSCOPE_TRY_ASSIGN(
      QueryResult result,
      db.Query("SELECT source_id, process, job, rank, pid, host, "
               "process_name, source, format, importer, fingerprint, "
               "stated_job, run, clock_source, stated_rank, "
               "coalesce(world_size, 0), events, complete, "
               "epoch_known, epoch_ns, begin_ns, end_ns, first_ns, "
               "anchor_error_ns, clock_method, clock_offset_ns, "
               "clock_drift_ppm, clock_center_ns, clock_error_ns FROM " +
               ReadParts(folder, "ranks", parts) +
               " ORDER BY job, rank, source_id, process"));
  while (result.NextChunk()) {
    for (size_t row = 0; row < result.rows(); ++row) {
      size_t column = 0;
      const auto number = [&] { return result.Int64(column++, row); };
      const auto text = [&] { return std::string(result.Text(column++, row)); };
      const auto known = [&]() -> std::optional<int64_t> {
        const bool null = result.IsNull(column, row);
        const int64_t value = number();
        return null ? std::nullopt : std::optional(value);
      };
      RankFacts facts;
      facts.source_id = number();
      facts.process = static_cast<int32_t>(number());
      facts.job = text();
      facts.rank = number();
      facts.pid = number();
      facts.host = text();
      facts.process_name = text();
      facts.source = text();
      facts.format = text();
      facts.importer = text();
      facts.fingerprint = text();
      facts.stated_job = text();
      facts.run = text();
      facts.clock_source = text();
      facts.stated_rank = number();
      facts.world_size = number();
      facts.events = number();
      facts.complete = number() != 0;
      facts.epoch_known = number() != 0;
      facts.epoch_ns = number();
      facts.begin_ns = number();
      facts.end_ns = number();
      facts.first_ns = known();
      facts.anchor_error_ns = number();
      facts.clock_method = text();
      facts.clock_offset_ns = number();
      facts.clock_drift_ppm = result.Double(column++, row);
      facts.clock_center_ns = number();
      facts.clock_error_ns = known();
      ranks.push_back(std::move(facts));
    }
  }
  return ranks;
}

}  // namespace stepscope
