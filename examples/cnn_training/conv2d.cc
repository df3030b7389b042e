// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/conv2d.h"

#include <stepscope/stepscope.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cnn_training/gemm.h"

namespace cnn {
namespace {

using stepscope::EventType;

constexpr int64_t kKernel = 3;
constexpr int64_t kTaps = kKernel * kKernel;

// The part [begin, end) of a row of `width` whose neighbour at `shift`
// (-1, 0 or 1) lies inside the row.
struct Inside {
  Inside(int64_t width, int64_t shift)
      : begin(std::max<int64_t>(0, -shift)),
        end(std::min(width, width - shift)) {}
  int64_t begin;
  int64_t end;
};

// Calls row(image_row, column_row, inside, shift) for every image row that a
// tap of the kernel reads, and gap(column_row) for rows outside the image.
template <typename Row, typename Gap>
void ForEachTapRow(const Shape& shape, Row row, Gap gap) {
  int64_t column_row = 0;  // index of a run of `w` elements in the columns
  for (int64_t c = 0; c < shape.c; ++c) {
    for (int64_t tap = 0; tap < kTaps; ++tap) {
      const int64_t dy = tap / kKernel - 1;
      const int64_t dx = tap % kKernel - 1;
      const Inside inside(shape.w, dx);
      for (int64_t y = 0; y < shape.h; ++y, ++column_row) {
        if (y + dy < 0 || y + dy >= shape.h) {
          gap(column_row);
        } else {
          row(c * shape.h + y + dy, column_row, inside, dx);
        }
      }
    }
  }
}

void Im2Col(const Shape& shape, const float* image, float* columns) {
  ForEachTapRow(
      shape,
      [&](int64_t image_row, int64_t column_row, Inside inside, int64_t dx) {
        const float* from = image + image_row * shape.w + dx;
        float* to = columns + column_row * shape.w;
        std::fill(to, to + inside.begin, 0.0F);
        std::copy(from + inside.begin, from + inside.end, to + inside.begin);
        std::fill(to + inside.end, to + shape.w, 0.0F);
      },
      [&](int64_t column_row) {
        std::fill_n(columns + column_row * shape.w, shape.w, 0.0F);
      });
}

// The transpose of Im2Col: adds every column element to its pixel.
void AddCol2Im(const Shape& shape, const float* columns, float* image) {
  ForEachTapRow(
      shape,
      [&](int64_t image_row, int64_t column_row, Inside inside, int64_t dx) {
        const float* from = columns + column_row * shape.w;
        float* to = image + image_row * shape.w + dx;
        for (int64_t x = inside.begin; x < inside.end; ++x) to[x] += from[x];
      },
      [](int64_t) {});
}

MatrixView Columns(const Tensor& columns, int64_t n) {
  return MatrixView::Of(columns.image(n), columns.shape().c, columns.shape().h);
}

MatrixView Weights(const Tensor& weight) {
  return MatrixView::Of(weight.data(), weight.shape().n,
                        weight.shape().image_size());
}

MatrixView Planes(const Tensor& images, int64_t n) {
  return MatrixView::Of(images.image(n), images.shape().c,
                        images.shape().h * images.shape().w);
}

}  // namespace

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, InputGradient mode,
               Random& random)
    : mode_(mode) {
  const Shape shape{out_channels, in_channels, kKernel, kKernel};
  weight_ = {Tensor(shape), Tensor::Zeros(shape)};
  bias_ = {Tensor::Zeros({out_channels}), Tensor::Zeros({out_channels})};
  // He's bound for layers followed by a rectifier.
  const float bound = std::sqrt(6.0F / static_cast<float>(in_channels * kTaps));
  for (float& w : weight_.value.values()) w = random.Uniform(-bound, bound);
}

Tensor Conv2d::Forward(Tensor input) {
  const Shape& in = input.shape();
  const Shape& weight = weight_.value.shape();
  stepscope::RecordEvent event("conv2d", EventType::kOperator);
  event.Arg("input_shape", {in.n, in.c, in.h, in.w});
  event.Arg("filter_shape", {weight.n, weight.c, weight.h, weight.w});
  event.Arg("dtype", "float32");
  const int64_t plane = in.h * in.w;
  input_shape_ = in;
  columns_ = Tensor({in.n, in.c * kTaps, plane});
  Tensor output({in.n, weight.n, in.h, in.w});
  {
    STEPSCOPE_EVENT("conv2d::im2col", EventType::kOperatorInner);
    for (int64_t n = 0; n < in.n; ++n) {
      Im2Col(in, input.image(n), columns_.image(n));
    }
  }
  STEPSCOPE_EVENT("conv2d::gemm", EventType::kOperatorInner);
  for (int64_t n = 0; n < in.n; ++n) {
    for (int64_t c = 0; c < weight.n; ++c) {
      std::fill_n(output.image(n) + c * plane, plane, bias_.value.data()[c]);
    }
    AddProduct(Weights(weight_.value), Columns(columns_, n), output.image(n));
  }
  return output;
}

void Conv2d::ParameterGradients(const Tensor& output_gradient) {
  STEPSCOPE_EVENT("conv2d_grad::gemm_filter", EventType::kOperatorInner);
  const Shape& out = output_gradient.shape();
  const int64_t plane = out.h * out.w;
  weight_.gradient.Fill(0.0F);
  bias_.gradient.Fill(0.0F);
  for (int64_t n = 0; n < out.n; ++n) {
    AddProduct(Planes(output_gradient, n), Columns(columns_, n).Transposed(),
               weight_.gradient.data());
    for (int64_t c = 0; c < out.c; ++c) {
      const float* row = output_gradient.image(n) + c * plane;
      bias_.gradient.data()[c] += std::accumulate(row, row + plane, 0.0F);
    }
  }
}

Tensor Conv2d::Backward(Tensor output_gradient) {
  const Shape& out = output_gradient.shape();
  stepscope::RecordEvent event("conv2d_grad", EventType::kOperator);
  event.Arg("input_shape", {out.n, out.c, out.h, out.w});
  event.Arg("dtype", "float32");
  ParameterGradients(output_gradient);
  if (mode_ == InputGradient::kSkip) {
    columns_ = Tensor();
    return Tensor();
  }
  // The columns have served: their memory takes the gradient of the columns.
  Tensor gradient = std::move(columns_);
  {
    STEPSCOPE_EVENT("conv2d_grad::gemm_input", EventType::kOperatorInner);
    gradient.Fill(0.0F);
    for (int64_t n = 0; n < out.n; ++n) {
      AddProduct(Weights(weight_.value).Transposed(),
                 Planes(output_gradient, n), gradient.image(n));
    }
  }
  STEPSCOPE_EVENT("conv2d_grad::col2im", EventType::kOperatorInner);
  Tensor input_gradient = Tensor::Zeros(input_shape_);
  for (int64_t n = 0; n < out.n; ++n) {
    AddCol2Im(input_shape_, gradient.image(n), input_gradient.image(n));
  }
  return input_gradient;
}

}  // namespace cnn
