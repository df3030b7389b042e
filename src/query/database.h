// SPDX-License-Identifier: Apache-2.0
//
// Database: DuckDB in memory, behind the few calls that the rest of stepscope
// needs. Nothing outside src/query sees DuckDB.
//
//   STEPSCOPE_TRY_ASSIGN(auto db, Database::Open({{"threads", "2"}}));
//   STEPSCOPE_TRY(db->AddTable("events", source));
//   STEPSCOPE_TRY_ASSIGN(QueryResult result, db->Query("SELECT ..."));
//   while (result.NextChunk()) ... result.Int64(column, row) ...
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/duckdb_library.h"
#include "query/table_source.h"

namespace stepscope {

// Rows that a query gave, chunk by chunk. Movable.
class QueryResult {
 public:
  QueryResult(const duckdb::Api& api, duckdb::RawResult raw);
  ~QueryResult();
  QueryResult(QueryResult&& other) noexcept;
  QueryResult& operator=(QueryResult&&) = delete;

  size_t columns() const { return names_.size(); }
  const std::string& name(size_t column) const { return names_[column]; }
  duckdb::TypeId type(size_t column) const { return types_[column]; }

  // The next rows become current. False: there are no more.
  bool NextChunk();
  size_t rows() const { return rows_; }  // current ones
  bool IsNull(size_t column, size_t row) const;
  // Of a column of any integer type of at most 64 bits, or BOOLEAN.
  int64_t Int64(size_t column, size_t row) const;
  double Double(size_t column, size_t row) const;
  // Of a column of type VARCHAR; valid until NextChunk().
  std::string_view Text(size_t column, size_t row) const;
  const void* data(size_t column) const { return vectors_[column].data; }

  // For who needs more of DuckDB than this.
  duckdb::RawResult& raw() { return raw_; }
  duckdb::DataChunkHandle* chunk() const { return chunk_; }

 private:
  struct Vector {
    const void* data = nullptr;
    const uint64_t* valid = nullptr;  // null: all
  };

  const duckdb::Api& api_;
  duckdb::RawResult raw_;
  duckdb::DataChunkHandle* chunk_ = nullptr;
  size_t rows_ = 0;
  std::vector<std::string> names_;
  std::vector<duckdb::TypeId> types_;
  std::vector<Vector> vectors_;
};

// One database with one connection. Not thread-safe, but for Interrupt().
class Database {
 public:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  // Extensions are never fetched or loaded; `settings` are DuckDB's, by name.
  // kUnsupported where there is no library.
  static Result<std::unique_ptr<Database>> Open(const Settings& settings = {});
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The table `name`, whose rows are read when a query asks for them; one of
  // that name gives way. In order, unless `parallel`: then several threads
  // take rows as they come.
  Status AddTable(const std::string& name,
                  std::shared_ptr<const TableSource> source,
                  bool parallel = true);

  // kInvalidArgument with DuckDB's message, on one line.
  Result<QueryResult> Query(const std::string& sql);
  Status Run(const std::string& sql);
  // Ends a query that runs on another thread.
  void Interrupt();

  const duckdb::Api& api() const { return api_; }
  duckdb::ConnectionHandle* connection() const { return connection_; }

 private:
  explicit Database(const duckdb::Api& api) : api_(api) {}

  const duckdb::Api& api_;
  duckdb::DatabaseHandle* database_ = nullptr;
  duckdb::ConnectionHandle* connection_ = nullptr;
  uint32_t tables_ = 0;  // that were added
};

// 'text' as a literal of SQL, and "text" as a name.
std::string SqlText(std::string_view text);
std::string SqlName(std::string_view name);

// A message of DuckDB on one line, without those that point at a word.
std::string OneLine(const char* message);

}  // namespace stepscope
