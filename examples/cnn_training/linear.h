// SPDX-License-Identifier: Apache-2.0
//
// Fully connected layer: every image becomes a row, row * weight^T + bias.
#pragma once

#include <cstdint>
#include <vector>

#include "cnn_training/layer.h"
#include "cnn_training/random.h"

namespace cnn {

class Linear final : public Layer {
 public:
  Linear(int64_t in_features, int64_t out_features, Random& random);

  Tensor Forward(Tensor input) override;
  Tensor Backward(Tensor output_gradient) override;
  std::vector<Parameter*> parameters() override { return {&weight_, &bias_}; }

 private:
  Parameter weight_;  // out_features x in_features
  Parameter bias_;    // out_features
  Tensor input_;      // of the last Forward()
};

}  // namespace cnn
