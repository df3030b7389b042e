// SPDX-License-Identifier: Apache-2.0
#include "importers/proto/parts.h"

#include <gtest/gtest.h>

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
  const Executor five(5);
  EXPECT_EQ(ReadersFor(1000, 0, five), 1u);
  EXPECT_EQ(ReadersFor(1000, 3, five), 3u);
  EXPECT_EQ(ReadersFor(uint64_t{1} << 40, 0, five), 5u);
  EXPECT_EQ(ReadersFor(uint64_t{1} << 40, 0, Executor(100)), 16u);
  EXPECT_EQ(ReadersFor(uint64_t{1} << 40, 0, Executor(1)), 1u);
}

}  // namespace
}  // namespace stepscope::proto
