// SPDX-License-Identifier: Apache-2.0
//
// Softmax followed by cross-entropy, averaged over the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cnn_training/tensor.h"

namespace cnn {

class CrossEntropy {
 public:
  // `logits` has a row of class scores for each label.
  // REQUIRES: 0 <= label < number of classes.
  float Forward(Tensor logits, std::span<const int32_t> labels);
  // Gradient of the loss with respect to the logits.
  // REQUIRES: follows a Forward().
  Tensor Backward();

  // How many of the last Forward()'s labels had the highest score.
  int64_t correct() const { return correct_; }

 private:
  Tensor probabilities_;
  std::vector<int32_t> labels_;
  int64_t correct_ = 0;
};

}  // namespace cnn
