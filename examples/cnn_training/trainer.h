// SPDX-License-Identifier: Apache-2.0
//
// One training step: forward, backward, optimizer.
#pragma once

#include <cstdint>

#include "cnn_training/adam.h"
#include "cnn_training/cross_entropy.h"
#include "cnn_training/data_loader.h"
#include "cnn_training/model.h"

namespace cnn {

struct StepResult {
  float loss = 0.0F;
  float accuracy = 0.0F;  // 0..1, on the batch trained on, before the update
};

// Not thread-safe.
class Trainer {
 public:
  explicit Trainer(uint64_t seed);
  StepResult Step(Batch batch);

 private:
  Model model_;
  CrossEntropy loss_;
  Adam optimizer_;
};

}  // namespace cnn
