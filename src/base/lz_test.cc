// SPDX-License-Identifier: Apache-2.0
#include "base/lz.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace stepscope {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The packed size, after checking that the text comes back.
size_t RoundTrip(const std::string& text) {
  const std::vector<uint8_t> packed = LzPack(Bytes(text));
  std::vector<uint8_t> plain(text.size());
  EXPECT_TRUE(LzUnpack(packed, plain));
  EXPECT_EQ(std::string(plain.begin(), plain.end()), text);
  return packed.size();
}

std::string RandomText(size_t size, int alphabet, uint32_t seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text)
    c = static_cast<char>(random() % static_cast<uint32_t>(alphabet));
  return text;
}

TEST(LzTest, EverySmallSize) {
  for (size_t size = 0; size < 300; ++size) {
    RoundTrip(std::string(size, 'a'));
    RoundTrip(RandomText(size, 2, 1));
    RoundTrip(RandomText(size, 256, 2));
  }
}

TEST(LzTest, LongRunsAndLongLiterals) {
  EXPECT_LT(RoundTrip(std::string(1 << 20, 'x')), 5000u);
  EXPECT_LT(RoundTrip(RandomText(100000, 256, 3)), 101000u);
  // A repetition farther away than a distance can say.
  const std::string part = RandomText(40000, 256, 4);
  RoundTrip(part + RandomText(40000, 256, 5) + part);
}

TEST(LzTest, ArgumentsShrinkSeveralTimes) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "\"External id\": " + std::to_string(i * 37) +
            ", \"Record function id\": 0, \"Ev Idx\": " + std::to_string(i);
  EXPECT_LT(RoundTrip(text) * 3, text.size());
}

TEST(LzTest, DamageIsNeverReadOrWrittenOutside) {
  const std::string text = RandomText(2000, 4, 6);
  const std::vector<uint8_t> packed = LzPack(Bytes(text));
  std::mt19937 random(7);
  std::vector<uint8_t> plain(text.size());
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> damaged = packed;
    damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    LzUnpack(damaged, plain);  // the sanitizer is the judge
  }
  EXPECT_FALSE(LzUnpack(packed, std::span(plain).first(1999)));
  plain.resize(2001);
  EXPECT_FALSE(LzUnpack(packed, plain));
}

}  // namespace
}  // namespace stepscope
