// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/adam.h"

#include <stepscope/stepscope.h>

#include <cmath>

namespace cnn {

Adam::Adam(std::vector<Parameter*> parameters, AdamOptions options)
    : options_(options) {
  moments_.reserve(parameters.size());
  for (Parameter* parameter : parameters) {
    const Shape& shape = parameter->value.shape();
    moments_.push_back({parameter, Tensor::Zeros(shape), Tensor::Zeros(shape)});
  }
}

void Adam::Step() {
  ++steps_;
  const auto steps = static_cast<float>(steps_);
  // Both moments start at zero; this takes that bias out.
  const float mean_scale = 1.0F / (1.0F - std::pow(options_.beta1, steps));
  const float square_scale = 1.0F / (1.0F - std::pow(options_.beta2, steps));
  for (Moments& moments : moments_) {
    const Shape& shape = moments.parameter->value.shape();
    stepscope::RecordEvent event("adam", stepscope::EventType::kOperator);
    event.Arg("input_shape", {shape.n, shape.c, shape.h, shape.w});
    float* value = moments.parameter->value.data();
    const float* gradient = moments.parameter->gradient.data();
    float* mean = moments.mean.data();
    float* square = moments.square.data();
    for (int64_t i = 0; i < shape.size(); ++i) {
      const float g = gradient[i];
      mean[i] += (1.0F - options_.beta1) * (g - mean[i]);
      square[i] += (1.0F - options_.beta2) * (g * g - square[i]);
      value[i] -= options_.learning_rate * mean[i] * mean_scale /
                  (std::sqrt(square[i] * square_scale) + options_.epsilon);
    }
  }
}

}  // namespace cnn
