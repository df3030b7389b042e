// SPDX-License-Identifier: Apache-2.0
//
// Every layer's gradients against finite differences.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "cnn_training/conv2d.h"
#include "cnn_training/cross_entropy.h"
#include "cnn_training/gradient_check.h"
#include "cnn_training/linear.h"
#include "cnn_training/max_pool2d.h"
#include "cnn_training/random.h"
#include "cnn_training/relu.h"

namespace cnn {
namespace {

// Float arithmetic leaves about 1e-4; a wrong tap or sign leaves more than 0.1.
constexpr double kTolerance = 2e-3;
constexpr float kStep = 0.05F;

Tensor RandomTensor(Shape shape, uint64_t seed) {
  Random random(seed);
  Tensor tensor(shape);
  for (float& x : tensor.values()) x = random.Uniform(-1.0F, 1.0F);
  return tensor;
}

TEST(Conv2dTest, MatchesDirectConvolution) {
  Random random(3);
  Conv2d conv(2, 3, Conv2d::InputGradient::kCompute, random);
  conv.parameters()[1]->value.data()[1] = 0.5F;
  const Tensor input = RandomTensor({2, 2, 5, 4}, 4);
  const Tensor output = conv.Forward(input.Clone());
  const float* weight = conv.parameters()[0]->value.data();
  const float* bias = conv.parameters()[1]->value.data();
  ASSERT_EQ(output.shape(), (Shape{2, 3, 5, 4}));
  const auto pixel = [&](int64_t n, int64_t c, int64_t y, int64_t x) {
    if (y < 0 || y >= 5 || x < 0 || x >= 4) return 0.0F;
    return input.image(n)[(c * 5 + y) * 4 + x];
  };
  for (int64_t i = 0; i < output.size(); ++i) {
    const int64_t x = i % 4, y = i / 4 % 5, oc = i / 20 % 3, n = i / 60;
    float want = bias[oc];
    for (int64_t tap = 0; tap < 18; ++tap) {
      const int64_t c = tap / 9, dy = tap / 3 % 3 - 1, dx = tap % 3 - 1;
      want += weight[oc * 18 + tap] * pixel(n, c, y + dy, x + dx);
    }
    EXPECT_NEAR(output.data()[i], want, 1e-5F) << "at " << i;
  }
}

TEST(Conv2dTest, Gradients) {
  Random random(5);
  Conv2d conv(2, 5, Conv2d::InputGradient::kCompute, random);
  const GradientErrors errors =
      CheckGradients(conv, RandomTensor({3, 2, 6, 4}, 6), kStep);
  EXPECT_LT(errors.input, kTolerance);
  ASSERT_EQ(errors.parameters.size(), 2U);
  EXPECT_LT(errors.parameters[0], kTolerance);
  EXPECT_LT(errors.parameters[1], kTolerance);
}

TEST(Conv2dTest, SkippedInputGradientIsEmpty) {
  Random random(5);
  Conv2d conv(1, 1, Conv2d::InputGradient::kSkip, random);
  const Tensor output = conv.Forward(RandomTensor({1, 1, 4, 4}, 6));
  EXPECT_EQ(conv.Backward(output.Clone()).size(), 0);
}

TEST(LinearTest, Gradients) {
  Random random(7);
  // Deeper than one slice of the matrix product.
  Linear linear(300, 3, random);
  const GradientErrors errors =
      CheckGradients(linear, RandomTensor({5, 3, 10, 10}, 8), kStep);
  EXPECT_LT(errors.input, kTolerance);
  ASSERT_EQ(errors.parameters.size(), 2U);
  EXPECT_LT(errors.parameters[0], kTolerance);
  EXPECT_LT(errors.parameters[1], kTolerance);
}

TEST(ReluTest, GradientsAwayFromTheKink) {
  Tensor input = RandomTensor({2, 3, 4, 4}, 9);
  for (float& x : input.values()) x += x > 0.0F ? 2 * kStep : -2 * kStep;
  Relu relu;
  EXPECT_LT(CheckGradients(relu, input, kStep).input, kTolerance);
}

TEST(MaxPool2dTest, GradientsWithoutTies) {
  // Values 0.3 apart: a step changes no winner.
  Tensor input({2, 3, 4, 6});
  Random random(10);
  for (int64_t i = 0; i < input.size(); ++i) {
    input.data()[i] = 0.3F * static_cast<float>(i);
    std::swap(input.data()[i], input.data()[random.Below(i + 1)]);
  }
  MaxPool2d pool;
  EXPECT_LT(CheckGradients(pool, input, kStep).input, kTolerance);
}

TEST(CrossEntropyTest, LossAndGradient) {
  const std::array<int32_t, 3> labels = {2, 0, 3};
  Tensor logits = RandomTensor({3, 4}, 11);
  CrossEntropy loss;
  loss.Forward(logits.Clone(), labels);
  const Tensor gradient = loss.Backward();
  for (int64_t i = 0; i < logits.size(); ++i) {
    const float kept = logits.data()[i];
    logits.data()[i] = kept + 0.02F;
    const float above = loss.Forward(logits.Clone(), labels);
    logits.data()[i] = kept - 0.02F;
    const float below = loss.Forward(logits.Clone(), labels);
    logits.data()[i] = kept;
    EXPECT_NEAR(gradient.data()[i], (above - below) / 0.04F, 2e-4F);
  }
  logits.Fill(0.0F);
  EXPECT_NEAR(loss.Forward(logits.Clone(), labels), std::log(4.0F), 1e-6F);
}

TEST(CrossEntropyTest, HugeScoresStayFinite) {
  const std::array<int32_t, 1> labels = {1};
  Tensor logits = Tensor::Zeros({1, 2});
  logits.data()[0] = 1e4F;
  CrossEntropy loss;
  EXPECT_FLOAT_EQ(loss.Forward(logits.Clone(), labels), 1e4F);
  EXPECT_EQ(loss.correct(), 0);
}

// The check itself must see a wrong gradient.
class WrongRelu final : public Layer {
 public:
  Tensor Forward(Tensor input) override {
    return relu_.Forward(std::move(input));
  }
  Tensor Backward(Tensor output_gradient) override {
    Tensor gradient = relu_.Backward(std::move(output_gradient));
    gradient.data()[gradient.size() - 1] += 0.1F;
    return gradient;
  }
  std::vector<Parameter*> parameters() override { return {}; }

 private:
  Relu relu_;
};

TEST(GradientCheckTest, SeesOneWrongElement) {
  Tensor input = RandomTensor({2, 3, 4, 4}, 9);
  for (float& x : input.values()) x += x > 0.0F ? 2 * kStep : -2 * kStep;
  WrongRelu relu;
  EXPECT_GT(CheckGradients(relu, input, kStep).input, 0.05);
}

}  // namespace
}  // namespace cnn
