// SPDX-License-Identifier: Apache-2.0
//
// SQL over a trace in memory: the tables and views of a dataset, no file of
// any kind, and the rows of `summary`.
#include <gtest/gtest.h>

#include <bit>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/random_trace.h"
#include "analysis/summary.h"
#include "analysis/tables/all_tables.h"
#include "query/dataset_schema.h"
#include "query/duckdb_test_support.h"
#include "query/named_query.h"
#include "query/query_session.h"
#include "query/result_text.h"
#include "query/summary_tables.h"
#include "report/render_csv.h"
#include "report/table_json.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::unique_ptr<QuerySession> SessionOf(std::shared_ptr<const Trace> trace) {
  QueryLimits limits;
  limits.memory = "500MB";
  limits.threads = 1;
  auto session = QuerySession::OpenTrace(std::move(trace), limits);
  EXPECT_TRUE(session) << session.error().message;
  return session ? *std::move(session) : nullptr;
}

std::string CountOf(QuerySession& session, const std::string& table) {
  Result<QueryResult> rows = session.Query("SELECT count(*) FROM " + table);
  if (!rows) return rows.error().message;
  rows->NextChunk();
  return CellText(*rows, 0, 0);
}

TEST(TraceSession, HasTheTablesOfADatasetWithJobAndRank) {
  STEPSCOPE_NEED_DUCKDB();
  const std::shared_ptr<const Trace> trace = RandomTrace(3).Make();
  const auto session = SessionOf(trace);
  EXPECT_EQ(CountOf(*session, "events"), std::to_string(trace->size()));
  for (const TableSpec& table : DatasetTables()) {
    Result<QueryResult> rows = session->Query(
        "SELECT job, rank FROM " + std::string(table.name) + " LIMIT 1");
    ASSERT_TRUE(rows) << table.name << ": " << rows.error().message;
  }
  EXPECT_EQ(CountOf(*session, "ranks"),
            std::to_string(trace->processes().size()));
}

TEST(TraceSession, AnswersEveryNamedQuery) {
  STEPSCOPE_NEED_DUCKDB();
  const auto session = SessionOf(RandomTrace(5).Make());
  for (const NamedQuery& query : NamedQueries()) {
    const auto rows = session->Query(*FillParameters(query, {}));
    EXPECT_TRUE(rows) << query.name << ": " << rows.error().message;
  }
}

TEST(TraceSession, ReadsNoFileAndChangesNothing) {
  STEPSCOPE_NEED_DUCKDB();
  const std::string secret = testing::TempDir() + "/secret.csv";
  std::ofstream(secret) << "a\n1\n";
  const auto session = SessionOf(RandomTrace(3).Make());
  const std::string hostile[] = {
      "SELECT * FROM read_csv('" + secret + "')",
      "SELECT * FROM '" + secret + "'",
      "SELECT * FROM read_text('/etc/passwd')",
      "SELECT * FROM glob('/*')",
      "SELECT * FROM read_parquet('http://127.0.0.1/x')",
      "COPY events TO '" + secret + "2'",
      "COPY (SELECT 1) TO '/tmp/x.csv'",
      "ATTACH '" + secret + ".db' AS other",
      "INSTALL httpfs",
      "LOAD httpfs",
      "SET enable_external_access = true",
      "SET lock_configuration = false",
      "RESET enable_external_access",
      "PRAGMA enable_external_access = true",
      "SET memory_limit = '100GB'",
      "CREATE TABLE t (a INT)",
      "DROP VIEW events",
      "DELETE FROM events",
      "INSERT INTO ranks VALUES (1)",
      "EXPORT DATABASE '/tmp/x'",
      "CALL pragma_version()",
      "SELECT 1; SELECT * FROM glob('/*')",
      "SELECT getenv('HOME')",
      std::string("SELECT 1\0", 9),
      ""};
  for (const std::string& sql : hostile) {
    const auto rows = session->Query(sql);
    EXPECT_FALSE(rows) << sql;
  }
  EXPECT_FALSE(std::ifstream(secret + "2").good());
  std::remove(secret.c_str());
}

// A row as the cells of the table's declaration.
std::string RowText(const std::vector<TableColumn>& columns, const void* row) {
  std::string text;
  for (const TableColumn& column : columns) {
    if (column.type == CellType::kRows) continue;
    const Cell cell = column.cell(row);
    JsonWriter json;
    if (IsNull(cell)) {
      json.Null();
    } else if (const auto* words = std::get_if<std::string_view>(&cell)) {
      json.String(*words);
    } else if (column.type == CellType::kList) {
      JsonWriter list;
      WriteCell(list, column, cell);
      json.String(list.Take());
    } else {
      WriteCell(json, column, cell);
    }
    text += json.Take() + "|";
  }
  return text;
}

using Rows = std::vector<std::string>;

Rows TextsOf(const std::vector<TableColumn>& columns, const RowList& rows) {
  Rows texts;
  for (size_t i = 0; i < rows.size(); ++i)
    texts.push_back(RowText(columns, rows[i]));
  return texts;
}

Rows RowsOf(QuerySession& session, const std::string& sql) {
  Result<QueryResult> asked = session.Query(sql);
  if (!asked) return {asked.error().message};
  Rows texts;
  while (asked->NextChunk())
    for (size_t row = 0; row < asked->rows(); ++row) {
      std::string& text = texts.emplace_back();
      for (size_t i = 0; i < asked->columns(); ++i) {
        AppendCellJson(text, *asked, i, row);
        text += '|';
      }
    }
  return texts;
}

// The rows of a table, and of those inside its rows, are what SQL gives.
void ExpectSameRows(QuerySession& session, const std::string& name,
                    const std::vector<TableColumn>& columns,
                    const RowList& rows) {
  bool any = false;
  for (const TableColumn& column : columns) {
    any = any || column.type != CellType::kRows;
    if (column.type != CellType::kRows) continue;
    Rows inside;
    for (size_t i = 0; i < rows.size(); ++i)
      if (const Cell cell = column.cell(rows[i]); !IsNull(cell))
        for (std::string& text :
             TextsOf(column.columns, std::get<RowList>(cell)))
          inside.push_back(std::move(text));
    EXPECT_EQ(RowsOf(session, "SELECT * EXCLUDE (parent) FROM " + name + "_" +
                                  FlatName(column.name)),
              inside)
        << name << " " << column.name;
  }
  if (any) {
    EXPECT_EQ(RowsOf(session, "SELECT * FROM " + name), TextsOf(columns, rows))
        << name;
  }
}

// Those of memory are of a place, as rows inside the table of places are.
void ExpectSameMemoryRows(QuerySession& session, const ViewInput& input,
                          const MemoryPlace& place) {
  std::string parent(place.place);
  if (!place.process_name.empty()) parent += ", " + place.process_name;
  for (const auto& [key, column] : {std::pair("memory_owners", "rows"),
                                    std::pair("memory_live", "live_at_peak")}) {
    const ViewTable& table = *FindViewTable(key);
    ViewInput of_place = input;
    of_place.query.place = place.place;
    of_place.query.process = place.process_name;
    EXPECT_EQ(RowsOf(session, "SELECT * EXCLUDE (parent) FROM summary_memory_" +
                                  std::string(column) +
                                  " WHERE parent = " + SqlText(parent)),
              TextsOf(table.columns, table.rows(of_place).rows))
        << key << " " << parent;
  }
}

// Two places, of which one is full twice.
constexpr char kMemory[] = R"(
  thread 1 main
    0..100 step ProfileStep
      10..40 conv Operator
      50..90 loss Operator
    memory 12 +1024 Place(gpu:0) 0x10
    memory 15 +4096 Place(cpu) 0x77
    memory 30 -1024 Place(gpu:0) 0x10
    memory 55 +2048 Place(gpu:0) 0x20
    memory 70 +512 Place(gpu:0) 0x30
    memory 95 -2048 Place(gpu:0) 0x20
)";

// "An equivalent query": the rows of each table as SQL gives them.
TEST(TraceSession, TheQueryBesideATableGivesItsRows) {
  STEPSCOPE_NEED_DUCKDB();
  std::vector<std::shared_ptr<const Trace>> traces = {
      TraceFromText(kMemory), RandomTrace(1).Make(), RandomTrace(4).Make(),
      RandomTrace(9).Make()};
  for (const std::shared_ptr<const Trace>& trace : traces) {
    const auto session = SessionOf(trace);
    ASSERT_TRUE(
        AddSummaryTables(trace, SummaryTables::All(), session->database()));
    SummaryOptions options;
    options.views = ViewSet::All();
    options.flops = true;
    const Summary summary = ComputeSummary(*trace, options);
    for (const TableSchema& table : AllTables())
      ExpectSameRows(*session, "summary_" + std::string(table.key),
                     table.columns, table.rows(summary));
    const EventTree tree(*trace);
    const StepTable steps(tree);
    const ViewInput input{tree, steps, {}};
    for (const ViewTable& table : ViewTables())
      if (IsAskedByItself(table))
        ExpectSameRows(*session, "view_" + std::string(table.key),
                       table.columns, table.rows(input).rows);
    for (const MemoryPlace& place : summary.memory)
      ExpectSameMemoryRows(*session, input, place);
  }
}

TEST(TraceSession, OnlyTheTablesThatSqlNamesAreMade) {
  const SummaryTables named =
      SummaryTables::In("SELECT 1 FROM Summary_Kernel, VIEW_operator_shapes");
  EXPECT_TRUE(named);
  EXPECT_EQ(named.summary, kKernelView);
  EXPECT_EQ(
      ViewTables()[static_cast<size_t>(std::countr_zero(named.viewer))].key,
      "operator_shapes");
  EXPECT_FALSE(SummaryTables::In("SELECT * FROM kernels"));
  EXPECT_FALSE(named.Without(SummaryTables::All()));
}

}  // namespace
}  // namespace stepscope
