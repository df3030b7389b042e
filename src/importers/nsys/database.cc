// SPDX-License-Identifier: Apache-2.0
#include "importers/nsys/database.h"

#include <sqlite3.h>

#include <algorithm>

namespace stepscope::nsys {
namespace {

// This bounds what a view or a trigger in a made-up schema could do.
constexpr int kMaxSqlBytes = 1 << 16;

// Steps of SQLite's machine between looks at the token: some thousand rows.
constexpr int kStepsPerLook = 100'000;

int IsCancelled(void* token) {
  return static_cast<const CancelToken*>(token)->cancelled() ? 1 : 0;
}

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

// A path as the path of a URI.
std::string AsUri(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < 0x20) {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    } else {
      uri += c;
    }
  }
  // Nobody writes to an export, and a journal beside it is not ours to replay.
  return uri + "?mode=ro&immutable=1";
}

}  // namespace

void Query::Close::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}
void Database::Close::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

bool Query::Next() {
  if (statement_ == nullptr) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  failed_ = code != SQLITE_DONE;
  statement_.reset();
  return false;
}

bool Query::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
int64_t Query::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double Query::Real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string_view Query::Text(int column) const {
  const auto* const text = reinterpret_cast<const char*>(
      sqlite3_column_text(statement_.get(), column));
  if (text == nullptr) return {};
  return {text,
          static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Result<Database> Database::Open(const std::string& path,
                                const std::string& shown,
                                const CancelToken* cancel) {
  Database database;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(
      AsUri(path).c_str(), &handle,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  database.database_.reset(handle);
  if (code != SQLITE_OK)
    return Fail(ErrorCode::kIo, shown + ": " + sqlite3_errstr(code));
  if (cancel != nullptr)
    sqlite3_progress_handler(handle, kStepsPerLook, IsCancelled,
                             const_cast<CancelToken*>(cancel));
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  // Or a file that lacks its last page could not be read at all. It cannot be
  // written, whatever this is called.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_SQL_LENGTH, kMaxSqlBytes);
  sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
  return database;
}

std::vector<std::string> Database::Columns(std::string_view table) {
  std::vector<std::string> columns;
  const std::string sql = "PRAGMA table_info(" + Quoted(table) + ")";
  Query query;
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()),
                     &statement, nullptr);
  query.statement_.reset(statement);
  while (query.Next()) columns.emplace_back(query.Text(1));
  return columns;
}

Query Database::Select(std::string_view table,
                       const std::vector<std::string_view>& columns) {
  Query query;
  const std::vector<std::string> there = Columns(table);
  if (there.empty()) return query;
  std::string sql = "SELECT ";
  for (const std::string_view column : columns) {
    const bool has =
        std::find(there.begin(), there.end(), column) != there.end();
    sql += has ? Quoted(column) : "NULL";
    sql += ',';
  }
  sql += "rowid FROM " + Quoted(table);
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(database_.get(), sql.c_str(),
                         static_cast<int>(sql.size()), &statement, nullptr);
  query.statement_.reset(statement);
  query.failed_ = code != SQLITE_OK;
  return query;
}

}  // namespace stepscope::nsys
