// SPDX-License-Identifier: Apache-2.0
#include "query/database.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "query/duckdb_test_support.h"
#include "query/table_columns.h"

namespace stepscope {
namespace {

struct Number {
  uint64_t i;
  std::string_view text;
  bool fails;
};

class Numbers {
 public:
  Numbers(uint64_t size, bool fails) : size_(size), fails_(fails) {}

  size_t size() const { return size_; }
  Number operator[](uint64_t i) const { return {i, kTexts[i % 5], fails_}; }

 private:
  static constexpr const char* kTexts[] = {"", "short", "exactly12chr",
                                           "longer than twelve bytes",
                                           "zwölf und mehr, ü"};
  uint64_t size_;
  bool fails_;
};

const TableColumns<Numbers>& Columns() {
  static const auto* const columns = [] {
    auto* const made = new TableColumns<Numbers>;
    made->Bigint("i", "", &Number::i);
    made->Int("third", "", [](const Number& n) {
      return n.i % 3 == 0 ? std::optional<int64_t>()
                          : std::optional<int64_t>(1);
    });
    made->Double("half", "",
                 [](const Number& n) { return static_cast<double>(n.i) / 2; });
    made->Boolean("even", "", [](const Number& n) { return n.i % 2 == 0; });
    made->Text("text", "",
               [](const Number& n) { return duckdb::Text(n.text); });
    made->Text("copy", "", [](const Number& n) {
      if (n.fails) throw std::runtime_error("planted");
      return std::string(n.text) + "!";
    });
    return made;
  }();
  return *columns;
}

std::shared_ptr<const TableSource> NumbersSource(uint64_t rows,
                                                 bool fails = false) {
  return std::make_shared<RowsSource<Numbers>>(
      Columns(), std::make_shared<const Numbers>(rows, fails));
}

int64_t One(Database& db, const std::string& sql) {
  Result<QueryResult> result = db.Query(sql);
  if (!result) {
    ADD_FAILURE() << result.error().message;
    return -1;
  }
  EXPECT_TRUE(result->NextChunk());
  return result->Int64(0, 0);
}

TEST(Database, ReadsOurRows) {
  STEPSCOPE_NEED_DUCKDB();
  constexpr uint64_t kRows = 100'003;
  for (const bool parallel : {false, true}) {
    auto db = Database::Open({{"threads", "4"}});
    ASSERT_TRUE(db) << db.error().message;
    ASSERT_TRUE((*db)->AddTable("t", NumbersSource(kRows), parallel));
    EXPECT_EQ(One(**db, "SELECT count(*) FROM t"), kRows);
    EXPECT_EQ(One(**db, "SELECT CAST(sum(i) AS BIGINT) FROM t"),
              kRows * (kRows - 1) / 2);
    EXPECT_EQ(One(**db, "SELECT count(*) - count(third) FROM t"),
              (kRows + 2) / 3);
    EXPECT_EQ(One(**db, "SELECT count(*) FROM t WHERE even"), (kRows + 1) / 2);
    EXPECT_EQ(One(**db, "SELECT count(*) FROM t WHERE copy = text || '!'"),
              kRows);
    EXPECT_EQ(One(**db, "SELECT count(*) FROM t WHERE half * 2 = i"), kRows);
    EXPECT_EQ(One(**db, "SELECT count(DISTINCT text) FROM t"), 5);
  }
}

TEST(Database, RowsAreInOrderUnlessParallel) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open({{"threads", "4"}});
  ASSERT_TRUE(db);
  ASSERT_TRUE((*db)->AddTable("t", NumbersSource(50'000), false));
  Result<QueryResult> result = (*db)->Query("SELECT i, text FROM t");
  ASSERT_TRUE(result);
  int64_t expected = 0;
  while (result->NextChunk())
    for (size_t row = 0; row < result->rows(); ++row)
      ASSERT_EQ(result->Int64(0, row), expected++);
  EXPECT_EQ(expected, 50'000);
}

TEST(Database, LaterTableOfTheSameNameCounts) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open();
  ASSERT_TRUE(db);
  ASSERT_TRUE((*db)->AddTable("t", NumbersSource(5)));
  ASSERT_TRUE((*db)->AddTable("t", NumbersSource(7)));
  EXPECT_EQ(One(**db, "SELECT count(*) FROM t"), 7);
}

TEST(Database, EmptyTable) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open();
  ASSERT_TRUE(db);
  ASSERT_TRUE((*db)->AddTable("t", NumbersSource(0)));
  Result<QueryResult> result = (*db)->Query("SELECT * FROM t");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->columns(), 6u);
  EXPECT_FALSE(result->NextChunk());
}

TEST(Database, FailuresAreOneLine) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open();
  ASSERT_TRUE(db);
  const Status wrong = (*db)->Run("SELEKT 1");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("Parser Error"), std::string::npos);
  EXPECT_EQ(wrong.error().message.find('\n'), std::string::npos);
  ASSERT_TRUE((*db)->AddTable("t", NumbersSource(10, true)));
  const Status planted = (*db)->Run("SELECT copy FROM t");
  ASSERT_FALSE(planted);
  EXPECT_NE(planted.error().message.find("planted"), std::string::npos);
  EXPECT_TRUE((*db)->Run("SELECT i FROM t"));  // who does not fail works on
  EXPECT_FALSE(Database::Open({{"no_such_setting", "1"}}));
}

TEST(Database, NeverLoadsExtensions) {
  STEPSCOPE_NEED_DUCKDB();
  auto db = Database::Open();
  ASSERT_TRUE(db);
  EXPECT_EQ(One(**db,
                "SELECT current_setting('autoinstall_known_extensions')"
                "::INT + current_setting('autoload_known_extensions')"
                "::INT"),
            0);
}

TEST(SqlText, QuotesAreDoubled) {
  EXPECT_EQ(SqlText("it's"), "'it''s'");
  EXPECT_EQ(SqlName("a\"b"), "\"a\"\"b\"");
}

TEST(DuckdbText, HoldsShortAndPointsAtLong) {
  for (const std::string text :
       {"", "a", "exactly12chr", "thirteen chars", "a much longer text"}) {
    EXPECT_EQ(duckdb::Text(text).view(), text);
  }
}

}  // namespace
}  // namespace stepscope
