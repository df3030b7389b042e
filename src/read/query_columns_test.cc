// SPDX-License-Identifier: Apache-2.0
#include "read/query_columns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "query/duckdb_test_support.h"
#include "read/arrow_json.h"
#include "read/column_set.h"

namespace stepscope {
namespace {

class QueryColumnsTest : public testing::Test {
 protected:
  void SetUp() override {
    STEPSCOPE_NEED_DUCKDB();
    Result<std::unique_ptr<Database>> db = Database::Open();
    ASSERT_TRUE(db);
    db_ = *std::move(db);
  }

  std::shared_ptr<const ArrowTable> Ask(const std::string& sql) {
    Result<QueryResult> rows = db_->Query(sql);
    if (!rows) return nullptr;
    Result<std::shared_ptr<const ArrowTable>> table = TakeRows(*rows);
    error_ = table ? "" : table.error().message;
    return table ? *table : nullptr;
  }
  std::string Rows(const std::string& sql) {
    const auto table = Ask(sql);
    return table ? RowsAsJson(*table, 0, 100) : error_;
  }
  std::string Format(const std::string& sql) {
    const auto table = Ask(sql);
    if (!table) return error_;
    ArrowSchema schema = {};
    table->schema(&schema);
    std::string format = schema.children[0]->format;
    schema.release(&schema);
    return format;
  }

  std::unique_ptr<Database> db_;
  std::string error_;
};

TEST_F(QueryColumnsTest, EveryTypeKeepsItsValues) {
  EXPECT_EQ(Rows("SELECT true AS a, -1::TINYINT AS b, -2::SMALLINT AS c, "
                 "-3::INTEGER AS d, -4::BIGINT AS e, 255::UTINYINT AS f, "
                 "65535::USMALLINT AS g, 4294967295::UINTEGER AS h, "
                 "0.5::FLOAT AS i, 0.1::DOUBLE AS j, 'k' AS k"),
            "[{\"a\":true,\"b\":-1,\"c\":-2,\"d\":-3,\"e\":-4,\"f\":255,"
            "\"g\":65535,\"h\":4294967295,\"i\":0.5,\"j\":0.1,\"k\":\"k\"}]");
}

TEST_F(QueryColumnsTest, WideNumbersAreDecimalsOnlyWhereTheyMust) {
  EXPECT_EQ(Format("SELECT 9223372036854775807::HUGEINT"), "l");
  EXPECT_EQ(Format("SELECT (-9223372036854775808)::HUGEINT"), "l");
  EXPECT_EQ(Format("SELECT 9223372036854775808::HUGEINT"), "d:38,0");
  EXPECT_EQ(Format("SELECT 18446744073709551615::UBIGINT"), "d:38,0");
  EXPECT_EQ(Format("SELECT 1::UHUGEINT"), "l");
  EXPECT_EQ(Rows("SELECT unnest([1, -9223372036854775809, NULL, 2]::HUGEINT[])"
                 " AS x"),
            "[{\"x\":1},{\"x\":-9223372036854775809},{\"x\":null},{\"x\":2}]");
  EXPECT_EQ(Rows("SELECT -99999999999999999999999999999999999999::HUGEINT AS "
                 "x"),
            "[{\"x\":-99999999999999999999999999999999999999}]");
  const std::string refused =
      "x: a number has more than 38 digits; CAST it to DOUBLE or VARCHAR";
  EXPECT_EQ(
      Rows("SELECT 100000000000000000000000000000000000000::HUGEINT AS x"),
      refused);
  EXPECT_EQ(
      Rows("SELECT 340282366920938463463374607431768211455::UHUGEINT AS x"),
      refused);
}

TEST_F(QueryColumnsTest, ManyChunksAndNulls) {
  const auto table = Ask(
      "SELECT i, CASE WHEN i % 2 = 0 THEN i::VARCHAR END AS t, i % 3 = 0 AS b "
      "FROM range(5000) r(i) ORDER BY i");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->array.length, 5000);
  EXPECT_EQ(table->array.children[1]->null_count, 2500);
  EXPECT_EQ(RowsAsJson(*table, 4997, 2),
            "[{\"i\":4997,\"t\":null,\"b\":false},"
            "{\"i\":4998,\"t\":\"4998\",\"b\":true}]");
}

TEST(TextColumnTest, OffsetsGrowWhereTheyMust) {
  TextColumn column(5);
  column.Append("ab");
  column.Append("cde");
  EXPECT_STREQ(column.format(), "u");
  EXPECT_EQ(static_cast<const int32_t*>(column.offsets())[2], 5);
  column.Append("f");
  column.Append("");
  EXPECT_STREQ(column.format(), "U");
  const auto* const offsets = static_cast<const int64_t*>(column.offsets());
  EXPECT_EQ(std::vector<int64_t>(offsets, offsets + 5),
            (std::vector<int64_t>{0, 2, 5, 6, 6}));
  EXPECT_EQ(std::string(column.text(), 6), "abcdef");
}

}  // namespace
}  // namespace stepscope
