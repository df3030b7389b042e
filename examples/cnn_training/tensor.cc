// SPDX-License-Identifier: Apache-2.0
#include "cnn_training/tensor.h"

#include <algorithm>
#include <utility>

#include "cnn_training/memory_pool.h"

namespace cnn {
namespace {

size_t Bytes(const Shape& shape) {
  return static_cast<size_t>(shape.size()) * sizeof(float);
}

}  // namespace

Tensor::Tensor(Shape shape)
    : shape_(shape), data_(MemoryPool::Get().Allocate(Bytes(shape))) {}

Tensor Tensor::Zeros(Shape shape) {
  Tensor tensor(shape);
  tensor.Fill(0.0F);
  return tensor;
}

Tensor::Tensor(Tensor&& other) noexcept
    : shape_(other.shape_), data_(std::exchange(other.data_, nullptr)) {}

Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this != &other) {
    Release();
    shape_ = other.shape_;
    data_ = std::exchange(other.data_, nullptr);
  }
  return *this;
}

Tensor::~Tensor() { Release(); }

Tensor Tensor::Clone() const {
  if (data_ == nullptr) return Tensor();
  Tensor copy(shape_);
  std::ranges::copy(values(), copy.data());
  return copy;
}

void Tensor::Fill(float value) { std::ranges::fill(values(), value); }

void Tensor::Release() noexcept {
  if (data_ != nullptr) MemoryPool::Get().Free(data_, Bytes(shape_));
  data_ = nullptr;
}

}  // namespace cnn
