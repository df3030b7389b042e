// SPDX-License-Identifier: Apache-2.0
//
// The network: two convolutions with pooling, then a linear classifier.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cnn_training/layer.h"

namespace cnn {

// Not thread-safe.
class Model {
 public:
  // Weights are drawn from `seed`.
  explicit Model(uint64_t seed);

  // Class scores of a batch of 3 x 32 x 32 images, one row an image.
  Tensor Forward(Tensor images);
  // Sets the gradient of every parameter.
  void Backward(Tensor score_gradient);
  // Owned by the model.
  std::vector<Parameter*> parameters();

 private:
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace cnn
