// SPDX-License-Identifier: Apache-2.0
//
// Rectifier: max(x, 0), in place.
#pragma once

#include <vector>

#include "cnn_training/layer.h"

namespace cnn {

class Relu final : public Layer {
 public:
  Tensor Forward(Tensor input) override;
  Tensor Backward(Tensor output_gradient) override;
  std::vector<Parameter*> parameters() override { return {}; }

 private:
  Tensor slope_;  // 1 where the input was positive, else 0
};

}  // namespace cnn
