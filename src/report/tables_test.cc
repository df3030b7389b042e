// SPDX-License-Identifier: Apache-2.0
//
// All tables in all formats, and their pages. STEPSCOPE_UPDATE_DOCS=1 rewrites
// the pages' lists of columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/tables/all_tables.h"
#include "base/file.h"
#include "base/visible_text.h"
#include "report/render_text.h"
#include "report/summary.h"
#include "report/table_arrow.h"
#include "report/table_check_test_support.h"
#include "report/table_docs.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

const std::string kPages = STEPSCOPE_TABLE_PAGES;

class TablesTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<std::string> text = ReadFile(STEPSCOPE_GOLDEN_TRACE);
    ASSERT_TRUE(text.has_value()) << text.error().message;
    trace_ = TraceFromText(*text);
    SummaryOptions options;
    options.views = kAllViews;
    summary_ = ComputeSummary(*trace_, options);
  }

  std::shared_ptr<const Trace> trace_;
  Summary summary_;
};

TEST_F(TablesTest, AreWholeInEveryFormatAndHaveTheirPage) {
  if (std::getenv("STEPSCOPE_UPDATE_DOCS") != nullptr) {
    for (const TableSchema& table : AllTables()) {
      const std::string path = kPages + "/" + std::string(table.key) + ".md";
      const Result<std::string> page = ReadFile(path);
      ASSERT_TRUE(page.has_value()) << page.error().message;
      ASSERT_TRUE(
          ReplaceFile(path, WithColumnSection(*page, table)).has_value());
    }
  }
  EXPECT_EQ(TableProblems(AllTables(), summary_, kPages),
            std::vector<std::string>());
}

struct Planted {
  int64_t value = 1;
};

TableSchema Whole() {
  ColumnsOf<Planted> columns;
  columns.Time("time_ns", "a time", &Planted::value);
  TableSchema table;
  table.key = "device";  // has a page, though not of these columns
  table.title = "Planted";
  table.meaning = "does the check see it?";
  table.view = ViewSet::One(200);
  table.columns = columns.Take();
  table.rows = [](const Summary&) {
    return RowList::Own(std::vector<Planted>(1));
  };
  return table;
}

TEST_F(TablesTest, APlantedDefectIsFound) {
  const auto says = [&](const TableSchema& table, const char* what) {
    const std::vector<TableSchema> tables = {table};
    std::string all;
    for (const std::string& problem : TableProblems(tables, summary_, kPages)) {
      all += problem + "\n";
    }
    EXPECT_NE(all.find(what), all.npos) << what << " in: " << all;
  };
  TableSchema table = Whole();
  says(table, "has other columns");
  table.key = "planted";
  says(table, "no page");
  table.meaning = {};
  says(table, "no meaning");
  table = Whole();
  table.columns[0].meaning.clear();
  says(table, "column \"time_ns\": no meaning");
  table = Whole();
  table.columns[0].name = "start_ns";
  says(table, "column \"start_ns\": says when, but is not declared so");
  table = Whole();
  table.columns[0].cell = nullptr;  // neither CSV nor Arrow could have it
  says(table, "no way to a cell");
  table = Whole();
  table.columns[0].type = CellType::kText;
  says(table, "a cell of another type");
  table = Whole();
  table.rows = nullptr;
  says(table, "no rows");
  table = Whole();
  table.view = kDeviceView | kKernelView;
  says(table, "not one bit");
}

TEST_F(TablesTest, ArrowOwnsItsData) {
  for (const TableSchema& table : AllTables()) {
    ArrowArrayStream stream;
    auto made = MakeArrowTable(table, summary_);
    ASSERT_TRUE(made) << made.error().message;
    ShareStream(*std::move(made), &stream);
    const size_t rows = table.rows(summary_).size();
    ArrowArray array;
    ASSERT_EQ(stream.get_next(&stream, &array), 0);
    ArrowArray end;
    ASSERT_EQ(stream.get_next(&stream, &end), 0);
    EXPECT_EQ(end.release, nullptr);
    stream.release(&stream);
    EXPECT_EQ(array.length, static_cast<int64_t>(rows)) << table.key;
    // A consumer may keep one column and let go of the rest.
    ArrowArray column = *array.children[0];
    array.children[0]->release = nullptr;
    array.release(&array);
    EXPECT_EQ(array.release, nullptr);
    EXPECT_EQ(column.length, static_cast<int64_t>(rows)) << table.key;
    column.release(&column);
  }
}

TEST_F(TablesTest, SortKeysAreColumnsOfTheOperators) {
  const TableSchema& table = *FindTable("operator");
  for (const SortKeyName& key : SortKeyNames()) {
    bool found = false;
    for (const TableColumn& column : table.columns) {
      found |= column.name == key.column;
    }
    EXPECT_TRUE(found) << key.column;
    EXPECT_EQ(ParseSortKey(key.name), key.key);
    EXPECT_EQ(ParseSortKey(key.column), key.key);
  }
}

TEST_F(TablesTest, TopLeavesOutRowsAndSaysSo) {
  TableOptions options;
  options.views = kKernelView;
  options.style.top = 2;
  for (const TableFormat format :
       {TableFormat::kText, TableFormat::kJson, TableFormat::kMarkdown}) {
    options.format = format;
    const std::string text = RenderSummary(summary_, options);
    EXPECT_NE(text.find("3 more rows; --top 0 shows all."), text.npos) << text;
    EXPECT_EQ(text.find("sgd_kernel"), text.npos) << text;
  }
}

// With what is behind the last column: a blank that is too far is a line.
size_t LongestLine(const std::string& text) {
  size_t longest = 0;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    longest = std::max(longest, DisplayWidth(line));
  return longest;
}

TEST_F(TablesTest, NoLineIsWiderThanTheTerminal) {
  TableOptions options;
  for (const TableSchema& table : AllTables()) {
    if (table.view == kAdviceView) continue;  // no table, but sentences
    options.views = table.view;
    options.style.width = 0;
    options.layout = TextLayout::kPaddle;
    const std::string whole = RenderText(summary_, options);
    options.layout = TextLayout::kTables;
    EXPECT_EQ(RenderText(summary_, options), whole) << table.key;
    for (const size_t width : {size_t{80}, size_t{100}, size_t{160}}) {
      options.style.width = width;
      const std::string text = RenderText(summary_, options);
      EXPECT_LE(LongestLine(text), width) << table.key << "\n" << text;
    }
  }
  options.views = kOperatorView;
  options.style.width = 100;
  const std::string parts = RenderText(summary_, options);
  EXPECT_NE(parts.find("Operator Summary (continued)"), parts.npos) << parts;
  options.layout = TextLayout::kPaddle;
  EXPECT_GT(LongestLine(RenderText(summary_, options)), 100u);
}

TEST_F(TablesTest, PeopleReadMomentsFromTheStartOfTheTrace) {
  const auto trace = TraceFromText(R"(
    5000000..5000100 before Operator
    5100000..5200000 ProfileStep#0 ProfileStep
    5200000..5300000 ProfileStep#1 ProfileStep)");
  TableOptions options;
  options.views = kStepsView;
  options.unit = TimeUnit::kUs;
  // Whichever steps are chosen.
  for (const std::optional<StepChoice> steps :
       {std::optional<StepChoice>(),
        std::optional(StepChoice{StepChoice::Kind::kRange, 1, 2})}) {
    options.steps = steps;
    for (const TableFormat format :
         {TableFormat::kText, TableFormat::kMarkdown}) {
      options.format = format;
      const std::string text = *RenderSummaryOfSteps(*trace, options);
      EXPECT_NE(text.find("Start (us)"), text.npos) << text;
      EXPECT_NE(text.find("200.00"), text.npos) << text;
      EXPECT_EQ(text.find("5200.00"), text.npos) << text;
    }
    for (const TableFormat format : {TableFormat::kJson, TableFormat::kCsv}) {
      options.format = format;
      const std::string text = *RenderSummaryOfSteps(*trace, options);
      EXPECT_NE(text.find("5200000"), text.npos) << text;
    }
  }
}

TEST_F(TablesTest, UnitSuitsTheSmallestTime) {
  const auto trace =
      TraceFromText("0..2000 op Operator\n5000..5040 op Operator");
  TableOptions options;
  options.views = kOperatorView;
  options.unit = TimeUnit::kAuto;
  const std::string text = RenderSummary(*trace, options);
  EXPECT_NE(text.find("Time unit: us"), text.npos) << text;
  EXPECT_NE(text.find("0.04"), text.npos) << text;
}

TEST_F(TablesTest, EveryViewPrintsItselfAsCsv) {
  for (const TableSchema& table : AllTables()) {
    TableOptions options;
    options.views = table.view;
    options.format = TableFormat::kCsv;
    const std::string csv = RenderSummary(*trace_, options);
    for (size_t line = csv.find('\n') + 1; line < csv.size();) {
      EXPECT_EQ(csv.substr(line, table.key.size()), table.key);
      line = std::min(csv.find('\n', line), csv.size() - 1) + 1;
    }
  }
}

}  // namespace
}  // namespace stepscope
