// SPDX-License-Identifier: Apache-2.0
//
// SqlAnswers: SQL of a reader over an open trace or over a dataset. It reads
// the tables of that one and nothing else: no other file, no setting, no
// extension. Time, memory and rows are bounded; one query runs at a time, and
// who asked can stop it. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "query/summary_tables.h"
#include "server/files/open_trace.h"

namespace stepscope {
class QuerySession;
}  // namespace stepscope

namespace stepscope::server {

struct SqlLimits {
  std::string memory = "1GB";
  int threads = 2;
  std::chrono::milliseconds time{30'000};
  size_t rows = 10'000;
  size_t bytes = 16 << 20;  // of the answer
  StatedPeaks peaks = {};   // of the tables of summary
  // After that without a query, the session is closed, and with it the trace
  // or the files that it holds.
  std::chrono::milliseconds idle{300'000};
};

// What is asked.
struct SqlSubject {
  const OpenTrace* open = nullptr;
  std::string dataset = {};  // its folder, where no trace is meant
};

class SqlAnswers {
 public:
  explicit SqlAnswers(SqlLimits limits = {});
  ~SqlAnswers();

  // {"columns": [{"name", "type"}], "rows": [[...]], "more"}. `id` is what
  // Stop() is told.
  Result<std::string> Ask(const SqlSubject& subject, const std::string& sql,
                          const std::string& id);
  // False: nothing runs under that name.
  bool Stop(const std::string& id);
  // No query goes on.
  void StopAll();

  // Whether a session is open, and how many were opened so far.
  bool is_open();
  uint64_t opened();

 private:
  class Watch;
  class Turn;

  // The session of a trace has the tables of summary that `sql` names. That of
  // a dataset is kept until another part counts: ranks are added to it while
  // it is asked.
  Result<QuerySession*> SessionFor(const SqlSubject& subject,
                                   const std::string& sql);
  Result<std::string> Rows(QuerySession& session, const std::string& sql) const;

  void CloseWhenIdle();

  const SqlLimits limits_;
  // Of the query whose turn it is.
  std::unique_ptr<QuerySession> session_;
  std::string of_;           // which trace, or which state of a dataset
  SummaryTables summaries_;  // that it has
  std::thread keeper_;       // closes it
  std::mutex mutex_;
  bool taken_ = false;
  std::string running_;
  bool stop_ = false;
  bool closing_ = false;
  uint64_t opened_ = 0;
  std::chrono::steady_clock::time_point used_;
  std::condition_variable news_;
};

// What can be asked: tables with their columns, and the named queries. Of a
// dataset there are none of `summary`.
std::string SqlSchema(bool of_dataset);

}  // namespace stepscope::server
