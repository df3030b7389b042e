// SPDX-License-Identifier: Apache-2.0
//
// Matrix product, the arithmetic under convolution and the linear layer.
#pragma once

#include <cstdint>

namespace cnn {

// A matrix somewhere in memory, not owned. Transposing is free.
struct MatrixView {
  const float* data = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t row_stride = 0;  // in elements, as col_stride
  int64_t col_stride = 1;

  // A contiguous row-major matrix.
  static MatrixView Of(const float* data, int64_t rows, int64_t cols) {
    return {data, rows, cols, cols, 1};
  }
  MatrixView Transposed() const {
    return {data, cols, rows, col_stride, row_stride};
  }
};

// out += a * b, where out is contiguous, row-major, a.rows x b.cols.
// REQUIRES: a.cols == b.rows; out overlaps neither. Thread-safe.
void AddProduct(const MatrixView& a, const MatrixView& b, float* out);

}  // namespace cnn
