// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/model.h"

#include <ranges>
#include <utility>

#include "cnn_training/conv2d.h"
#include "cnn_training/dataset.h"
#include "cnn_training/linear.h"
#include "cnn_training/max_pool2d.h"
#include "cnn_training/random.h"
#include "cnn_training/relu.h"

namespace cnn {
namespace {

constexpr int64_t kFirstChannels = 16;
constexpr int64_t kSecondChannels = 32;
constexpr int64_t kPooledSide = kImageSide / 4;

}  // namespace

Model::Model(uint64_t seed) {
  Random random(seed);
  layers_.push_back(std::make_unique<Conv2d>(
      kImageChannels, kFirstChannels, Conv2d::InputGradient::kSkip, random));
  layers_.push_back(std::make_unique<Relu>());
  layers_.push_back(std::make_unique<MaxPool2d>());
  layers_.push_back(std::make_unique<Conv2d>(kFirstChannels, kSecondChannels,
                                             Conv2d::InputGradient::kCompute,
                                             random));
  layers_.push_back(std::make_unique<Relu>());
  layers_.push_back(std::make_unique<MaxPool2d>());
  layers_.push_back(std::make_unique<Linear>(
      kSecondChannels * kPooledSide * kPooledSide, kClasses, random));
}

Tensor Model::Forward(Tensor images) {
  Tensor activation = std::move(images);
  for (const auto& layer : layers_) {
    activation = layer->Forward(std::move(activation));
  }
  return activation;
}

void Model::Backward(Tensor score_gradient) {
  Tensor gradient = std::move(score_gradient);
  for (const auto& layer : layers_ | std::views::reverse) {
    gradient = layer->Backward(std::move(gradient));
  }
}

std::vector<Parameter*> Model::parameters() {
  std::vector<Parameter*> all;
  for (const auto& layer : layers_) {
    for (Parameter* parameter : layer->parameters()) all.push_back(parameter);
  }
  return all;
}

}  // namespace cnn
