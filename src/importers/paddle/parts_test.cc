// SPDX-License-Identifier: Apache-2.0
//
// Node trees that several readers share make the trace that one makes.
#include <gtest/gtest.h>

#include <random>

#include "importers/proto/pb_writer_test_support.h"
#include "importers/proto/whole_text_test_support.h"

namespace stepscope::proto::paddle {
namespace {

class TreeGenerator {
 public:
  explicit TreeGenerator(uint32_t seed) : random_(seed) {}

  std::string Trees() {
    Pb trees;
    trees.Text(1, "1.0.2").Int(2, 0);
    for (int64_t thread = 1; thread <= 3; ++thread) {
      Pb tree;
      tree.Int(1, thread);
      for (uint64_t i = Below(40); i > 0; --i) tree.Sub(2, Node());
      trees.Sub(3, tree);
    }
    trees.Sub(4, Pb().Text(1, "2").Text(2, "loader"));
    return trees.str();
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  int64_t Time() { return kSampleTime + static_cast<int64_t>(Below(100'000)); }
  Pb Name() { return Pb().Text(1, "name " + std::to_string(Below(30))); }

  Pb Node() {
    Pb node;
    node.Int(1, 5).Int(2, OneIn(20) ? -1 : 0);
    if (!OneIn(15)) node.Sub(3, HostEvent());
    for (uint64_t i = Below(3); i > 0; --i) node.Sub(4, RuntimeNode());
    if (OneIn(4)) node.Sub(5, Pb().Sub(1, MemoryEvent()));
    if (OneIn(4)) node.Sub(6, Pb().Sub(1, Pb().Text(2, "op")));
    return node;
  }
  Pb HostEvent() {
    Pb event = Name();
    event.Int(2, static_cast<int64_t>(Below(18))).Int(3, Time());
    if (!OneIn(15)) event.Int(4, Time());
    if (!OneIn(9)) event.Int(5, static_cast<int64_t>(100 + Below(20) / 19));
    return event;
  }
  Pb RuntimeNode() {
    Pb event = Name();
    event.Int(2, Time()).Int(3, Time());
    if (!OneIn(4)) event.Int(4, static_cast<int64_t>(100 + Below(20) / 19));
    event.Int(6, static_cast<int64_t>(Below(1000)));
    Pb node;
    node.Sub(1, event);
    if (OneIn(2)) node.Sub(2, Pb().Sub(1, DeviceEvent()));
    return node;
  }
  Pb DeviceEvent() {
    return Name()
        .Int(2, static_cast<int64_t>(3 + Below(5)))
        .Int(3, Time())
        .Int(4, Time())
        .Int(7, static_cast<int64_t>(Below(4)))
        .Int(8, static_cast<int64_t>(Below(1000)))
        .Sub(9, Pb().Int(1, 128).Int(9, 32));
  }
  Pb MemoryEvent() {
    Pb event;
    event.Int(1, Time()).Int(2, static_cast<int64_t>(Below(4)));
    if (OneIn(2)) event.Int(4, 100);
    return event.Int(6, 512).Text(7, "gpu:" + std::to_string(Below(9)));
  }

  std::mt19937_64 random_;
};

TEST(PaddlePartsTest, SeveralReadersSeeWhatOneDoes) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string bytes = TreeGenerator(seed).Trees();
    const std::string one = ReadAtOnceText(ImportPaddleTree, bytes, 1);
    for (const unsigned readers : {2u, 3u, 7u})
      ASSERT_EQ(one, ReadAtOnceText(ImportPaddleTree, bytes, readers)) << seed;
  }
}

// A node that does not say its process belongs to that of the node before,
// which another reader has.
TEST(PaddlePartsTest, ProcessOfTheNodeBefore) {
  const auto event = [](const char* name) {
    return Pb().Text(1, name).Int(2, 0).Int(3, 10).Int(4, 90);
  };
  const Pb call =
      Pb().Sub(1, Pb().Text(1, "call").Int(2, 20).Int(3, 30).Int(6, 1));
  Pb tree;
  tree.Int(1, 7).Sub(2, Pb().Int(1, 1).Sub(3, event("a").Int(5, 4242)));
  tree.Sub(2, Pb().Int(1, 2).Int(2, -1).Sub(3, event("b")).Sub(4, call));
  const std::string bytes = Pb().Text(1, "1.0.2").Int(2, 0).Sub(3, tree).str();
  const std::string one = ReadAtOnceText(ImportPaddleTree, bytes, 1);
  EXPECT_EQ(one, ReadAtOnceText(ImportPaddleTree, bytes, 2));
  EXPECT_NE(one.find("call"), std::string::npos);
}

}  // namespace
}  // namespace stepscope::proto::paddle
