// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/cross_entropy.h"

#include <stepscope/stepscope.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cnn {

float CrossEntropy::Forward(Tensor logits, std::span<const int32_t> labels) {
  const int64_t classes = logits.shape().image_size();
  stepscope::RecordEvent event("softmax_cross_entropy",
                               stepscope::EventType::kOperator);
  event.Arg("input_shape", {logits.shape().n, classes});
  probabilities_ = std::move(logits);
  labels_.assign(labels.begin(), labels.end());
  correct_ = 0;
  double loss = 0.0;
  for (size_t n = 0; n < labels_.size(); ++n) {
    float* row = probabilities_.image(static_cast<int64_t>(n));
    // The largest score is taken off first: exp() cannot overflow.
    const float* top = std::max_element(row, row + classes);
    if (top - row == labels_[n]) ++correct_;
    const float highest = *top;
    const float label_score = row[labels_[n]] - highest;
    float sum = 0.0F;
    for (int64_t c = 0; c < classes; ++c) {
      row[c] = std::exp(row[c] - highest);
      sum += row[c];
    }
    for (int64_t c = 0; c < classes; ++c) row[c] /= sum;
    loss += std::log(sum) - label_score;
  }
  return static_cast<float>(loss / static_cast<double>(labels_.size()));
}

Tensor CrossEntropy::Backward() {
  const int64_t classes = probabilities_.shape().image_size();
  stepscope::RecordEvent event("softmax_cross_entropy_grad",
                               stepscope::EventType::kOperator);
  event.Arg("input_shape", {probabilities_.shape().n, classes});
  Tensor gradient = std::move(probabilities_);
  const float scale = 1.0F / static_cast<float>(labels_.size());
  for (size_t n = 0; n < labels_.size(); ++n) {
    float* row = gradient.image(static_cast<int64_t>(n));
    row[labels_[n]] -= 1.0F;
    for (int64_t c = 0; c < classes; ++c) row[c] *= scale;
  }
  return gradient;
}

}  // namespace cnn
