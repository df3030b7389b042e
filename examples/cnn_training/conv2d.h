// SPDX-License-Identifier: Apache-2.0
//
// Convolution 3 x 3, stride 1, zero padding 1, with bias: the image is unfolded
// into columns (im2col), after which everything is a matrix product.
#pragma once

#include <cstdint>
#include <vector>

#include "cnn_training/layer.h"
#include "cnn_training/random.h"

namespace cnn {

class Conv2d final : public Layer {
 public:
  enum class InputGradient {
    kCompute,
    kSkip,  // first layer: nobody asks; Backward() returns an empty tensor
  };

  Conv2d(int64_t in_channels, int64_t out_channels, InputGradient mode,
         Random& random);

  Tensor Forward(Tensor input) override;
  Tensor Backward(Tensor output_gradient) override;
  std::vector<Parameter*> parameters() override { return {&weight_, &bias_}; }

 private:
  void ParameterGradients(const Tensor& output_gradient);

  InputGradient mode_;
  Parameter weight_;  // out_channels x in_channels x 3 x 3
  Parameter bias_;    // out_channels
  Shape input_shape_;
  Tensor columns_;  // of the last Forward(): n x (in_channels * 9) x (h * w)
};

}  // namespace cnn
