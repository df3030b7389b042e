// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/digits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace stepscope::chrome {
namespace {

std::string Uint(uint64_t value) {
  char text[64];
  return {text, PutUint(text, value)};
}
std::string Int(int64_t value) {
  char text[64];
  return {text, PutInt(text, value)};
}
std::string Micros(int64_t ns) {
  char text[64];
  return {text, PutMicros(text, ns)};
}

TEST(Digits, EveryNumberOfFourDigitsInBothHalves) {
  for (uint64_t v = 0; v < 10000; ++v) {
    ASSERT_EQ(Uint(v), std::to_string(v));
    ASSERT_EQ(Uint(v * 10000), std::to_string(v * 10000));
  }
}

TEST(Digits, EveryLength) {
  uint64_t power = 1;
  for (int digits = 1; digits <= 20; ++digits) {
    for (uint64_t v : {power - 1, power, power + 1, power * 9})
      EXPECT_EQ(Uint(v), std::to_string(v));
    power *= 10;
  }
  EXPECT_EQ(Uint(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
}

TEST(Digits, RandomNumbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000000; ++i) {
    uint64_t v = random() >> (random() % 64);
    ASSERT_EQ(Uint(v), std::to_string(v));
  }
}

TEST(Digits, Signed) {
  EXPECT_EQ(Int(0), "0");
  EXPECT_EQ(Int(-1), "-1");
  EXPECT_EQ(Int(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(Int(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
}

TEST(Digits, MicrosecondsAreExact) {
  EXPECT_EQ(Micros(0), "0.000");
  EXPECT_EQ(Micros(1), "0.001");
  EXPECT_EQ(Micros(12345), "12.345");
  EXPECT_EQ(Micros(-1), "-0.001");
  EXPECT_EQ(Micros(-12345), "-12.345");
  EXPECT_EQ(Micros(1786000000123456789), "1786000000123456.789");
  EXPECT_EQ(Micros(std::numeric_limits<int64_t>::min()),
            "-9223372036854775.808");
  for (int64_t ns = 0; ns < 1000; ++ns) {
    std::string digits = std::to_string(1000 + ns).substr(1);
    ASSERT_EQ(Micros(7000 + ns), "7." + digits);
  }
}

TEST(Digits, MicrosecondsThatAreKeptAreTheSame) {
  std::mt19937_64 random(2);
  constexpr int64_t kLimit = 100'000'000'000;
  const auto expect_same = [](int64_t ns) {
    const MicrosText text(ns);
    for (int i = 0; i < 2; ++i) {
      char bytes[64] = {};
      const char* const end = text.Put(bytes);
      ASSERT_EQ(std::string_view(bytes, static_cast<size_t>(end - bytes)),
                Micros(ns));
    }
  };
  for (const int64_t ns :
       {int64_t{0}, int64_t{-1}, int64_t{999}, int64_t{1000}, kLimit - 1,
        kLimit, kLimit + 1, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()})
    expect_same(ns);
  for (int i = 0; i < 200000; ++i)
    expect_same(static_cast<int64_t>(random() >> (random() % 64)));
}

TEST(Digits, PaddedCopyEndsWhereItShould) {
  const std::string from(200, 'x');
  for (size_t size = 0; size < 160; ++size) {
    char to[256] = {};
    EXPECT_EQ(PutPadded(to, from.data(), size) - to,
              static_cast<ptrdiff_t>(size));
    EXPECT_EQ(std::string(to, size), from.substr(0, size));
  }
}

}  // namespace
}  // namespace stepscope::chrome
