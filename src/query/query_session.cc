// SPDX-License-Identifier: Apache-2.0
#include "query/query_session.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "query/dataset.h"
#include "query/dataset_schema.h"
#include "query/rank_data.h"
#include "query/ranks_of_trace.h"
#include "query/result_text.h"
#include "query/sql_files.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Numbers of duckdb_statement_type.
constexpr int kSelect = 1;
constexpr int kExplain = 4;

std::string RealPath(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

std::string RawName(std::string_view table) {
  return "raw_" + std::string(table);
}

// The tables stay reachable as raw_NAME: a view may have a table's name.
Status AddViews(Database& db) {
  for (const TableSpec& table : DatasetTables())
    STEPSCOPE_TRY(db.Run("CREATE VIEW " + SqlName(table.name) +
                         " AS SELECT * FROM " + SqlName(RawName(table.name))));
  for (const SqlFile& view : ViewFiles()) {
    STEPSCOPE_TRY(db.Run("CREATE OR REPLACE VIEW " + SqlName(view.name) +
                         " AS\n" + std::string(view.text)));
  }
  return Ok();
}

Database::Settings SettingsOf(const QueryLimits& limits) {
  Database::Settings settings;
  if (!limits.memory.empty())
    settings.emplace_back("memory_limit", limits.memory);
  if (limits.threads > 0)
    settings.emplace_back("threads", std::to_string(limits.threads));
  // Nothing beside the user's files, unless a folder is given.
  settings.emplace_back("temp_directory", limits.spill_folder);
  return settings;
}

// What the path of a file says in a dataset: its job, and the rank of a row.
std::string JobAndRank(const std::vector<int64_t>& ranks, bool of_process) {
  std::string rank = std::to_string(ranks.empty() ? -1 : ranks[0]);
  const bool same = std::all_of(ranks.begin(), ranks.end(),
                                [&](int64_t one) { return one == ranks[0]; });
  if (of_process && !same) {
    rank = "CASE process";
    for (size_t i = 0; i < ranks.size(); ++i)
      rank +=
          " WHEN " + std::to_string(i) + " THEN " + std::to_string(ranks[i]);
    rank += " END";
  }
  return ", 'trace' AS job, CAST(" + rank + " AS BIGINT) AS rank";
}

Status AddTablesOf(std::shared_ptr<const Trace> trace, Database& db) {
  const std::vector<int64_t> ranks = RanksOf(*trace);
  SourceFile file;
  for (const Source& source : trace->sources())
    if (file.path.empty()) file.path = source.path;
  auto facts =
      std::make_shared<RankFactsList>(RankFactsOf(*trace, file, ranks));
  for (RankFacts& one : *facts) one.job = "trace";
  const auto data = std::make_shared<const RankData>(
      std::move(trace), file.fingerprint.source_id());
  std::vector<std::shared_ptr<const TableSource>> sources = SourcesOf(data);
  sources.push_back(RanksSource(facts));
  for (size_t i = 0; i < sources.size(); ++i) {
    const TableSpec& table = DatasetTables()[i];
    const std::string rows = "rows_" + std::string(table.name);
    STEPSCOPE_TRY(db.AddTable(rows, sources[i]));
    const bool of_process = std::any_of(
        table.columns.begin(), table.columns.end(), [](const ColumnSpec& one) {
          return std::string_view(one.name) == "process";
        });
    STEPSCOPE_TRY(db.Run("CREATE VIEW " + SqlName(RawName(table.name)) +
                         " AS SELECT *" + JobAndRank(ranks, of_process) +
                         " FROM " + SqlName(rows)));
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<QuerySession>> QuerySession::OpenTrace(
    std::shared_ptr<const Trace> trace, const QueryLimits& limits) {
  STEPSCOPE_TRY_ASSIGN(std::unique_ptr<Database> db,
                       Database::Open(SettingsOf(limits)));
  STEPSCOPE_TRY(AddTablesOf(std::move(trace), *db));
  STEPSCOPE_TRY(AddViews(*db));
  std::unique_ptr<QuerySession> session(new QuerySession(std::move(db)));
  STEPSCOPE_TRY(session->Lock({}, limits));
  return session;
}

Result<std::unique_ptr<QuerySession>> QuerySession::Open(
    const std::string& dataset, const QueryLimits& limits) {
  STEPSCOPE_TRY_ASSIGN(std::unique_ptr<Database> db,
                       Database::Open(SettingsOf(limits)));
  const std::string folder = RealPath(dataset);
  STEPSCOPE_TRY(AddDatasetViews(*db, folder));
  for (const TableSpec& table : DatasetTables())
    STEPSCOPE_TRY(db->Run("ALTER VIEW " + SqlName(table.name) + " RENAME TO " +
                          SqlName(RawName(table.name))));
  STEPSCOPE_TRY(AddViews(*db));
  std::unique_ptr<QuerySession> session(new QuerySession(std::move(db)));
  STEPSCOPE_TRY(session->Lock(folder, limits));
  return session;
}

Status QuerySession::Lock(const std::string& dataset,
                          const QueryLimits& limits) {
  if (!dataset.empty())
    STEPSCOPE_TRY(
        db_->Run("SET allowed_directories = [" + SqlText(dataset + "/") + "]"));
  if (!limits.output.empty()) {
    output_ = RealPath(limits.output);
    STEPSCOPE_TRY(db_->Run("SET allowed_paths = [" + SqlText(output_) + "]"));
  }
  STEPSCOPE_TRY(db_->Run("SET enable_external_access = false"));
  return db_->Run("SET lock_configuration = true");
}

Status QuerySession::Check(const std::string& sql) {
  if (sql.find('\0') != std::string::npos)
    return Fail(ErrorCode::kInvalidArgument, "the SQL holds a zero byte");
  const duckdb::Api& api = db_->api();
  duckdb::StatementsHandle* statements = nullptr;
  const uint64_t count =
      api.extract_statements(db_->connection(), sql.c_str(), &statements);
  std::string why;
  if (count == 0) {
    const char* const error = api.extract_statements_error(statements);
    why =
        error == nullptr ? "expected a SELECT, found nothing" : OneLine(error);
  } else if (count > 1) {
    why = "expected one statement, found " + std::to_string(count);
  } else {
    duckdb::PreparedHandle* prepared = nullptr;
    if (api.prepare_extracted_statement(db_->connection(), statements, 0,
                                        &prepared) != duckdb::kSuccess) {
      why = OneLine(api.prepare_error(prepared));
    } else if (const int type = api.prepared_statement_type(prepared);
               type != kSelect && type != kExplain) {
      why =
          "only statements that read are answered; expected SELECT, WITH, "
          "DESCRIBE or EXPLAIN";
    }
    api.destroy_prepare(&prepared);
  }
  api.destroy_extracted(&statements);
  if (why.empty()) return Ok();
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

Result<std::string> QuerySession::Printable(const std::string& sql) {
  Result<QueryResult> columns = db_->Query("DESCRIBE " + sql);
  if (!columns) return sql;  // DESCRIBE itself, or EXPLAIN
  std::string list;
  bool all = true;
  while (columns->NextChunk()) {
    for (size_t row = 0; row < columns->rows(); ++row) {
      const std::string name = SqlName(columns->Text(0, row));
      const bool prints = IsPrintable(columns->Text(1, row));
      all = all && prints;
      list += (list.empty() ? "" : ", ") +
              (prints ? name
                      : "CAST(" + name + " AS " +
                            PrintedAs(columns->Text(1, row)) + ") AS " + name);
    }
  }
  if (all) return sql;
  // A table keeps the order of its rows; a query around another need not.
  STEPSCOPE_TRY(
      db_->Run("CREATE OR REPLACE TEMP TABLE stepscope_rows AS " + sql));
  return "SELECT " + list + " FROM stepscope_rows";
}

Result<QueryResult> QuerySession::Query(const std::string& sql) {
  STEPSCOPE_TRY(Check(sql));
  STEPSCOPE_TRY_ASSIGN(const std::string printable, Printable(sql));
  return db_->Query(printable);
}

Status QuerySession::WriteParquet(const std::string& sql) {
  STEPSCOPE_TRY(Check(sql));
  // Parsed by itself first, so that it cannot end the brackets.
  STEPSCOPE_TRY(
      db_->Run("CREATE OR REPLACE TEMP TABLE stepscope_rows AS " + sql));
  return db_->Run("COPY stepscope_rows TO " + SqlText(output_) +
                  " (FORMAT parquet, COMPRESSION zstd)");
}

}  // namespace stepscope
