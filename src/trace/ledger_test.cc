// SPDX-License-Identifier: Apache-2.0
#include "trace/ledger.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(LedgerTest, SeenIsTheSumOfAllBins) {
  Ledger ledger;
  ledger.Keep(10);
  ledger.Repair("clipped", 5, "x");
  ledger.Reject("damaged", 6, "y", 3);
  ledger.Reject("nothing", 7, "z", 0);
  EXPECT_EQ(ledger.seen(), 14u);
  EXPECT_EQ(ledger.rejected().size(), 1u);
}

TEST(LedgerTest, KeepsTheFirstExamples) {
  Ledger ledger;
  for (uint64_t i = 0; i < 10; ++i) ledger.Repair("r", i);
  const Ledger::Bin& bin = ledger.repaired().at("r");
  EXPECT_EQ(bin.count, 10u);
  ASSERT_EQ(bin.examples.size(), Ledger::kMaxExamples);
  EXPECT_EQ(bin.examples[3].offset, 3u);
}

TEST(LedgerTest, MergeAddsUp) {
  Ledger a, b;
  a.Keep(1);
  a.Repair("r", 1);
  b.Keep(2);
  b.Repair("r", 2);
  b.Reject("q", 3);
  a.Merge(b);
  EXPECT_EQ(a.seen(), 6u);
  EXPECT_EQ(a.repaired().at("r").count, 2u);
  EXPECT_EQ(a.repaired().at("r").examples.size(), 2u);
}

}  // namespace
}  // namespace stepscope
