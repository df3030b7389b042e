// SPDX-License-Identifier: Apache-2.0
//
// The usual scheme: copy slices of both operands into panels that are read
// front to back, then compute tiles of 4 x 8 results in registers.
#include "cnn_training/gemm.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace cnn {
namespace {

// Four floats; a compiler extension of GCC and Clang that maps to SSE and NEON.
using Float4 = float __attribute__((vector_size(16)));

constexpr int64_t kTileRows = 4;
constexpr int64_t kTileCols = 8;
// Depth of a slice: the panels of one tile (12 KiB) stay in the first cache.
constexpr int64_t kDepth = 256;

int64_t RoundUp(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Copies depth [begin, begin + depth) of `m` into panels of `width` rows, each
// panel depth-major; rows past the end are zero.
void PackRows(const MatrixView& m, int64_t begin, int64_t depth, int64_t width,
              float* out) {
  for (int64_t first = 0; first < m.rows; first += width) {
    const int64_t rows = std::min(width, m.rows - first);
    const float* source = m.data + first * m.row_stride + begin * m.col_stride;
    for (int64_t d = 0; d < depth; ++d, out += width) {
      const float* from = source + d * m.col_stride;
      if (rows == width && m.row_stride == 1) {
        std::memcpy(out, from, static_cast<size_t>(width) * sizeof(float));
        continue;
      }
      for (int64_t r = 0; r < rows; ++r) out[r] = from[r * m.row_stride];
      for (int64_t r = rows; r < width; ++r) out[r] = 0.0F;
    }
  }
}

Float4 Load(const float* from) {
  Float4 value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// One tile over `depth`: tile[r][c] = sum of a[d][r] * b[d][c].
void ComputeTile(const float* a, const float* b, int64_t depth,
                 float (&tile)[kTileRows][kTileCols]) {
  Float4 sum[kTileRows][2] = {};
  for (int64_t d = 0; d < depth; ++d, a += kTileRows, b += kTileCols) {
    const Float4 left = Load(b);
    const Float4 right = Load(b + 4);
    for (int64_t r = 0; r < kTileRows; ++r) {
      sum[r][0] += a[r] * left;
      sum[r][1] += a[r] * right;
    }
  }
  std::memcpy(tile, sum, sizeof tile);
}

}  // namespace

void AddProduct(const MatrixView& a, const MatrixView& b, float* out) {
  // Kept between calls; one set a thread.
  thread_local std::vector<float> a_panels;
  thread_local std::vector<float> b_panels;
  const int64_t slice = std::min(kDepth, a.cols);
  a_panels.resize(static_cast<size_t>(RoundUp(a.rows, kTileRows) * slice));
  b_panels.resize(static_cast<size_t>(RoundUp(b.cols, kTileCols) * slice));
  const MatrixView b_transposed = b.Transposed();
  for (int64_t begin = 0; begin < a.cols; begin += kDepth) {
    const int64_t depth = std::min(kDepth, a.cols - begin);
    PackRows(a, begin, depth, kTileRows, a_panels.data());
    PackRows(b_transposed, begin, depth, kTileCols, b_panels.data());
    for (int64_t col = 0; col < b.cols; col += kTileCols) {
      const int64_t cols = std::min(kTileCols, b.cols - col);
      for (int64_t row = 0; row < a.rows; row += kTileRows) {
        const int64_t rows = std::min(kTileRows, a.rows - row);
        float tile[kTileRows][kTileCols];
        ComputeTile(a_panels.data() + row * depth,
                    b_panels.data() + col * depth, depth, tile);
        for (int64_t r = 0; r < rows; ++r) {
          float* target = out + (row + r) * b.cols + col;
          for (int64_t c = 0; c < cols; ++c) target[c] += tile[r][c];
        }
      }
    }
  }
}

}  // namespace cnn
