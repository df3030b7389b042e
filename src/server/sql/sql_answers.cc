// SPDX-License-Identifier: Apache-2.0
#include "server/sql/sql_answers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "analysis/tables/all_tables.h"
#include "base/json_text.h"
#include "base/json_writer.h"
#include "query/dataset.h"
#include "query/dataset_schema.h"
#include "query/duckdb_library.h"
#include "query/named_query.h"
#include "query/query_session.h"
#include "query/result_text.h"
#include "query/summary_tables.h"
#include "report/render_csv.h"

namespace stepscope::server {
namespace {

constexpr size_t kLongestSql = 12 << 10;
constexpr auto kTurn = std::chrono::seconds(2);
constexpr auto kAgain = std::chrono::milliseconds(50);
// Beyond it, a number of JavaScript is another one.
constexpr int64_t kMostWhole = int64_t{1} << 53;

const char* TypeName(duckdb::TypeId type) {
  switch (type) {
    case duckdb::TypeId::kVarchar:
      return "text";
    case duckdb::TypeId::kBoolean:
      return "bool";
    case duckdb::TypeId::kDouble:
    case duckdb::TypeId::kFloat:
      return "number";
    default:
      return "count";
  }
}

// Whole numbers that a page cannot hold are text, so that none is changed.
void AppendCell(std::string& out, const QueryResult& rows, size_t column,
                size_t row) {
  std::string cell;
  AppendCellJson(cell, rows, column, row);
  const bool whole = std::string_view(TypeName(rows.type(column))) == "count" &&
                     cell != "null";
  if (whole &&
      (cell.size() > 16 || std::llabs(std::atoll(cell.c_str())) > kMostWhole))
    AppendJsonString(out, cell);
  else
    out += cell;
}

void WriteColumns(JsonWriter& json, const std::vector<ColumnSpec>& columns) {
  json.Key("columns").BeginArray();
  for (const ColumnSpec& column : columns) {
    json.BeginObject().Field("name", column.name);
    json.Field("type", SqlTypeName(column.type));
    json.Field("meaning", column.meaning).EndObject();
  }
  json.EndArray();
}

void WriteColumn(JsonWriter& json, std::string_view name,
                 std::string_view meaning) {
  json.BeginObject().Field("name", name).Field("type", "");
  json.Field("meaning", meaning).EndObject();
}

// The table, and those of the rows inside its rows.
void WriteDeclared(JsonWriter& json, const std::string& name,
                   std::string_view meaning,
                   const std::vector<TableColumn>& columns, bool inner) {
  const auto is_rows = [](const TableColumn& column) {
    return column.type == CellType::kRows;
  };
  if (!std::all_of(columns.begin(), columns.end(), is_rows)) {
    json.BeginObject().Field("name", name).Field("meaning", meaning);
    json.Key("columns").BeginArray();
    if (inner) WriteColumn(json, "parent", "first column of the row around it");
    for (const TableColumn& column : columns)
      if (!is_rows(column))
        WriteColumn(json, FlatName(column.name), column.meaning);
    json.EndArray().EndObject();
  }
  for (const TableColumn& column : columns)
    if (is_rows(column))
      WriteDeclared(json, name + "_" + FlatName(column.name), column.meaning,
                    column.columns, true);
}

}  // namespace

// One query at a time has the session; others wait for a moment.
class SqlAnswers::Turn {
 public:
  Turn(SqlAnswers& answers, const std::string& id) : answers_(answers) {
    std::unique_lock lock(answers_.mutex_);
    taken_ =
        answers_.news_.wait_for(lock, kTurn, [&] { return !answers_.taken_; });
    if (!taken_) return;
    answers_.taken_ = true;
    answers_.running_ = id;
    answers_.stop_ = answers_.closing_;
  }
  ~Turn() {
    if (!taken_) return;
    {
      const std::lock_guard lock(answers_.mutex_);
      answers_.taken_ = false;
      answers_.running_.clear();
      answers_.used_ = std::chrono::steady_clock::now();
    }
    answers_.news_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  bool taken() const { return taken_; }

 private:
  SqlAnswers& answers_;
  bool taken_ = false;
};

// Ends a query that takes too long, or is to be stopped. DuckDB forgets a word
// that comes between two statements: it is told until the query has ended.
class SqlAnswers::Watch {
 public:
  Watch(SqlAnswers& answers, QuerySession& session)
      : answers_(answers), thread_([this, &session] { Run(session); }) {}
  ~Watch() {
    {
      const std::lock_guard lock(answers_.mutex_);
      over_ = true;
    }
    answers_.news_.notify_all();
    thread_.join();
  }
  bool late() const { return late_; }

 private:
  void Run(QuerySession& session) {
    const auto end = std::chrono::steady_clock::now() + answers_.limits_.time;
    std::unique_lock lock(answers_.mutex_);
    while (!over_) {
      const bool in_time = answers_.news_.wait_until(
          lock, end, [&] { return over_ || answers_.stop_; });
      if (over_) return;
      late_ = !in_time;
      answers_.stop_ = true;
      session.Interrupt();
      answers_.news_.wait_for(lock, kAgain, [&] { return over_; });
    }
  }

  SqlAnswers& answers_;
  bool over_ = false;
  bool late_ = false;
  std::thread thread_;
};

SqlAnswers::SqlAnswers(SqlLimits limits) : limits_(std::move(limits)) {}

SqlAnswers::~SqlAnswers() {
  StopAll();
  if (keeper_.joinable()) keeper_.join();
}

void SqlAnswers::CloseWhenIdle() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto end = used_ + limits_.idle;
    if (taken_ || session_ == nullptr) {
      news_.wait(lock);
    } else if (std::chrono::steady_clock::now() < end) {
      news_.wait_until(lock, end);
    } else {
      taken_ = true;  // to close it takes a while
      lock.unlock();
      session_ = nullptr;
      lock.lock();
      taken_ = false;
      news_.notify_all();
    }
  }
}

Result<QuerySession*> SqlAnswers::SessionFor(const SqlSubject& subject,
                                             const std::string& sql) {
  const OpenTrace* const open = subject.open;
  std::string of = open != nullptr ? std::to_string(open->serial())
                                   : StateOfDataset(subject.dataset);
  if (session_ == nullptr || of_ != of) {
    session_ = nullptr;
    QueryLimits limits;
    limits.memory = limits_.memory;
    limits.threads = limits_.threads;
    STEPSCOPE_TRY_ASSIGN(session_,
                         open != nullptr
                             ? QuerySession::OpenTrace(open->shared(), limits)
                             : QuerySession::Open(subject.dataset, limits));
    of_ = std::move(of);
    summaries_ = {};
    if (!keeper_.joinable()) keeper_ = std::thread([this] { CloseWhenIdle(); });
    const std::lock_guard lock(mutex_);
    ++opened_;
  }
  if (open == nullptr) return session_.get();
  if (const auto more = SummaryTables::In(sql).Without(summaries_); more) {
    STEPSCOPE_TRY(AddSummaryTables(open->shared(), more, session_->database(),
                                   limits_.peaks));
    summaries_.Add(more);
  }
  return session_.get();
}

Result<std::string> SqlAnswers::Rows(QuerySession& session,
                                     const std::string& sql) const {
  STEPSCOPE_TRY_ASSIGN(QueryResult rows, session.Query(sql));
  std::string out = "{\"columns\":[";
  for (size_t i = 0; i < rows.columns(); ++i) {
    out += i > 0 ? ",{\"name\":" : "{\"name\":";
    AppendJsonString(out, rows.name(i));
    out += std::string(",\"type\":\"") + TypeName(rows.type(i)) + "\"}";
  }
  out += "],\"rows\":[";
  size_t count = 0;
  bool more = false;
  while (!more && rows.NextChunk()) {
    for (size_t row = 0; row < rows.rows() && !more; ++row) {
      more = count == limits_.rows || out.size() > limits_.bytes;
      if (more) break;
      out += count++ > 0 ? ",[" : "[";
      for (size_t i = 0; i < rows.columns(); ++i) {
        if (i > 0) out += ',';
        AppendCell(out, rows, i, row);
      }
      out += ']';
    }
  }
  return out + "],\"more\":" + (more ? "true" : "false") + "}";
}

Result<std::string> SqlAnswers::Ask(const SqlSubject& subject,
                                    const std::string& sql,
                                    const std::string& id) {
  if (sql.empty() || sql.size() > kLongestSql)
    return Fail(ErrorCode::kInvalidArgument,
                sql.empty() ? "expected a SELECT, found nothing"
                            : "the SQL is too long");
  const Turn turn(*this, id);
  if (!turn.taken())
    return Fail(ErrorCode::kUnsupported,
                "another query runs; wait for its end, or stop it");
  bool late = false;
  Result<std::string> text = Fail(ErrorCode::kCancelled, "");
  Result<QuerySession*> session = SessionFor(subject, sql);
  if (session) {
    Watch watch(*this, **session);
    text = Rows(**session, sql);
    const std::lock_guard lock(mutex_);
    late = watch.late();
  } else {
    text = session.error();
  }
  const std::lock_guard lock(mutex_);
  if (stop_)
    return Fail(ErrorCode::kCancelled,
                late ? "the query took more than " +
                           std::to_string(limits_.time.count() / 1000) +
                           " s and was stopped"
                     : "the query was stopped");
  return text;
}

bool SqlAnswers::Stop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (id.empty() || running_ != id) return false;
  stop_ = true;
  news_.notify_all();
  return true;
}

void SqlAnswers::StopAll() {
  const std::lock_guard lock(mutex_);
  closing_ = stop_ = true;
  news_.notify_all();
}

bool SqlAnswers::is_open() {
  const std::lock_guard lock(mutex_);
  return taken_ || session_ != nullptr;
}

uint64_t SqlAnswers::opened() {
  const std::lock_guard lock(mutex_);
  return opened_;
}

std::string SqlSchema(bool of_dataset) {
  const auto library = duckdb::LoadLibrary();
  JsonWriter json;
  json.BeginObject().Field("available", library.has_value());
  json.Field("why", library ? "" : library.error().message);
  json.Key("tables").BeginArray();
  for (const TableSpec& table : DatasetTables()) {
    json.BeginObject().Field("name", table.name);
    json.Field("meaning", table.meaning);
    WriteColumns(json, table.columns);
    json.EndObject();
  }
  if (!of_dataset) {
    for (const TableSchema& table : AllTables())
      WriteDeclared(json, "summary_" + std::string(table.key), table.meaning,
                    table.columns, false);
    for (const ViewTable& table : ViewTables())
      if (IsAskedByItself(table))
        WriteDeclared(json, "view_" + std::string(table.key), table.meaning,
                      table.columns, false);
  }
  json.EndArray().Key("queries").BeginArray();
  for (const NamedQuery& query : NamedQueries()) {
    const Result<std::string> sql = FillParameters(query, {});
    json.BeginObject().Field("name", query.name);
    json.Field("meaning", query.meaning);
    json.Field("sql", sql ? *sql : query.sql).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
