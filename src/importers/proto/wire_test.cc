// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "importers/proto/id_table.h"
#include "importers/proto/pb_writer_test_support.h"

namespace stepscope::proto {
namespace {

TEST(WireTest, EveryWireType) {
  const Pb pb =
      Pb().Int(1, -1).Double(2, 0.5).Text(300, "abc").Float(5, 2).Int(16, 300);
  Message m(pb.bytes());
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.tag(), Varint(1));
  EXPECT_EQ(m.sint(), -1);
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.tag(), Fixed64(2));
  EXPECT_EQ(m.real(), 0.5);
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.number(), 300u);
  EXPECT_EQ(m.text(), "abc");
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.tag(), Fixed32(5));
  EXPECT_EQ(m.real32(), 2.0f);
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.value(), 300u);
  EXPECT_FALSE(m.Next());
  EXPECT_TRUE(m.ok());
}

// What follows one good field, and whether it is told as damage there.
TEST(WireTest, DamageEndsTheWalkAndSaysWhere) {
  using namespace std::string_view_literals;  // NOLINT: test data
  for (const std::string_view bad :
       {"\x80"sv,                                // tag goes on
        "\x00\x01"sv,                            // number 0
        "\x0b"sv, "\x0c"sv, "\x0e"sv, "\x0f"sv,  // groups, 6, 7
        "\x08"sv, "\x08\xff"sv,                  // varint cut
        "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv, "\x09\x01\x02"sv,
        "\x0d\x01"sv,                             // fixed cut
        "\x0a"sv, "\x0a\x80"sv,                   // length cut
        "\xf8\xff\xff\xff\xff\xff\x01\x00"sv}) {  // tag too large
    const Pb pb = Pb().Int(1, 5).Raw(bad);
    Message m(pb.bytes());
    ASSERT_TRUE(m.Next());
    EXPECT_FALSE(m.Next()) << testing::PrintToString(bad);
    EXPECT_FALSE(m.ok());
    EXPECT_EQ(m.field(), pb.bytes().data() + 2);
    EXPECT_FALSE(m.Next());
  }
}

// Reading in one go finds the same numbers and the same damage.
TEST(WireTest, WhatLiesBehindAMessageMakesNoDifference) {
  std::vector<std::string> messages;
  for (int shift = 0; shift < 64; ++shift)
    for (const uint64_t less : {0, 1})
      messages.push_back(
          Pb().Int(2, static_cast<int64_t>((uint64_t{1} << shift) - less))
              .Text(3, "abc")
              .str());
  for (size_t size = 1; size <= 12; ++size)
    messages.push_back("\x10" + std::string(size - 1, '\xff') + "\x01");
  for (const std::string& message : messages) {
    for (size_t size = 0; size <= message.size(); ++size) {
      const std::string exact = message.substr(0, size);
      for (const char filler : {'\0', '\x7f', '\xff'}) {
        const std::string longer = exact + std::string(32, filler);
        Message a(AsBytes(exact));
        Message b(AsBytes(longer).first(size),
                  AsBytes(longer).data() + longer.size());
        bool more = true;
        while (more) {
          more = a.Next();
          ASSERT_EQ(more, b.Next()) << testing::PrintToString(exact);
          ASSERT_EQ(a.ok(), b.ok());
          ASSERT_EQ(a.cut(), b.cut());
          if (!more) break;
          ASSERT_EQ(a.tag(), b.tag());
          ASSERT_EQ(a.value(), b.value());
          ASSERT_EQ(a.text(), b.text());
        }
      }
    }
  }
}

TEST(WireTest, TooLongAFieldIsClipped) {
  const Pb pb = Pb().Raw(
      "\x0a\x09"
      "abc");
  Message m(pb.bytes());
  ASSERT_TRUE(m.Next());
  EXPECT_EQ(m.text(), "abc");
  EXPECT_TRUE(m.cut());
  EXPECT_FALSE(m.ok());
  EXPECT_FALSE(m.Next());
}

TEST(WireTest, EmptyMessage) {
  Message m(Bytes{});
  EXPECT_FALSE(m.Next());
  EXPECT_TRUE(m.ok());
}

TEST(WireTest, RepeatedNumbersPackedOrNot) {
  const Pb pb = Pb().Int(1, 7).Text(1, "\x01\xac\x02\x80");
  std::string all;
  Message m(pb.bytes());
  while (m.Next())
    ForEachVarint(m, [&](uint64_t v) { all += std::to_string(v) + " "; });
  EXPECT_EQ(all, "7 1 300 ");
}

TEST(IdTableTest, FindsSmallAndLargeIds) {
  IdTable<int> table;
  const uint64_t ids[] = {3, 0, 1ull << 40, 90, 70, ~0ull, 200};
  for (size_t i = 0; i < std::size(ids); ++i)
    table.Add(ids[i]) = static_cast<int>(i) + 1;
  for (size_t i = 0; i < std::size(ids); ++i) {
    ASSERT_NE(table.Find(ids[i]), nullptr) << ids[i];
    EXPECT_EQ(*table.Find(ids[i]), static_cast<int>(i) + 1);
  }
  EXPECT_EQ(table.Find(1), nullptr);
  EXPECT_EQ(table.Find(5000), nullptr);
  // An id that was out of reach when it came is still the same one.
  for (uint64_t id = 0; id < 200; ++id) table.Add(id);
  EXPECT_EQ(*table.Find(200), 7);
  EXPECT_EQ(table.Add(200), 7);
}

}  // namespace
}  // namespace stepscope::proto
