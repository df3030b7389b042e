// SPDX-License-Identifier: Apache-2.0
#include "torch/prebuilt_values.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace stepscope::torch_abi {
namespace {

constexpr uint32_t kFakeTruth = 9;
constexpr uint32_t kFakeList = 12;

template <typename T>
Input Make(uint32_t kind, T payload) {
  Input input = {nullptr, kind, 0};
  std::memcpy(&input.content, &payload, sizeof(payload));
  return input;
}
Input Int(int64_t value) { return Make(kInt, value); }

// A list with so many words of counts.
template <size_t kCounts>
struct FakeList {
  const void* vtable = nullptr;
  uint64_t counts[kCounts] = {};
  std::vector<Input> elements;
  const void* type[2] = {};

  explicit FakeList(std::vector<Input> values) : elements(std::move(values)) {}
  Input AsInput() const { return Make(kFakeList, this); }
};

template <size_t kCounts>
void Learn() {
  const FakeList<kCounts> sizes({Int(3), Int(5)});
  const Input inputs[] = {sizes.AsInput(), Make(kNone, int64_t{0}),
                          Make(kNone, int64_t{0}), Make(kNone, int64_t{0}),
                          Make(kFakeTruth, int64_t{0})};
  LearnKinds({inputs, 5});
}

std::string TextOf(const Input& input) {
  return std::string(ValueText(input).view());
}

TEST(PrebuiltValues, NumbersAreKnownFromTheBeginning) {
  EXPECT_EQ(TextOf(Int(-6)), "-6");
  EXPECT_EQ(TextOf(Make(kDouble, 2.0)), "2.");
  EXPECT_EQ(TextOf(Make(kDouble, 0.1)), "0.10000000000000001");
  EXPECT_EQ(TextOf(Make(kDouble, 1e20)), "1e+20");
  EXPECT_EQ(TextOf(Make(kDouble, std::numeric_limits<double>::infinity())),
            "inf");
  EXPECT_EQ(TextOf(Make(kNone, int64_t{0})), "");
}

// Before the others: what was learned stays.
TEST(PrebuiltValues, OtherInputsTeachNothing) {
  const FakeList<2> other({Int(3), Int(6)});
  const Input inputs[5] = {other.AsInput()};
  LearnKinds({inputs, 5});
  LearnKinds({inputs, 4});
  LearnKinds({nullptr, 5});
  EXPECT_FALSE(KnowsLists());
  EXPECT_EQ(TextOf(other.AsInput()), "");
  Inputs elements;
  EXPECT_FALSE(IsList(other.AsInput(), &elements));
}

template <size_t kCounts>
void TestLists() {
  Learn<kCounts>();
  ASSERT_TRUE(KnowsLists());
  EXPECT_EQ(TextOf(FakeList<kCounts>({}).AsInput()), "[]");
  EXPECT_EQ(TextOf(FakeList<kCounts>({Int(64), Int(32)}).AsInput()),
            "[64, 32]");
  EXPECT_EQ(TextOf(FakeList<kCounts>({Make(kFakeTruth, int64_t{1}),
                                      Make(kFakeTruth, int64_t{0})})
                       .AsInput()),
            "[True, False]");
  // Of tensors there is no text, and of what does not fit.
  EXPECT_EQ(TextOf(FakeList<kCounts>({Make(kTensor, int64_t{8})}).AsInput()),
            "");
  EXPECT_EQ(
      TextOf(FakeList<kCounts>(std::vector<Input>(400, Int(1))).AsInput()), "");
}

TEST(PrebuiltValues, ListsWithTwoCounts) { TestLists<2>(); }
TEST(PrebuiltValues, ListsWithOneCount) { TestLists<1>(); }

TEST(PrebuiltValues, TruthValuesAreScalars) {
  Learn<2>();
  EXPECT_TRUE(IsScalar(Make(kFakeTruth, int64_t{1})));
  EXPECT_FALSE(IsNumber(Make(kFakeTruth, int64_t{1})));
  EXPECT_EQ(TextOf(Make(kFakeTruth, int64_t{1})), "True");
}

}  // namespace
}  // namespace stepscope::torch_abi
