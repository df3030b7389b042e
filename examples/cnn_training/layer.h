// SPDX-License-Identifier: Apache-2.0
//
// What every layer of the network does. A layer keeps from Forward() what its
// Backward() needs, so the two alternate, on one thread.
#pragma once

#include <vector>

#include "cnn_training/tensor.h"

namespace cnn {

// A trained tensor and the gradient of the loss with respect to it.
struct Parameter {
  Tensor value;
  Tensor gradient;
};

class Layer {
 public:
  virtual ~Layer() = default;

  virtual Tensor Forward(Tensor input) = 0;
  // Sets the gradients of the parameters; returns that of the input.
  // REQUIRES: follows a Forward().
  virtual Tensor Backward(Tensor output_gradient) = 0;
  // Owned by the layer.
  virtual std::vector<Parameter*> parameters() = 0;
};

}  // namespace cnn
