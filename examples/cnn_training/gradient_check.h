// SPDX-License-Identifier: Apache-2.0
//
// Compares the gradients a layer computes with finite differences.
#pragma once

#include <vector>

#include "cnn_training/layer.h"

namespace cnn {

// Largest difference between a computed and a measured gradient, relative to
// the largest measured one. The loss is the sum of the outputs weighted by
// fixed random numbers, summed in double.
struct GradientErrors {
  double input = 0.0;
  std::vector<double> parameters;  // in the order of layer.parameters()
};

// `step` is the distance to either side of a value at which the loss is
// measured. REQUIRES: the loss is smooth within `step` of every value.
GradientErrors CheckGradients(Layer& layer, const Tensor& input, float step);

}  // namespace cnn
