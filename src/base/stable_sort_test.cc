// SPDX-License-Identifier: Apache-2.0
#include "base/stable_sort.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

namespace stepscope {
namespace {

struct Row {
  int key;
  size_t place;
  std::string name;
  bool operator==(const Row&) const = default;
};

TEST(StableSort, IsTheLibrarysOrder) {
  std::mt19937 random(7);
  for (size_t count : {0, 1, 2, 3, 17, 100, 5000}) {
    std::vector<Row> rows;
    for (size_t place = 0; place < count; ++place) {
      const int key = static_cast<int>(random() % 37);
      rows.push_back({key, place, std::string(key % 5 * 9, 'x')});
    }
    std::vector<Row> expected = rows;
    const auto less = [](const Row& a, const Row& b) { return a.key < b.key; };
    std::stable_sort(expected.begin(), expected.end(), less);
    StableSort(rows.begin(), rows.end(), less);
    EXPECT_EQ(rows, expected) << count;
  }
}

TEST(StableSort, LeavesWhatIsOutsideOfItsRange) {
  std::vector<int> values = {9, 5, 7, 3, 8, 1};
  StableSort(values.begin() + 1, values.end() - 1);
  EXPECT_EQ(values, (std::vector<int>{9, 3, 5, 7, 8, 1}));
}

TEST(StableSort, MovesWhatCanNotBeCopied) {
  std::vector<std::unique_ptr<int>> values;
  for (int value : {3, 1, 2}) {
    values.push_back(std::make_unique<int>(value));
  }
  StableSort(values.begin(), values.end(),
             [](const auto& a, const auto& b) { return *a < *b; });
  EXPECT_EQ(*values[0] * 100 + *values[1] * 10 + *values[2], 123);
}

}  // namespace
}  // namespace stepscope
