// SPDX-License-Identifier: Apache-2.0
#include "analysis/headline.h"

#include <gtest/gtest.h>

#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::vector<std::string> Said(const std::string& text) {
  const auto trace = TraceFromText(text);
  SummaryOptions options;
  options.views = kAdviceView;
  return HeadlineOf(ComputeSummary(*trace, options));
}

// Steps of which `busy` us are recorded, of 1,000.
std::string Steps(int busy) {
  std::string text = "process 1\nthread 1 main\n";
  for (int step = 0; step < 12; ++step) {
    const int64_t at = int64_t{step} * 1'000'000;
    text += std::to_string(at) + ".." + std::to_string(at + 1'000'000) +
            " ProfileStep#" + std::to_string(step) + " ProfileStep\n";
    text += std::to_string(at) + ".." + std::to_string(at + busy * 1000) +
            " work" + std::to_string(step) + " Operator\n";
  }
  return text;
}

TEST(Headline, TimeWithoutARecordIsSaid) {
  const std::vector<std::string> said = Said(Steps(40));
  ASSERT_GE(said.size(), 2u);
  EXPECT_EQ(said[0], "Nothing was recorded in 96.0 % of a step.");
  EXPECT_NE(said.back(), "Nothing stands out that slows the steps down.");
}

TEST(Headline, NothingIsRecorded) {
  EXPECT_EQ(Said("process 1\nthread 1 main\n"),
            std::vector<std::string>{"Nothing was recorded."});
}

TEST(Headline, ADetailIsNotSaid) {
  for (const std::string& one : Said(Steps(950)))
    EXPECT_EQ(one.find("Nothing was recorded"), std::string::npos) << one;
}

}  // namespace
}  // namespace stepscope
