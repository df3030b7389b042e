// SPDX-License-Identifier: Apache-2.0
//
// The line of an allocation that an operator made inside of another one, as
// torch.zeros() does: the stack is that of the inner one, the name that of the
// outer.
#include <gtest/gtest.h>

#include <string>

#include "analysis/memory_accounts.h"
#include "analysis/tables/memory.h"
#include "analysis/tables/memory_peak.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

class MemoryLinesTest : public testing::Test {
 protected:
  // Each step keeps what zeros() made, and a little of what add() made.
  MemoryLinesTest() {
    std::string text = "thread 7 main\n";
    std::string memory;
    for (int step = 0; step < 6; ++step) {
      const auto at = [step](int time) {
        return std::to_string(step * 100 + time);
      };
      text += at(0) + ".." + at(100) + " ProfileStep#" + std::to_string(step) +
              " ProfileStep\n";
      text += at(10) + ".." + at(40) + " aten::zeros Operator\n";
      text += at(15) + ".." + at(20) +
              " aten::empty Operator line=\"train.py:58\"\n";
      text += at(25) + ".." + at(35) + " aten::zero_ Operator\n";
      text += at(50) + ".." + at(60) + " aten::add Operator\n";
      memory += "memory " + at(17) + " +4096 Place(gpu:0) 0x" +
                std::to_string(1000 + step) + "\n";
      memory += "memory " + at(55) + " +64 Place(gpu:0) 0x" +
                std::to_string(2000 + step) + "\n";
    }
    trace_ = TraceFromText(text + memory);
  }

  std::shared_ptr<const Trace> trace_;
};

TEST_F(MemoryLinesTest, OfGrowth) {
  const EventTree tree(*trace_);
  const auto places = ComputeMemory(tree, StepTable(tree));
  ASSERT_EQ(places.size(), 1u);
  ASSERT_EQ(places[0].life.leaks.size(), 2u);
  EXPECT_EQ(places[0].life.leaks[0].name, "aten::zeros");
  EXPECT_EQ(places[0].life.leaks[0].line, "train.py:58");
  EXPECT_EQ(places[0].life.leaks[1].name, "aten::add");
  EXPECT_EQ(places[0].life.leaks[1].line, "");
}

TEST_F(MemoryLinesTest, OfThePeak) {
  const auto peaks = ComputeMemoryPeaks(*trace_);
  ASSERT_EQ(peaks.size(), 1u);
  ASSERT_EQ(peaks[0].live.size(), 2u);
  EXPECT_EQ(peaks[0].live[0].owner, "aten::zeros");
  EXPECT_EQ(peaks[0].live[0].line, "train.py:58");
}

TEST_F(MemoryLinesTest, OfWhatIsHeld) {
  const EventTree tree(*trace_);
  const auto accounts = MakeMemoryAccounts(tree);
  ASSERT_EQ(accounts.size(), 1u);
  const MemoryOwner& owner = accounts[0].owners[accounts[0].owner_of[0]];
  EXPECT_EQ(OwnerText(tree, owner, MemoryBy::kOperator), "aten::zeros");
  EXPECT_EQ(OwnerText(tree, owner, MemoryBy::kLine), "train.py:58");
}

}  // namespace
}  // namespace stepscope
