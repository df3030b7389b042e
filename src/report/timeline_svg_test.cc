// SPDX-License-Identifier: Apache-2.0
#include "report/timeline_svg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "report/count_of_test_support.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

std::string Draw(std::string_view text,
                 const TimelineSvgOptions& options = {}) {
  const auto trace = TraceFromText(text);
  const Result<std::string> svg = RenderTimelineSvg(*trace, options);
  return svg ? *svg : svg.error().message;
}

TEST(TimelineSvg, NamesAreText) {
  const std::string svg = Draw(
      "thread 7 main\n"
      "  0..1000 \"</title><script>alert(1)</script>&\\\"\" Operator\n");
  EXPECT_EQ(svg.find("<script"), svg.npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), svg.npos);
  EXPECT_EQ(CountOf(svg, "<svg "), 1u);
  EXPECT_NE(svg.find("prefers-color-scheme:dark"), svg.npos);
}

TEST(TimelineSvg, ShowsWhatBeganBeforeThePart) {
  TimelineSvgOptions part;
  part.begin_ns = 5000;
  part.end_ns = 6000;
  const std::string svg = Draw(
      "thread 7 main\n"
      "  0..10000 around Operator\n"
      "    100..200 gone Operator\n"
      "    4000..5500 overlaps Operator\n"
      "    5600..5900 inside Operator\n"
      "    7000..8000 later Operator\n",
      part);
  EXPECT_EQ(CountOf(svg, "<title>around"), 1u);
  EXPECT_EQ(CountOf(svg, "<title>overlaps"), 1u);
  EXPECT_EQ(CountOf(svg, "<title>inside"), 1u);
  EXPECT_EQ(CountOf(svg, "<title>gone"), 0u);
  EXPECT_EQ(CountOf(svg, "<title>later"), 0u);
}

std::string TicksOf(int64_t length, size_t width = 960) {
  TimelineSvgOptions options;
  options.width = width;
  const std::string svg =
      Draw("thread 7 main\n  0.." + std::to_string(length) + " e Operator\n",
           options);
  std::string ticks;
  constexpr std::string_view kText = "y=\"12.0\" class=\"dim\">";
  for (size_t at = svg.find(kText); at != svg.npos;
       at = svg.find(kText, at + 1)) {
    const size_t begin = at + kText.size();
    if (!ticks.empty()) ticks += ", ";
    ticks += svg.substr(begin, svg.find('<', begin) - begin);
  }
  return ticks;
}

TEST(TimelineSvg, TicksAreRoundTimes) {
  EXPECT_EQ(TicksOf(1'234'567), "0, +200 us, +400 us, +600 us, +800 us, +1 ms");
  EXPECT_EQ(TicksOf(38'818'000),
            "0, +5 ms, +10 ms, +15 ms, +20 ms, +25 ms, +30 ms, +35 ms");
  EXPECT_EQ(TicksOf(9'700'000'000), "0, +2 s, +4 s, +6 s, +8 s");
  EXPECT_EQ(TicksOf(3), "0, +1 ns, +2 ns");
}

TEST(TimelineSvg, TicksFitThePicture) {
  // The last one has a line, but no room for its text.
  EXPECT_EQ(TicksOf(1'010'000, 550), "0, +200 us, +400 us, +600 us, +800 us");
  EXPECT_EQ(TicksOf(1'000'000, 20), "0");
  EXPECT_EQ(TicksOf(int64_t{1'000'000'000'000'000'000}, 1), "0");
}

TEST(TimelineSvg, SizeFollowsThePictureNotTheTrace) {
  std::string text = "thread 7 main\n";
  constexpr int kEvents = 20000;
  for (int i = 0; i < kEvents; ++i) {
    text += std::to_string(10 * i) + ".." + std::to_string(10 * i + 9) +
            " e Operator\n";
  }
  const std::string svg = Draw(text);
  EXPECT_LE(CountOf(svg, "<rect"), 1000u);
  EXPECT_NE(svg.find("20,000 short events"), svg.npos);
}

TEST(TimelineSvg, MarksOfOneKindKeepItsColour) {
  const std::string one = Draw(
      "thread 7 main\n  0..1 a Kernel\n  2..3 b Kernel\n"
      "  9999..10000 c Operator\n");
  EXPECT_EQ(CountOf(one, "class=\"c-kernel\"><title>2 short events"), 1u);
  const std::string two = Draw(
      "thread 7 main\n  0..1 a Kernel\n  2..3 b Operator\n"
      "  9999..10000 c Operator\n");
  EXPECT_EQ(CountOf(two, "class=\"c-unexplained\"><title>2 short events"), 1u);
}

TEST(TimelineSvg, SaysWhatIsNotDrawn) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "thread " + std::to_string(100 + i) + " t\n  0..1000 e Operator\n";
  }
  const std::string svg = Draw(text);
  EXPECT_EQ(CountOf(svg, "<rect"), 24u);
  EXPECT_NE(svg.find("6 tracks with fewer events"), svg.npos);
}

TEST(TimelineSvg, RefusesAnEmptyPart) {
  TimelineSvgOptions part;
  part.begin_ns = 5000;
  part.end_ns = 4000;
  EXPECT_EQ(Draw("thread 7 main\n  0..10000 a Operator\n", part),
            "timeline: nothing was recorded in this part; choose from 0 to "
            "10000 ns");
}

}  // namespace
}  // namespace stepscope
