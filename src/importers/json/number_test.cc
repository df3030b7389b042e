// SPDX-License-Identifier: Apache-2.0
#include "importers/json/number.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "importers/chrome/event_time.h"

namespace stepscope::json {
namespace {

int64_t Micros(std::string_view text) {
  int64_t ns = 0;
  EXPECT_EQ(ParseMicros(text, ns), NumberState::kOk) << text;
  return ns;
}

TEST(NumberTest, MicrosecondsAreExact) {
  EXPECT_EQ(Micros("0"), 0);
  EXPECT_EQ(Micros("1"), 1000);
  EXPECT_EQ(Micros("0.001"), 1);
  EXPECT_EQ(Micros("-12.5"), -12500);
  EXPECT_EQ(Micros("\"7.25\""), 7250);
  // A double would be off by hundreds of nanoseconds, and by one.
  EXPECT_EQ(Micros("1712000000123456.789"), 1712000000123456789);
  EXPECT_EQ(Micros("4458676522690.655"), 4458676522690655);
  EXPECT_EQ(Micros("9223372036854775.807"), INT64_MAX);
}

TEST(NumberTest, ExponentsAndManyDigits) {
  EXPECT_EQ(Micros("1.5e3"), 1500000);
  EXPECT_EQ(Micros("1.7E+15"), 1700000000000000000);
  EXPECT_EQ(Micros("25e-4"), 3);  // 2.5 ns, away from zero
  EXPECT_EQ(Micros("1e-9"), 0);
  EXPECT_EQ(Micros("0e999999999999"), 0);
  EXPECT_EQ(Micros("0.00000000000000000000000000000001"), 0);
  EXPECT_EQ(Micros("12.3456789012345678901234567890"), 12346);
  EXPECT_EQ(Micros("000000000000000000000000000012"), 12000);
}

TEST(NumberTest, WhatIsNoNumberOrTooLarge) {
  int64_t ns = 0;
  for (const char* text : {"", "-", ".", "NaN", "Infinity", "1x", "\"\"", "1e",
                           "1e+", "--1", "1.2.3", "true", "null"})
    EXPECT_EQ(ParseMicros(text, ns), NumberState::kNotANumber) << text;
  for (const char* text :
       {"9223372036854775.808", "1e400", "1e17", "99999999999999999999999999"})
    EXPECT_EQ(ParseMicros(text, ns), NumberState::kOutOfRange) << text;
}

// Eight digits are read at once: every length, and every place of a wrong one.
TEST(NumberTest, PlainNumbers) {
  const std::string digits = "123456789012345678";
  for (size_t size = 1; size <= digits.size(); ++size) {
    int64_t value = 0;
    const std::string text = digits.substr(0, size);
    ASSERT_TRUE(ParsePlain(text, 0, value)) << text;
    EXPECT_EQ(value, std::stoll(text));
    for (size_t at = 0; at < size; ++at) {
      for (const char wrong : {'/', ':', ' ', '-', 'e', '\xb5', '\0'}) {
        std::string bad = text;
        bad[at] = wrong;
        EXPECT_FALSE(ParsePlain(bad, 0, value)) << bad;
      }
    }
  }
  int64_t value = 0;
  EXPECT_TRUE(ParsePlain("12345678901234.567", 3, value));
  EXPECT_EQ(value, 12345678901234567);
  EXPECT_FALSE(ParsePlain("1.2345", 3, value));
  EXPECT_FALSE(ParsePlain("1.5", 0, value));
  EXPECT_FALSE(ParsePlain("1234567890123456789", 0, value));
}

// As most times are written, and every place of a wrong character.
TEST(NumberTest, ThreeDecimals) {
  const std::string digits = "12345678901234";
  for (size_t size = 1; size <= digits.size(); ++size) {
    const std::string text = digits.substr(0, size) + ".507";
    int64_t value = 0;
    ASSERT_TRUE(ParsePlain(text, 3, value)) << text;
    EXPECT_EQ(value, std::stoll(digits.substr(0, size) + "507"));
    for (size_t at = 0; at < text.size(); ++at) {
      for (const char wrong : {'/', ':', ' ', '-', 'e', '\xb5', '\0'}) {
        std::string bad = text;
        bad[at] = wrong;
        EXPECT_FALSE(ParsePlain(bad, 3, value)) << bad;
      }
    }
  }
  int64_t value = 0;
  EXPECT_FALSE(ParsePlain(".507", 3, value));
  EXPECT_FALSE(ParsePlain("123456789012345.507", 3, value));
  // Whole microseconds since 1970, and the largest number that fits.
  EXPECT_TRUE(ParsePlain("1623143089861351", 3, value));
  EXPECT_EQ(value, 1623143089861351000);
  EXPECT_TRUE(ParsePlain("9223372036854775", 3, value));
  EXPECT_EQ(value, 9223372036854775000);
  EXPECT_FALSE(ParsePlain("9223372036854776", 3, value));
  EXPECT_TRUE(ParsePlain("0000.001", 3, value));
  EXPECT_EQ(value, 1);
}

TEST(NumberTest, SignedNumbers) {
  int64_t value = 0;
  EXPECT_TRUE(ParseSigned("-9223372036854775808", value));
  EXPECT_EQ(value, INT64_MIN);
  for (const char* text : {"", "-", "+1", "1.0", "9223372036854775808", "1 "})
    EXPECT_FALSE(ParseSigned(text, value)) << text;
}

TEST(NumberTest, RealsAreTheNearest) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text = std::to_string(random() >> random() % 64);
    if (i % 4 != 0) text.insert(random() % text.size() + 1, ".");
    double value = 0;
    ASSERT_TRUE(ParseReal(text, value)) << text;
    ASSERT_EQ(value, std::strtod(text.c_str(), nullptr)) << text;
  }
  double value = 0;
  EXPECT_TRUE(ParseReal("-2.5e-3", value));
  EXPECT_EQ(value, -2.5e-3);
  for (const char* text : {"", "x", "1.5x", "1.2.3", "\"1\""})
    EXPECT_FALSE(ParseReal(text, value)) << text;
}

TEST(NumberTest, Integers) {
  int64_t value = 0;
  EXPECT_TRUE(ParseInteger("-1", value));
  EXPECT_EQ(value, -1);
  EXPECT_TRUE(ParseInteger("18446744073709551615", value));
  EXPECT_EQ(static_cast<uint64_t>(value), UINT64_MAX);
  EXPECT_TRUE(ParseInteger("\"0xff\"", value));
  EXPECT_EQ(value, 255);
  for (const char* text :
       {"", "1.0", "0xff", "\"x\"", "1 ", "99999999999999999999"})
    EXPECT_FALSE(ParseInteger(text, value)) << text;
}

TEST(EventTimeTest, PicosecondsKeepNesting) {
  int64_t start = 0;
  int64_t dur = 0;
  // [0.0004, 1.0006) us: 0.4 ns to 1000.6 ns.
  EXPECT_EQ(ReadSpan("0.0004", "1.0002", start, dur), "");
  EXPECT_EQ(start, 0);
  EXPECT_EQ(dur, 1001);
  // Its last part ends with it.
  EXPECT_EQ(ReadSpan("0.5004", "0.5002", start, dur), "");
  EXPECT_EQ(start + dur, 1001);
}

TEST(EventTimeTest, NamesByPaddle) {
  EXPECT_EQ(WithoutDuration("conv2d[12.345 us]"), "conv2d");
  EXPECT_EQ(WithoutDuration("x[0][3 ms]"), "x[0]");
  EXPECT_EQ(WithoutDuration("lists[us]"), "lists[us]");
  EXPECT_EQ(WithoutDuration("[memory]"), "[memory]");
  EXPECT_EQ(WithoutDuration("[1 us]"), "");  // an empty name
  int64_t ns = 0;
  EXPECT_TRUE(ReadOwnTime("\"12.345 us\"", ns));
  EXPECT_EQ(ns, 12345);
  EXPECT_FALSE(ReadOwnTime("\"12.345\"", ns));
}

}  // namespace
}  // namespace stepscope::json
