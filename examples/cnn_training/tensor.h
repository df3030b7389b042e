// SPDX-License-Identifier: Apache-2.0
//
// Tensor: a dense block of floats in NCHW order, owned by one holder.
#pragma once

#include <cstdint>
#include <span>

namespace cnn {

// Extents, outermost first. What has fewer than four dimensions leaves the
// inner ones at 1.
struct Shape {
  int64_t n = 1;
  int64_t c = 1;
  int64_t h = 1;
  int64_t w = 1;

  int64_t image_size() const { return c * h * w; }
  int64_t size() const { return n * image_size(); }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// Move-only; its memory comes from MemoryPool. Not thread-safe by itself: one
// thread writes, and hands it over by moving.
class Tensor {
 public:
  Tensor() = default;
  // Content is indeterminate. REQUIRES: shape.size() > 0.
  explicit Tensor(Shape shape);
  static Tensor Zeros(Shape shape);

  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  ~Tensor();

  Tensor Clone() const;
  void Fill(float value);

  const Shape& shape() const { return shape_; }
  int64_t size() const { return data_ == nullptr ? 0 : shape_.size(); }
  float* data() { return data_; }
  const float* data() const { return data_; }
  std::span<float> values() { return {data_, static_cast<size_t>(size())}; }
  std::span<const float> values() const {
    return {data_, static_cast<size_t>(size())};
  }
  // The n-th image (or row) of the batch.
  float* image(int64_t n) { return data_ + n * shape_.image_size(); }
  const float* image(int64_t n) const {
    return data_ + n * shape_.image_size();
  }

 private:
  void Release() noexcept;

  Shape shape_;
  float* data_ = nullptr;  // owned; null for an empty tensor
};

}  // namespace cnn
