// SPDX-License-Identifier: Apache-2.0
#include "query/named_query.h"

#include <gtest/gtest.h>

#include <set>

namespace stepscope {
namespace {

constexpr SqlFile kFile = {"slow",
                           "-- Steps that are slow.\n"
                           "-- param factor = 1.2: how much\n"
                           "-- param top = 20: how many\n"
                           "SELECT ${factor} * x LIMIT ${top} + ${top}\n"};

TEST(NamedQuery, HeadSaysMeaningAndParameters) {
  const NamedQuery query = ParseNamedQuery(kFile);
  EXPECT_EQ(query.name, "slow");
  EXPECT_EQ(query.meaning, "Steps that are slow.");
  ASSERT_EQ(query.parameters.size(), 2u);
  EXPECT_EQ(query.parameters[0].name, "factor");
  EXPECT_EQ(query.parameters[0].fallback, "1.2");
  EXPECT_EQ(query.parameters[0].meaning, "how much");
  EXPECT_EQ(query.sql.substr(0, 6), "SELECT");
}

TEST(NamedQuery, ParametersAreFilledEverywhere) {
  const NamedQuery query = ParseNamedQuery(kFile);
  EXPECT_EQ(*FillParameters(query, {}), "SELECT 1.2 * x LIMIT 20 + 20\n");
  EXPECT_EQ(*FillParameters(query, {{"top", "3"}, {"factor", "-2.5"}}),
            "SELECT -2.5 * x LIMIT 3 + 3\n");
}

TEST(NamedQuery, ValuesAreNumbersAndNothingElse) {
  const NamedQuery query = ParseNamedQuery(kFile);
  for (const char* value :
       {"", "-", ".", "1.", ".5", "1.2.3", "1e9", "1;DROP", "1 UNION", "'1'",
        "--", "0x10", "1234567890123456789", "\xd9\xa1"}) {
    const Result<std::string> sql = FillParameters(query, {{"top", value}});
    ASSERT_FALSE(sql) << value;
    EXPECT_NE(sql.error().message.find("expected a number"), std::string::npos);
  }
}

TEST(NamedQuery, UnknownNamesSayWhatThereIs) {
  const NamedQuery query = ParseNamedQuery(kFile);
  const Result<std::string> sql = FillParameters(query, {{"tip", "1"}});
  ASSERT_FALSE(sql);
  EXPECT_NE(sql.error().message.find("it has factor, top"), std::string::npos);
  const Result<const NamedQuery*> none = FindNamedQuery("top_kernel");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("top_kernels"), std::string::npos);
}

// What a user would meet otherwise: a query that says nothing about itself, or
// one with a hole in its text.
TEST(NamedQuery, EveryFileIsComplete) {
  ASSERT_GE(NamedQueries().size(), 10u);
  std::set<std::string> names;
  for (const NamedQuery& query : NamedQueries()) {
    SCOPED_TRACE(query.name);
    EXPECT_TRUE(names.insert(query.name).second);
    EXPECT_TRUE(query.meaning.ends_with(".") || query.meaning.ends_with("?"));
    for (const QueryParameter& parameter : query.parameters) {
      EXPECT_FALSE(parameter.name.empty());
      EXPECT_FALSE(parameter.meaning.empty());
      EXPECT_NE(query.sql.find("${" + parameter.name + "}"), std::string::npos);
    }
    const Result<std::string> sql = FillParameters(query, {});
    ASSERT_TRUE(sql);
    EXPECT_EQ(sql->find("${"), std::string::npos);
    // Engines sort NULL differently; each query says which way it wants.
    EXPECT_NE(sql->find("ORDER BY"), std::string::npos);
  }
}

}  // namespace
}  // namespace stepscope
