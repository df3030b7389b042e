// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/relu.h"

#include <stepscope/stepscope.h>

namespace cnn {

Tensor Relu::Forward(Tensor input) {
  const Shape& shape = input.shape();
  stepscope::RecordEvent event("relu", stepscope::EventType::kOperator);
  event.Arg("input_shape", {shape.n, shape.c, shape.h, shape.w});
  slope_ = Tensor(shape);
  float* x = input.data();
  float* slope = slope_.data();
  for (int64_t i = 0; i < input.size(); ++i) {
    slope[i] = x[i] > 0.0F ? 1.0F : 0.0F;
    x[i] *= slope[i];
  }
  return input;
}

Tensor Relu::Backward(Tensor output_gradient) {
  const Shape& shape = output_gradient.shape();
  stepscope::RecordEvent event("relu_grad", stepscope::EventType::kOperator);
  event.Arg("input_shape", {shape.n, shape.c, shape.h, shape.w});
  float* gradient = output_gradient.data();
  const float* slope = slope_.data();
  for (int64_t i = 0; i < output_gradient.size(); ++i) gradient[i] *= slope[i];
  slope_ = Tensor();
  return output_gradient;
}

}  // namespace cnn
