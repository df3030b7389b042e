// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/parts.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <utility>

namespace stepscope::proto {
namespace {

TEST(PartsTest, SharesAreAboutEqual) {
  const std::vector<uint8_t> file(1000);
  const Bytes all(file);
  // Where shares begin and end, for pieces of these places and sizes.
  const auto shares = [&](std::vector<std::pair<size_t, size_t>> places,
                          size_t readers) {
    std::vector<Bytes> pieces;
    for (const auto& [at, size] : places)
      pieces.push_back(all.subspan(at, size));
    std::string text;
    for (const Range& range : ShareBytes(pieces, readers))
      text += std::to_string(range.from - all.data()) + ".." +
              std::to_string(range.to - all.data()) + " ";
    return text;
  };
  EXPECT_EQ(shares({{0, 1000}}, 1), "0..1000 ");
  EXPECT_EQ(shares({{0, 1000}}, 4), "0..250 250..500 500..750 750..1000 ");
  EXPECT_EQ(shares({{100, 10}, {300, 90}}, 2), "100..340 340..390 ");
  EXPECT_EQ(shares({{100, 0}, {300, 1}}, 2), "100..100 100..301 ");
  EXPECT_EQ(ShareBytes({}, 2).size(), 2u);
}

TEST(PartsTest, SmallFilesHaveOneReader) {
  EXPECT_EQ(ReadersFor(1000, 0), 1u);
  EXPECT_EQ(ReadersFor(1000, 3), 3u);
  EXPECT_GE(ReadersFor(uint64_t{1} << 40, 0), 1u);
  EXPECT_LE(ReadersFor(uint64_t{1} << 40, 0), 16u);
}

TEST(PartsTest, EachReaderIsCalledOnce) {
  std::atomic<uint32_t> called = 0;
  ReadAtOnce(5, [&](size_t reader) { called += 1u << (4 * reader); });
  EXPECT_EQ(called, 0x11111u);
}

}  // namespace
}  // namespace stepscope::proto
