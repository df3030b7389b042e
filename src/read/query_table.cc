// SPDX-License-Identifier: Apache-2.0
#include "read/query_table.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "importers/load_inputs.h"
#include "query/dataset.h"
#include "query/dataset_import.h"
#include "query/named_query.h"
#include "query/query_session.h"
#include "query/scratch_folder.h"
#include "query/summary_tables.h"
#include "read/query_columns.h"

namespace stepscope {
namespace {

// Ends the query of a session when a token says so. DuckDB forgets an
// interrupt that comes between two statements, so it gets one again and again.
class Interrupter {
 public:
  Interrupter(QuerySession& session, const CancelToken* cancel) {
    if (cancel == nullptr) return;
    thread_ = std::thread([this, &session, cancel] {
      std::unique_lock lock(mutex_);
      while (!changed_.wait_for(lock, kLook, [this] { return done_; }))
        if (cancel->cancelled()) session.Interrupt();
    });
  }
  ~Interrupter() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;

 private:
  static constexpr std::chrono::milliseconds kLook{20};

  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

bool IsCancelled(const QueryWatch& watch) {
  return watch.cancel != nullptr && watch.cancel->cancelled();
}

Error QueryCancelled() {
  return Fail(ErrorCode::kCancelled, "the query was cancelled");
}

Result<std::string> ChooseSql(ReadRequest& request) {
  const std::optional<std::string> sql = request.Text("sql");
  const std::optional<std::string> named = request.Text("named");
  const std::vector<std::string> given = request.List("param");
  if (sql.has_value() == named.has_value())
    return Fail(ErrorCode::kInvalidArgument,
                sql ? "give SQL or the name of a query, not both"
                    : "no query; give SQL, or a name: named=\"top_kernels\"");
  if (sql) {
    if (given.empty()) return *sql;
    return Fail(ErrorCode::kInvalidArgument,
                "params go with the name of a query");
  }
  std::map<std::string, std::string> values;
  for (const std::string& text : given) {
    const size_t equals = std::min(text.find('='), text.size());
    values[text.substr(0, equals)] =
        equals < text.size() ? text.substr(equals + 1) : "";
  }
  STEPSCOPE_TRY_ASSIGN(const NamedQuery* const query, FindNamedQuery(*named));
  return FillParameters(*query, values);
}

// What the dataset of traces lacks: an error where a file that was named is
// not in it, else lines to warn with.
Result<std::string> WarningsOfImport(const DatasetImport& done,
                                     const std::string& input) {
  STEPSCOPE_TRY(done.inputs);
  STEPSCOPE_TRY(done.output);
  std::string lines;
  for (const SkippedFile& file : done.skipped) {
    const std::string remedy = InputRemedy(file.error);
    if (file.named || done.nothing_read())
      return Fail(file.error.code,
                  file.error.message + (remedy.empty() ? "" : "; " + remedy));
    lines += file.error.message + "; left out\n";
  }
  if (done.nothing_read())
    return Fail(ErrorCode::kInvalidArgument,
                input +
                    ": no readable trace in it; stepscope info FILE says "
                    "what a file is");
  for (const DatasetChanges::Source& source : done.changes.sources) {
    if (!source.same_window_as.empty())
      lines += source.path + ": same window as " + source.same_window_as +
               ", counted once\n";
  }
  return lines;
}

Result<std::shared_ptr<const ArrowTable>> Ask(
    const std::string& dataset, const std::string& sql,
    const QueryLimits& limits, std::shared_ptr<const Trace> trace,
    const QueryWatch& watch) {
  STEPSCOPE_TRY_ASSIGN(const auto session, QuerySession::Open(dataset, limits));
  if (trace != nullptr)
    STEPSCOPE_TRY(AddSummaryTables(std::move(trace), SummaryTables::In(sql),
                                   session->database()));
  const Interrupter interrupter(*session, watch.cancel);
  if (IsCancelled(watch)) return QueryCancelled();
  Result<QueryResult> rows = session->Query(sql);
  if (IsCancelled(watch)) return QueryCancelled();
  if (!rows) return rows.error();
  return TakeRows(*rows);
}

}  // namespace

Result<QueryAnswer> AnswerQuery(const std::vector<std::string>& paths,
                                ReadRequest& request, const QueryWatch& watch) {
  QueryLimits limits;
  limits.memory = request.Text("memory").value_or("");
  DatasetImportOptions import;
  import.cancel = watch.cancel;
  import.progress = watch.progress;
  import.step_range = request.Text("step_range").value_or("");
  STEPSCOPE_TRY_ASSIGN(const std::string sql, ChooseSql(request));
  STEPSCOPE_TRY(request.Finish());
  const auto dataset = std::find_if(paths.begin(), paths.end(), &IsDataset);
  if (dataset != paths.end() && paths.size() > 1)
    return Fail(ErrorCode::kInvalidArgument,
                *dataset +
                    ": a dataset is asked by itself; stepscope convert "
                    "TRACES -o DATASET --to parquet adds traces to it");
  if (dataset != paths.end() && !import.step_range.empty())
    return Fail(ErrorCode::kInvalidArgument,
                *dataset +
                    ": a dataset has its steps already; give step_range where "
                    "traces are read");
  STEPSCOPE_TRY_ASSIGN(std::string made, MakeScratchFolder());
  const ScratchFolder scratch(std::move(made));
  limits.spill_folder = scratch.folder() + "/spill";
  QueryAnswer answer;
  std::string folder = paths.front();
  std::shared_ptr<const Trace> trace;
  if (dataset == paths.end()) {
    folder = scratch.folder() + "/dataset";
    const DatasetImport done = ImportIntoDataset(paths, folder, import);
    if (IsCancelled(watch)) return QueryCancelled();
    STEPSCOPE_TRY_ASSIGN(answer.warnings,
                         WarningsOfImport(done, paths.front()));
    if (SummaryTables::In(sql)) {
      STEPSCOPE_TRY_ASSIGN(trace, watch.load(paths, import.step_range));
    }
  }
  if (watch.progress) watch.progress(0, 0);
  STEPSCOPE_TRY_ASSIGN(answer.rows,
                       Ask(folder, sql, limits, std::move(trace), watch));
  return answer;
}

}  // namespace stepscope
