// SPDX-License-Identifier: Apache-2.0
//
// The layout of nodes is found, or it is not: never a wrong one.
#include "python/node_layout.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace {

// As HostPythonNode of Paddle, with other things in between.
struct Node {
  std::string name;
  int32_t type = 0;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint64_t process = 4711;
  std::vector<int> shapes;
  std::vector<Node*> children;
  char rest[512] = {};
};

// As an object of pybind11.
struct Object {
  int64_t references = 1;
  void* type = nullptr;
  const void* value = nullptr;
};

class NodeLayoutTest : public testing::Test {
 protected:
  // Operators with two phases each; every third has none.
  void SetUp() override {
    for (int i = 0; i < 24; ++i) {
      Node& node = Make("op " + std::to_string(i), 0, i);
      if (i % 3 == 0) continue;
      node.children = {&Make("infer_meta", 8, i), &Make("launch", 15, i)};
    }
    for (Object& object : objects_) samples_.push_back(SampleOf(object));
  }

  Node& Make(const std::string& name, int32_t type, int i) {
    Node& node = nodes_.emplace_back();
    node.name = name;
    node.type = type;
    node.start_ns = 1794725249941644000u + 1000u * nodes_.size();
    node.end_ns = node.start_ns + 10 + static_cast<uint64_t>(i);
    objects_.push_back({1, nullptr, &node});
    return node;
  }

  NodeSample SampleOf(const Object& object) const {
    const Node& node = *static_cast<const Node*>(object.value);
    NodeSample sample = {&object,
                         node.name,
                         node.type,
                         static_cast<int64_t>(node.start_ns),
                         static_cast<int64_t>(node.end_ns),
                         {}};
    for (const Node* child : node.children)
      for (const Object& other : objects_)
        if (other.value == child) sample.children.push_back(&other);
    return sample;
  }

  std::deque<Node> nodes_;
  std::deque<Object> objects_;
  std::vector<NodeSample> samples_;
};

TEST_F(NodeLayoutTest, IsFound) {
  const auto layout = FindNodeLayout(samples_);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->type, offsetof(Node, type));
  EXPECT_EQ(layout->start, offsetof(Node, start_ns));
  EXPECT_EQ(layout->end, offsetof(Node, end_ns));
  EXPECT_EQ(layout->children, offsetof(Node, children));
  EXPECT_EQ(NodeBehind(&objects_[5]), static_cast<const void*>(&nodes_[5]));
}

TEST_F(NodeLayoutTest, IsNotFoundFromTooFewOrTooAlike) {
  const std::vector<NodeSample> few(samples_.begin(), samples_.begin() + 8);
  EXPECT_FALSE(FindNodeLayout(few).has_value());
  std::vector<NodeSample> alike;
  for (const NodeSample& sample : samples_)
    if (sample.children.empty()) alike.push_back(sample);
  ASSERT_GE(alike.size(), 16u);
  EXPECT_FALSE(FindNodeLayout(alike).has_value());
  EXPECT_FALSE(FindNodeLayout({}).has_value());
}

TEST_F(NodeLayoutTest, IsNotFoundIfOneNodeDisagrees) {
  for (const int field : {0, 1, 2, 3, 4}) {
    std::vector<NodeSample> samples = samples_;
    NodeSample& odd = samples[20];
    if (field == 0) odd.name += "x";
    if (field == 1) odd.type = 99;
    if (field == 2) ++odd.start_ns;
    if (field == 3) ++odd.end_ns;
    if (field == 4) odd.children.push_back(&objects_[0]);
    EXPECT_FALSE(FindNodeLayout(samples).has_value()) << field;
  }
}

TEST_F(NodeLayoutTest, IsNotFoundIfTwoAgree) {
  for (Node& node : nodes_) node.process = node.start_ns;
  EXPECT_FALSE(FindNodeLayout(samples_).has_value());
}

TEST_F(NodeLayoutTest, WrongPointersDoNoHarm) {
  for (const uintptr_t wrong : {uintptr_t{0}, uintptr_t{1}, ~uintptr_t{0}}) {
    objects_[3].value = reinterpret_cast<const void*>(wrong);
    EXPECT_FALSE(FindNodeLayout(samples_).has_value());
  }
}

}  // namespace
