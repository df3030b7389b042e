// SPDX-License-Identifier: Apache-2.0
#include "base/lz.h"

#include <dlfcn.h>
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

// Packed as versions before LZ4's rule for the end did it: "abcdabcd...", one
// match up to the very end, and a last sequence without literals.
TEST(LzTest, BlocksThatEndInAMatchStillRead) {
  const std::vector<uint8_t> packed = {0x4f, 'a', 'b', 'c', 'd', 4, 0, 1, 0};
  std::vector<uint8_t> plain(24);
  ASSERT_TRUE(LzUnpack(packed, plain));
  EXPECT_EQ(std::string(plain.begin(), plain.end()),
            "abcdabcdabcdabcdabcdabcd");
  EXPECT_FALSE(IsLz4Block(packed, plain.size()));
}

TEST(LzTest, EveryBlockKeepsTheRuleForTheEnd) {
  for (size_t size = 0; size < 300; ++size)
    for (const std::string& text :
         {std::string(size, 'a'), RandomText(size, 2, 1),
          RandomText(size, 256, 2)})
      EXPECT_TRUE(IsLz4Block(LzPack(Bytes(text)), size)) << size;
  const std::vector<uint8_t> packed = LzPack(Bytes(std::string(100, 'a')));
  EXPECT_FALSE(IsLz4Block(packed, 99));
  EXPECT_FALSE(IsLz4Block(std::span(packed).first(packed.size() - 1), 100));
}

// The real one, where the system has it.
class Lz4Test : public testing::Test {
 protected:
  void SetUp() override {
    void* const library = dlopen("liblz4.so.1", RTLD_NOW);
    if (library == nullptr)
      GTEST_SKIP() << "the system has no liblz4.so.1 to compare with";
    compress_ = reinterpret_cast<Codec>(dlsym(library, "LZ4_compress_default"));
    decompress_ =
        reinterpret_cast<Codec>(dlsym(library, "LZ4_decompress_safe"));
    ASSERT_NE(compress_, nullptr);
    ASSERT_NE(decompress_, nullptr);
  }

  void ExpectBothWays(const std::string& text) {
    const int size = static_cast<int>(text.size());
    const std::vector<uint8_t> ours = LzPack(Bytes(text));
    std::string plain(text.size() + 1, '\0');
    ASSERT_EQ(decompress_(reinterpret_cast<const char*>(ours.data()),
                          plain.data(), static_cast<int>(ours.size()), size),
              size);
    plain.pop_back();
    ASSERT_EQ(plain, text);

    std::vector<uint8_t> theirs(text.size() + text.size() / 255 + 16);
    const int packed =
        compress_(text.data(), reinterpret_cast<char*>(theirs.data()), size,
                  static_cast<int>(theirs.size()));
    ASSERT_GT(packed, 0);
    theirs.resize(static_cast<size_t>(packed));
    std::vector<uint8_t> back(text.size());
    ASSERT_TRUE(LzUnpack(theirs, back));
    ASSERT_EQ(std::string(back.begin(), back.end()), text);
    ASSERT_TRUE(IsLz4Block(theirs, text.size()));
  }

 private:
  using Codec = int (*)(const char*, char*, int, int);
  Codec compress_ = nullptr;
  Codec decompress_ = nullptr;
};

TEST_F(Lz4Test, EachReadsWhatTheOtherMakes) {
  for (size_t size = 0; size < 300; ++size) {
    ExpectBothWays(std::string(size, 'a'));
    ExpectBothWays(RandomText(size, 2, 1));
    ExpectBothWays(RandomText(size, 256, 2));
  }
  for (const int alphabet : {2, 4, 30, 256})
    ExpectBothWays(RandomText(200000, alphabet, 3));
  ExpectBothWays(std::string(1 << 20, 'x'));
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
