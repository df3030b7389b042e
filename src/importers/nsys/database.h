// SPDX-License-Identifier: Apache-2.0
//
// A SQLite database, opened for reading only and with nothing that could run
// code from it. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stepscope::nsys {

// The rows of a query, one after the other. Refers to the database.
class Query {
 public:
  // False at the end, and where the database is damaged: then failed().
  bool Next();
  bool failed() const { return failed_; }
  bool IsNull(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;
  // Valid until Next().
  std::string_view Text(int column) const;

 private:
  friend class Database;
  struct Close {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  bool failed_ = false;
};

class Database {
 public:
  // `shown`: what messages call it. Queries fail once `cancel`, if there is
  // one, is cancelled.
  static Result<Database> Open(const std::string& path,
                               const std::string& shown,
                               const CancelToken* cancel = nullptr);

  // The columns of a table, in order; empty if there is no such table.
  std::vector<std::string> Columns(std::string_view table);
  bool HasTable(std::string_view table) { return !Columns(table).empty(); }

  // Selects `columns` of a table, and rowid as the last one. A column that
  // this version of the schema has not is NULL. A missing table has no rows.
  Query Select(std::string_view table,
               const std::vector<std::string_view>& columns);

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace stepscope::nsys
