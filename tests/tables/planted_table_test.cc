// SPDX-License-Identifier: Apache-2.0
//
// A table that is one file and one line is everywhere: this program has a table
// more than the product, and nothing else of it was changed.
#include <gtest/gtest.h>

#include <string>

#include "analysis/tables/all_tables.h"
#include "report/html/html_report.h"
#include "report/summary.h"
#include "report/table_arrow.h"
#include "report/table_docs.h"
#include "trace/trace_from_text_test_support.h"
#ifdef STEPSCOPE_TEST_QUERY
#include "query/duckdb_test_support.h"
#include "query/summary_tables.h"
#endif
#ifdef STEPSCOPE_TEST_SERVER
#include "server/documents.h"
#endif

namespace stepscope {
namespace {

std::shared_ptr<const Trace> Sample() {
  return TraceFromText(
      "process 1\nthread 1 mainthread\n  0..90 op Operator\n"
      "  100..110 op Operator\nthread 2 workerthread\n  0..7 io Operator\n");
}

std::string Rendered(TableFormat format) {
  TableOptions options;
  options.format = format;
  options.unit = TimeUnit::kNs;
  const std::optional<ViewSet> view = ParseView("planted");
  EXPECT_TRUE(view.has_value());
  options.views = view.value_or(ViewSet());
  return RenderSummary(*Sample(), options);
}

void ExpectAll(const std::string& text,
               std::initializer_list<const char*> all) {
  for (const char* const part : all)
    EXPECT_NE(text.find(part), text.npos) << part << " is not in\n" << text;
}

TEST(PlantedTable, IsPrinted) {
  ExpectAll(Rendered(TableFormat::kText),
            {"Planted", "mainthread", "workerthread", "100"});
  ExpectAll(Rendered(TableFormat::kMarkdown),
            {"Planted", "| mainthread", "| workerthread"});
  ExpectAll(Rendered(TableFormat::kCsv), {"mainthread,2,100"});
  ExpectAll(Rendered(TableFormat::kJson),
            {"\"planted\"", "\"track\":\"mainthread\"", "\"total_ns\":100"});
}

TEST(PlantedTable, IsInTheReport) {
  const Result<std::string> page = RenderHtmlReport(*Sample(), {});
  ASSERT_TRUE(page) << page.error().message;
  ExpectAll(*page, {"#t-planted", "mainthread"});
}

TEST(PlantedTable, IsArrow) {
  const TableSchema* const table = FindTable("planted");
  ASSERT_NE(table, nullptr);
  const auto trace = Sample();
  SummaryOptions options;
  options.views = table->view;
  const Summary summary = ComputeSummary(*trace, options);
  ArrowSchema schema = {};
  ExportArrowSchema(*table, &schema);
  ArrowArray array = {};
  ASSERT_TRUE(ExportArrowArray(*table, summary, &array));
  EXPECT_EQ(schema.n_children, 3);
  EXPECT_STREQ(schema.children[2]->name, "total_ns");
  EXPECT_EQ(array.length, 2);
  array.release(&array);
  schema.release(&schema);
}

TEST(PlantedTable, HasAPage) {
  ExpectAll(ColumnSection(*FindTable("planted")),
            {"total_ns", "time of the events"});
}

#ifdef STEPSCOPE_TEST_QUERY
TEST(PlantedTable, IsInSql) {
  STEPSCOPE_NEED_DUCKDB();
  const std::string sql =
      "SELECT track, total_ns FROM SUMMARY_planted WHERE events > 1";
  auto db = Database::Open();
  ASSERT_TRUE(db);
  EXPECT_FALSE(SummaryTables::In("SELECT 1"));
  ASSERT_TRUE(AddSummaryTables(Sample(), SummaryTables::In(sql), **db));
  auto rows = (*db)->Query(sql);
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_TRUE(rows->NextChunk());
  ASSERT_EQ(rows->rows(), 1u);
  EXPECT_EQ(rows->Text(0, 0), "mainthread");
  EXPECT_EQ(rows->Int64(1, 0), 100);
}

TEST(PlantedTable, AllOthersAreInSqlToo) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open();
  ASSERT_TRUE(db);
  ASSERT_TRUE(AddSummaryTables(Sample(), SummaryTables::All(), **db));
  for (const char* const sql :
       {"SELECT name, calls, cpu_total_ns FROM summary_operator",
        "SELECT parent, name FROM summary_operator_inner",
        "SELECT type, time_ns FROM summary_overview_cpu"}) {
    const auto rows = (*db)->Query(sql);
    EXPECT_TRUE(rows) << sql << ": " << rows.error().message;
  }
}
#endif

#ifdef STEPSCOPE_TEST_SERVER
TEST(PlantedTable, IsDeclaredToTheViewer) {
  ExpectAll(server::TablesJson(), {"\"key\":\"planted\"", "total_ns"});
}
#endif

}  // namespace
}  // namespace stepscope
