// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/trainer.h"

#include <stepscope/stepscope.h>

#include <utility>

namespace cnn {

using stepscope::EventType;

Trainer::Trainer(uint64_t seed)
    : model_(seed), optimizer_(model_.parameters()) {}

StepResult Trainer::Step(Batch batch) {
  StepResult result;
  {
    STEPSCOPE_EVENT("forward", EventType::kForward);
    result.loss =
        loss_.Forward(model_.Forward(std::move(batch.images)), batch.labels);
  }
  {
    STEPSCOPE_EVENT("backward", EventType::kBackward);
    model_.Backward(loss_.Backward());
  }
  {
    STEPSCOPE_EVENT("optimizer", EventType::kOptimization);
    optimizer_.Step();
  }
  result.accuracy = static_cast<float>(loss_.correct()) /
                    static_cast<float>(batch.labels.size());
  stepscope::RecordCounter("loss", static_cast<double>(result.loss));
  return result;
}

}  // namespace cnn
