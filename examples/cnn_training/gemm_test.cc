// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/gemm.h"

#include <gtest/gtest.h>

#include <vector>

#include "cnn_training/random.h"

namespace cnn {
namespace {

std::vector<float> RandomVector(int64_t size, uint64_t seed) {
  Random random(seed);
  std::vector<float> values(static_cast<size_t>(size));
  for (float& v : values) v = random.Uniform(-1.0F, 1.0F);
  return values;
}

float At(const MatrixView& m, int64_t r, int64_t c) {
  return m.data[r * m.row_stride + c * m.col_stride];
}

// out starts at 1 everywhere: the product must be added, once.
void ExpectProduct(const MatrixView& a, const MatrixView& b) {
  std::vector<float> out(static_cast<size_t>(a.rows * b.cols), 1.0F);
  AddProduct(a, b, out.data());
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < b.cols; ++c) {
      double want = 1.0;
      for (int64_t k = 0; k < a.cols; ++k) {
        want +=
            static_cast<double>(At(a, r, k)) * static_cast<double>(At(b, k, c));
      }
      ASSERT_NEAR(out[static_cast<size_t>(r * b.cols + c)], want, 1e-4)
          << a.rows << "x" << a.cols << "x" << b.cols << " at " << r << ","
          << c;
    }
  }
}

TEST(AddProductTest, EdgesOfTilesAndSlices) {
  for (int64_t m : {1, 3, 4, 5, 8}) {
    for (int64_t n : {1, 7, 8, 9, 17}) {
      for (int64_t k : {1, 2, 255, 256, 257, 600}) {
        const auto a = RandomVector(m * k, 1);
        const auto b = RandomVector(k * n, 2);
        ExpectProduct(MatrixView::Of(a.data(), m, k),
                      MatrixView::Of(b.data(), k, n));
        ExpectProduct(MatrixView::Of(a.data(), k, m).Transposed(),
                      MatrixView::Of(b.data(), n, k).Transposed());
      }
    }
  }
}

}  // namespace
}  // namespace cnn
