// SPDX-License-Identifier: Apache-2.0
//
// Maximum of every 2 x 2 square.
#pragma once

#include <cstdint>
#include <vector>

#include "cnn_training/layer.h"

namespace cnn {

// REQUIRES: height and width are even.
class MaxPool2d final : public Layer {
 public:
  Tensor Forward(Tensor input) override;
  Tensor Backward(Tensor output_gradient) override;
  std::vector<Parameter*> parameters() override { return {}; }

 private:
  Shape input_shape_;
  std::vector<int32_t> winners_;  // for each output, index into the input
};

}  // namespace cnn
