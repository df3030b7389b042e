// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "base/json_check.h"

namespace stepscope::chrome {
namespace {

std::string Escaped(std::string_view bytes, bool want_valid = true) {
  std::string out;
  EXPECT_EQ(AppendJsonEscaped(out, bytes), want_valid) << bytes;
  EXPECT_EQ(CheckJson('"' + out + '"'), JsonKind::kString) << out;
  return out;
}

std::string Double(double value) {
  std::string out;
  AppendDouble(out, value);
  EXPECT_NE(CheckJson(out), JsonKind::kInvalid) << out;
  return out;
}

TEST(JsonText, LeavesPlainTextAlone) {
  EXPECT_EQ(Escaped("conv2d <float, 3> 'a' / \x7f"),
            "conv2d <float, 3> 'a' / \x7f");
  EXPECT_EQ(Escaped(""), "");
}

TEST(JsonText, EscapesWhatJsonReserves) {
  EXPECT_EQ(Escaped("a\"b\\c\n\r\t"), R"(a\"b\\c\n\r\t)");
  EXPECT_EQ(Escaped(std::string_view("\0\x01\x1f", 3)),
            R"(\u0000\u0001\u001f)");
}

TEST(JsonText, KeepsUtf8) {
  const std::string text = "\u00e9 \u4f60 \U0001f600 \ufffd \u2028 \uffff";
  EXPECT_EQ(Escaped(text), text);
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  constexpr char kMark[] = "\ufffd";
  for (int c = 0x80; c < 0x100; ++c)
    EXPECT_EQ(Escaped(std::string(1, static_cast<char>(c)), false), kMark);
  // A surrogate, an overlong slash, beyond U+10FFFF, cut short.
  for (std::string_view bad :
       {"\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\xe4\xbd"}) {
    std::string want;
    for (size_t i = 0; i < bad.size(); ++i) want += kMark;
    EXPECT_EQ(Escaped(bad, false), want);
  }
  EXPECT_EQ(Escaped("a\xff\"", false), std::string("a") + kMark + "\\\"");
}

TEST(JsonText, FieldKeepsTheExactBytes) {
  std::string out;
  AppendTextField(out, "name", "ok");
  EXPECT_EQ(out, R"("name":"ok")");
  out.clear();
  AppendTextField(out, "name", "a\xff");
  EXPECT_EQ(out, "\"name\":\"a\ufffd\",\"name_bytes\":\"61ff\"");
}

TEST(JsonText, DoublesReadBackTheSame) {
  EXPECT_EQ(Double(0.5), "0.5");
  EXPECT_EQ(Double(3), "3.0");
  EXPECT_EQ(Double(-0.0), "-0.0");
  EXPECT_EQ(Double(NAN), "\"NaN\"");
  EXPECT_EQ(Double(INFINITY), "\"Infinity\"");
  EXPECT_EQ(Double(-INFINITY), "\"-Infinity\"");
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(std::strtod(Double(value).c_str(), nullptr), value);
  }
  EXPECT_EQ(std::strtod(Double(5e-324).c_str(), nullptr), 5e-324);
}

}  // namespace
}  // namespace stepscope::chrome
