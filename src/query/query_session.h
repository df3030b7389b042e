// SPDX-License-Identifier: Apache-2.0
//
// QuerySession: SQL of a user over a dataset. It has the tables and the views
// (sql/views), reads the files of the dataset and nothing else, writes
// nothing, and loads no extension: whatever the SQL says.
//
//   STEPSCOPE_TRY_ASSIGN(auto session, QuerySession::Open("dataset", {}));
//   STEPSCOPE_TRY_ASSIGN(QueryResult rows, session->Query("SELECT ..."));
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "query/database.h"
#include "trace/trace.h"

namespace stepscope {

struct QueryLimits {
  std::string memory;        // as "4GB"; empty: most of the machine's
  std::string spill_folder;  // where more than that goes; empty: nowhere
  // The one file that WriteParquet may write; empty: none.
  std::string output;
  int threads = 0;  // 0: as many as the machine has
};

class QuerySession {
 public:
  // kInvalidArgument: a limit makes no sense. kUnsupported: no DuckDB.
  static Result<std::unique_ptr<QuerySession>> Open(const std::string& dataset,
                                                    const QueryLimits& limits);

  // The tables of one trace in memory, as a dataset with it alone has them,
  // without any file: nothing else can be read.
  static Result<std::unique_ptr<QuerySession>> OpenTrace(
      std::shared_ptr<const Trace> trace, const QueryLimits& limits);

  // One statement that reads. kInvalidArgument with DuckDB's message.
  Result<QueryResult> Query(const std::string& sql);
  // The rows of a query as a file, QueryLimits::output.
  Status WriteParquet(const std::string& sql);
  void Interrupt() { db_->Interrupt(); }
  Database& database() { return *db_; }

 private:
  explicit QuerySession(std::unique_ptr<Database> db) : db_(std::move(db)) {}

  // `dataset`: the folder whose files can be read; empty: none.
  Status Lock(const std::string& dataset, const QueryLimits& limits);
  // That `sql` is one statement which only reads.
  Status Check(const std::string& sql);
  // `sql`, or the same with columns of types that we do not print as text.
  Result<std::string> Printable(const std::string& sql);

  std::unique_ptr<Database> db_;
  std::string output_;
};

}  // namespace stepscope
