// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(FormatTest, AnyLength) {
  EXPECT_EQ(Format("%d of %s", 3, "four"), "3 of four");
  EXPECT_EQ(Format("%s", ""), "");
  EXPECT_EQ(Format("%5000d", 1).size(), 5000u);
}

}  // namespace
}  // namespace stepscope
