// SPDX-License-Identifier: Apache-2.0
#include "trace/build/link_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace stepscope {
namespace {

auto Key(const Link& link) {
  return std::tuple(link.process, link.space, link.id, link.row);
}

// Sorts `links` both ways and compares.
void ExpectSorted(std::vector<Link> links) {
  Column<Link> column;
  ASSERT_TRUE(column.AppendAll(links));
  SortLinks(column);
  std::sort(links.begin(), links.end(),
            [](const Link& a, const Link& b) { return Key(a) < Key(b); });
  ASSERT_EQ(column.size(), links.size());
  for (size_t i = 0; i < links.size(); ++i)
    ASSERT_EQ(Key(column[i]), Key(links[i])) << i;
}

TEST(LinkOrderTest, NoneAndOne) {
  ExpectSorted({});
  ExpectSorted({{3, LinkSpace::kSequence, 7, 1}});
}

// As files have them: spaces mixed, each in order.
TEST(LinkOrderTest, SpacesMixed) {
  std::vector<Link> links;
  for (Row row = 0; row < 300; row += 3) {
    links.push_back({0, LinkSpace::kSequence, row / 9, row});
    links.push_back({0, LinkSpace::kCorrelation, row + 27, row + 1});
    links.push_back({1, LinkSpace::kCorrelation, row + 27, row + 2});
  }
  ExpectSorted(links);
}

// The work of a call has a lower row where its track comes first.
TEST(LinkOrderTest, IdsInOrderRowsNot) {
  std::vector<Link> links;
  for (Row row = 0; row < 300; ++row) {
    links.push_back({0, LinkSpace::kCorrelation, row / 3, 1000 + row});
    links.push_back({0, LinkSpace::kCorrelation, row / 3, 500 - row});
    links.push_back({0, LinkSpace::kSequence, row / 2, row});
  }
  ExpectSorted(links);
}

TEST(LinkOrderTest, AnyOrder) {
  std::mt19937_64 random(1);
  for (const auto& [processes, ids] :
       {std::pair(1u, uint64_t{9}), std::pair(3u, UINT64_MAX),
        std::pair(3u, uint64_t{500}), std::pair(40u, uint64_t{9}),
        std::pair(1u, UINT64_MAX)}) {
    std::vector<Link> links(500);
    for (Link& link : links)
      link = {static_cast<uint32_t>(random() % processes),
              static_cast<LinkSpace>(random() % 4), random() % ids,
              static_cast<Row>(random() % 1000)};
    ExpectSorted(links);
  }
}

// What refers to no process is found out later; it must not cost memory.
TEST(LinkOrderTest, ProcessThatIsNot) {
  ExpectSorted({{UINT32_MAX, LinkSpace::kExternal, 1, 5},
                {0, LinkSpace::kSequence, 9, 4},
                {0, LinkSpace::kCorrelation, 9, kNoRow}});
}

}  // namespace
}  // namespace stepscope
