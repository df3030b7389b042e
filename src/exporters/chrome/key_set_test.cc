// SPDX-License-Identifier: Apache-2.0
#include "exporters/chrome/key_set.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stepscope::chrome {
namespace {

TEST(KeySet, NumbersWhatRepeats) {
  KeySet keys;
  EXPECT_EQ(keys.Add("a"), "a");
  EXPECT_EQ(keys.Add("b"), "b");
  EXPECT_EQ(keys.Add("a (2)"), "a (2)");
  EXPECT_EQ(keys.Add("a"), "a (3)");
  EXPECT_EQ(keys.Add(""), "");
  EXPECT_EQ(keys.Add(""), " (2)");
  keys.Clear();
  EXPECT_FALSE(keys.Contains("a"));
  EXPECT_EQ(keys.Add("a"), "a");
}

TEST(KeySet, StaysUniqueWhenThereAreMany) {
  KeySet keys;
  std::set<std::string> seen;
  for (int i = 0; i < 3000; ++i) {
    std::string key = keys.Add("key " + std::to_string(i % 1000));
    EXPECT_TRUE(seen.insert(key).second) << key;
    EXPECT_TRUE(keys.Contains(key));
  }
  keys.Clear();
  EXPECT_EQ(keys.Add("key 1"), "key 1");
}

}  // namespace
}  // namespace stepscope::chrome
