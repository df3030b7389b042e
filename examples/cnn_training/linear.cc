// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/linear.h"

#include <stepscope/stepscope.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cnn_training/gemm.h"

namespace cnn {
namespace {

using stepscope::EventType;

// One row an image.
MatrixView Rows(const Tensor& tensor) {
  return MatrixView::Of(tensor.data(), tensor.shape().n,
                        tensor.shape().image_size());
}

}  // namespace

Linear::Linear(int64_t in_features, int64_t out_features, Random& random) {
  const Shape shape{out_features, in_features};
  weight_ = {Tensor(shape), Tensor::Zeros(shape)};
  bias_ = {Tensor::Zeros({out_features}), Tensor::Zeros({out_features})};
  const float bound = std::sqrt(1.0F / static_cast<float>(in_features));
  for (float& w : weight_.value.values()) w = random.Uniform(-bound, bound);
}

Tensor Linear::Forward(Tensor input) {
  const Shape& in = input.shape();
  const Shape& weight = weight_.value.shape();
  stepscope::RecordEvent event("linear", EventType::kOperator);
  event.Arg("input_shape", {in.n, in.image_size()});
  event.Arg("weight_shape", {weight.n, weight.c});
  event.Arg("dtype", "float32");
  Tensor output({in.n, weight.n});
  {
    STEPSCOPE_EVENT("linear::gemm", EventType::kOperatorInner);
    for (int64_t n = 0; n < in.n; ++n) {
      std::ranges::copy(bias_.value.values(), output.image(n));
    }
    AddProduct(Rows(input), Rows(weight_.value).Transposed(), output.data());
  }
  input_ = std::move(input);
  return output;
}

Tensor Linear::Backward(Tensor output_gradient) {
  const Shape& out = output_gradient.shape();
  stepscope::RecordEvent event("linear_grad", EventType::kOperator);
  event.Arg("input_shape", {out.n, out.c});
  event.Arg("dtype", "float32");
  {
    STEPSCOPE_EVENT("linear_grad::gemm_weight", EventType::kOperatorInner);
    weight_.gradient.Fill(0.0F);
    bias_.gradient.Fill(0.0F);
    AddProduct(Rows(output_gradient).Transposed(), Rows(input_),
               weight_.gradient.data());
    for (int64_t n = 0; n < out.n; ++n) {
      for (int64_t c = 0; c < out.c; ++c) {
        bias_.gradient.data()[c] += output_gradient.image(n)[c];
      }
    }
  }
  STEPSCOPE_EVENT("linear_grad::gemm_input", EventType::kOperatorInner);
  // The input has served: its memory takes its own gradient.
  Tensor input_gradient = std::move(input_);
  input_gradient.Fill(0.0F);
  AddProduct(Rows(output_gradient), Rows(weight_.value), input_gradient.data());
  return input_gradient;
}

}  // namespace cnn
