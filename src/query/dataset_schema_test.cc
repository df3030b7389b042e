// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_schema.h"

#include <gtest/gtest.h>

#include <set>

#include "base/file.h"

namespace stepscope {
namespace {

TEST(DatasetSchema, DocumentHasTheseTablesAndNoOthers) {
  const auto document =
      ReadFile(STEPSCOPE_SOURCE_DIR "/docs/formats/dataset.md");
  ASSERT_TRUE(document);
  const size_t first = document->find("### ");
  ASSERT_NE(first, document->npos);
  // To bring the document up to date, put this text behind "## Tables".
  EXPECT_EQ(document->substr(first), DescribeTables());
}

TEST(DatasetSchema, NamesAreDifferentAndNotThoseOfPartitions) {
  std::set<std::string> tables;
  for (const TableSpec& table : DatasetTables()) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    std::set<std::string> columns = {"job", "rank"};
    for (const ColumnSpec& column : table.columns)
      EXPECT_TRUE(columns.insert(column.name).second) << column.name;
    EXPECT_STREQ(table.columns.front().name, "source_id");
  }
}

}  // namespace
}  // namespace stepscope
