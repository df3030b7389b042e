// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/curves.h"

#include <gtest/gtest.h>

#include <limits>

namespace stepscope::server {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

TEST(CurvesTest, SmallestLargestAndLastOfEachPixel) {
  const Curve curve = {{0, 10, 12, 14, 50}, {5, 1, 9, 4, 2}};
  EXPECT_EQ(CurveJson(curve, 0, 5, 105, 10),
            R"x({"t":[0,10,50],"min":[5,1,2],"max":[5,9,2],"last":[5,4,2],)x"
            R"x("lowest":1,"highest":9})x");
}

// What is not known is null, and changes nothing that is.
TEST(CurvesTest, GapsStayApart) {
  const Curve curve = {{0, 10, 11, 12, 13, 14, 60},
                       {5, 7, kNothing, kNothing, 3, 4, kNothing}};
  EXPECT_EQ(CurveJson(curve, 0, 5, 105, 10),
            R"x({"t":[0,10,11,13,60],"min":[5,7,null,3,null],)x"
            R"x("max":[5,7,null,4,null],"last":[5,7,null,4,null],)x"
            R"x("lowest":3,"highest":7})x");
  const Curve unknown = {{0}, {kNothing}};
  EXPECT_EQ(CurveJson(unknown, 0, 0, 10, 10),
            R"x({"t":[0],"min":[null],"max":[null],"last":[null],)x"
            R"x("lowest":0,"highest":0})x");
}

}  // namespace
}  // namespace stepscope::server
