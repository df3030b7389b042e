// SPDX-License-Identifier: Apache-2.0
//
// The Adam optimizer (Kingma and Ba, 2015).
#pragma once

#include <cstdint>
#include <vector>

#include "cnn_training/layer.h"

namespace cnn {

struct AdamOptions {
  float learning_rate = 2e-3F;
  float beta1 = 0.9F;
  float beta2 = 0.999F;
  float epsilon = 1e-8F;
};

class Adam {
 public:
  // The parameters are not owned and must outlive the optimizer.
  explicit Adam(std::vector<Parameter*> parameters, AdamOptions options = {});

  // Moves every parameter along its gradient.
  void Step();

 private:
  struct Moments {
    Parameter* parameter;
    Tensor mean;
    Tensor square;
  };

  AdamOptions options_;
  std::vector<Moments> moments_;
  int64_t steps_ = 0;
};

}  // namespace cnn
