// SPDX-License-Identifier: Apache-2.0
#include "trace/build/arg_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope {
namespace {

// Arguments of random rows below `rows`; their values count up.
Column<Arg> RandomArgs(int count, Row rows) {
  std::mt19937 random(5);
  Column<Arg> args;
  for (int i = 0; i < count; ++i) {
    Arg arg;
    arg.row = static_cast<Row>(random() % rows);
    arg.int_value = i;
    EXPECT_TRUE(args.Append(arg));
  }
  return args;
}

void ExpectOrdered(const Column<Arg>& args, size_t count) {
  ASSERT_EQ(args.size(), count);
  for (size_t i = 1; i < args.size(); ++i) {
    ASSERT_LE(args[i - 1].row, args[i].row) << i;
    if (args[i - 1].row == args[i].row) {
      ASSERT_LT(args[i - 1].int_value, args[i].int_value) << i;
    }
  }
}

TEST(ArgOrderTest, ManyAndFew) {
  for (const Row rows : {1u, 7u, 300u, 1'000'000u}) {
    Column<Arg> args = RandomArgs(500, rows);
    SortArgs(args, rows);
    ExpectOrdered(args, 500);
  }
}

// A row that is none is put last, for Finish() to find.
TEST(ArgOrderTest, RowsThatDoNotExist) {
  Column<Arg> args = RandomArgs(500, 300);
  args[250].row = kNoRow;
  SortArgs(args, 300);
  ExpectOrdered(args, 500);
  EXPECT_EQ(args[499].row, kNoRow);
}

TEST(ArgOrderTest, SomeAreKnownToBeInOrder) {
  Column<Arg> args = RandomArgs(500, 300);
  SortArgs(args, 300);
  SortArgs(args, 300, 400);
  SortArgs(args, 300, 500);
  ExpectOrdered(args, 500);
  // The first that is not known to be.
  args[400].row = args[399].row - 1;
  args[400].int_value = 1000;
  SortArgs(args, 300, 400);
  ExpectOrdered(args, 500);
}

TEST(ArgOrderTest, RowsThatMoved) {
  Column<Row> backwards;
  for (Row row = 0; row < 300; ++row) ASSERT_TRUE(backwards.Append(299 - row));
  Column<Arg> args = RandomArgs(500, 300);
  const Row last = args[499].row;
  ASSERT_TRUE(PlaceArgs(args, 300, backwards.view()));
  ExpectOrdered(args, 500);
  const auto moved =
      std::find_if(args.view().begin(), args.view().end(),
                   [](const Arg& a) { return a.int_value == 499; });
  EXPECT_EQ(moved->row, 299 - last);
  // What is of no event, or few beside the events, is left as it is.
  args[250].row = 300;
  EXPECT_FALSE(PlaceArgs(args, 300, backwards.view()));
  EXPECT_FALSE(PlaceArgs(args, 1'000'000, {}));
}

TEST(ArgOrderTest, NoneAndOne) {
  Column<Arg> args;
  SortArgs(args, 0);
  args = RandomArgs(1, 1);
  SortArgs(args, 1);
  ExpectOrdered(args, 1);
}

}  // namespace
}  // namespace stepscope
