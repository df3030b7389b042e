// SPDX-License-Identifier: Apache-2.0
#include "query/query_session.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "query/dataset.h"
#include "query/dataset_schema.h"
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

// The tables stay reachable as raw_NAME: a view may have a table's name.
Status AddViews(Database& db) {
  for (const TableSpec& table : DatasetTables()) {
    const std::string raw = "raw_" + std::string(table.name);
    STEPSCOPE_TRY(db.Run("ALTER VIEW " + SqlName(table.name) + " RENAME TO " +
                         SqlName(raw)));
    STEPSCOPE_TRY(db.Run("CREATE VIEW " + SqlName(table.name) +
                         " AS SELECT * FROM " + SqlName(raw)));
  }
  for (const SqlFile& view : ViewFiles()) {
    STEPSCOPE_TRY(db.Run("CREATE OR REPLACE VIEW " + SqlName(view.name) +
                         " AS\n" + std::string(view.text)));
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<QuerySession>> QuerySession::Open(
    const std::string& dataset, const QueryLimits& limits) {
  Database::Settings settings;
  if (!limits.memory.empty())
    settings.emplace_back("memory_limit", limits.memory);
  // Nothing beside the user's files, unless a folder is given.
  settings.emplace_back("temp_directory", limits.spill_folder);
  STEPSCOPE_TRY_ASSIGN(std::unique_ptr<Database> db, Database::Open(settings));
  const std::string folder = RealPath(dataset);
  STEPSCOPE_TRY(AddDatasetViews(*db, folder));
  STEPSCOPE_TRY(AddViews(*db));
  std::unique_ptr<QuerySession> session(new QuerySession(std::move(db)));
  STEPSCOPE_TRY(session->Lock(folder, limits));
  return session;
}

Status QuerySession::Lock(const std::string& dataset,
                          const QueryLimits& limits) {
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
