// SPDX-License-Identifier: Apache-2.0
//
// Numbers, names and options as they are printed.
#include "report/cells.h"

#include <gtest/gtest.h>

#include "report/table_options.h"

namespace stepscope {
namespace {

TEST(CellsTest, RoundsAsPrintfDoes) {
  const Cells ms(TimeUnit::kMs);
  EXPECT_EQ(ms.Time(15625000), "15.62");  // exact in binary: half to even
  EXPECT_EQ(Cells(TimeUnit::kNs).Time(10, 3), "3.33");
  EXPECT_EQ(Cells(TimeUnit::kS).Time(1500000000), "1.50");
  EXPECT_EQ(ms.Time(5, 0), "0.00");
  EXPECT_EQ(Cells::Percent(0.15625), "15.62");
}

TEST(OptionsTest, TakesEnumNamesAndJsonKeysInAnyCase) {
  EXPECT_EQ(ParseSortKey("CPUTotal"), SortKey::kCpuTotal);
  EXPECT_EQ(ParseSortKey("gpu_avg"), SortKey::kGpuAvg);
  EXPECT_EQ(ParseSortKey("gpu.max_ns"), SortKey::kGpuMax);
  EXPECT_EQ(ParseSortKey("total"), std::nullopt);
  EXPECT_EQ(ParseView("UDFView"), kUserDefinedView);
  EXPECT_EQ(ParseView("OverView"), kOverView);
  EXPECT_EQ(ParseView("user_defined"), kUserDefinedView);
  EXPECT_EQ(ParseView("MEMORY_MANIPULATION"), kMemoryManipulationView);
  EXPECT_EQ(ParseView("nonsense"), std::nullopt);
  EXPECT_EQ(ParseTimeUnit("us"), TimeUnit::kUs);
  EXPECT_EQ(ParseTimeUnit("min"), std::nullopt);
}

}  // namespace
}  // namespace stepscope
