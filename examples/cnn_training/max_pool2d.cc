// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/max_pool2d.h"

#include <stepscope/stepscope.h>

namespace cnn {

Tensor MaxPool2d::Forward(Tensor input) {
  const Shape& in = input.shape();
  stepscope::RecordEvent event("max_pool2d", stepscope::EventType::kOperator);
  event.Arg("input_shape", {in.n, in.c, in.h, in.w});
  input_shape_ = in;
  Tensor output({in.n, in.c, in.h / 2, in.w / 2});
  winners_.resize(static_cast<size_t>(output.size()));
  const float* x = input.data();
  float* y = output.data();
  int32_t* winner = winners_.data();
  // Planes lie one after another, so rows of the whole batch are one sequence.
  for (int64_t row = 0; row < in.n * in.c * in.h; row += 2) {
    for (int64_t col = 0; col < in.w; col += 2) {
      const int64_t corner = row * in.w + col;
      int64_t best = corner;
      for (int64_t at : {corner + 1, corner + in.w, corner + in.w + 1}) {
        best = x[at] > x[best] ? at : best;
      }
      *y++ = x[best];
      *winner++ = static_cast<int32_t>(best);
    }
  }
  return output;
}

Tensor MaxPool2d::Backward(Tensor output_gradient) {
  const Shape& out = output_gradient.shape();
  stepscope::RecordEvent event("max_pool2d_grad",
                               stepscope::EventType::kOperator);
  event.Arg("input_shape", {out.n, out.c, out.h, out.w});
  Tensor input_gradient = Tensor::Zeros(input_shape_);
  for (size_t i = 0; i < winners_.size(); ++i) {
    input_gradient.data()[winners_[i]] = output_gradient.data()[i];
  }
  return input_gradient;
}

}  // namespace cnn
