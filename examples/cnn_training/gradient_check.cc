// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cnn_training/random.h"

namespace cnn {
namespace {

Tensor RandomWeights(const Shape& shape) {
  Random random(99);
  Tensor weights(shape);
  for (float& w : weights.values()) w = random.Uniform(0.2F, 1.0F);
  return weights;
}

double WeightedLoss(Layer& layer, const Tensor& input, const Tensor& weights) {
  const Tensor output = layer.Forward(input.Clone());
  double loss = 0.0;
  for (int64_t i = 0; i < output.size(); ++i) {
    loss += static_cast<double>(output.data()[i]) *
            static_cast<double>(weights.data()[i]);
  }
  return loss;
}

// `values` are moved one at a time, `loss` is measured, `computed` compared.
double LargestError(std::span<float> values, std::span<const float> computed,
                    float step, const std::function<double()>& loss) {
  double largest_error = 0.0;
  double largest = 1e-12;
  for (size_t i = 0; i < values.size(); ++i) {
    const float kept = values[i];
    values[i] = kept + step;
    const double above = loss();
    const float top = values[i];
    values[i] = kept - step;
    const double below = loss();
    // The distance really travelled, after rounding.
    const double distance =
        static_cast<double>(top) - static_cast<double>(values[i]);
    values[i] = kept;
    const double measured = (above - below) / distance;
    largest = std::max(largest, std::abs(measured));
    largest_error = std::max(
        largest_error, std::abs(measured - static_cast<double>(computed[i])));
  }
  return largest_error / largest;
}

}  // namespace

GradientErrors CheckGradients(Layer& layer, const Tensor& input, float step) {
  Tensor moved = input.Clone();
  const Tensor output = layer.Forward(input.Clone());
  const Tensor weights = RandomWeights(output.shape());
  const Tensor input_gradient = layer.Backward(weights.Clone());
  const auto loss = [&] { return WeightedLoss(layer, moved, weights); };

  GradientErrors errors;
  errors.input =
      LargestError(moved.values(), input_gradient.values(), step, loss);
  for (Parameter* parameter : layer.parameters()) {
    const Tensor computed = parameter->gradient.Clone();
    errors.parameters.push_back(
        LargestError(parameter->value.values(), computed.values(), step, loss));
  }
  return errors;
}

}  // namespace cnn
