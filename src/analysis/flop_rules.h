// SPDX-License-Identifier: Apache-2.0
//
// How many floating-point operations an operator does, by its name and the
// shapes of its inputs; a multiplication and an addition are two. Matrix
// products, convolutions and attention, which is where the arithmetic of a
// model is. An operator without a rule, or whose shapes are not known well
// enough, has no number rather than a wrong one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/op_shapes.h"

namespace stepscope {

enum class FlopRule : uint8_t {
  kNone,
  kMatmul,       // (X, Y), any rank, broadcast; transposed where only that fits
  kAddMatmul,    // (bias, X, Y)
  kLinear,       // (X, W): W is [out, in]
  kConv,         // (X, W, bias, stride, padding, dilation, groups)
  kConvolution,  // (X, W, bias, stride, padding, dilation, transposed, ...)
  kCudnnConv,    // (X, W, padding, stride, dilation, groups)
  kConvBackward,    // (gradient, X, W, ...), mask of what is computed last
  kAttention,       // (Q, K, V), each [batch, heads, length, size]
  kTokenAttention,  // the same, each [batch, length, heads, size]
  kGroupedMatmul,   // (X, Y): rows of X, each with one matrix of Y
  kOneProduct,  // (X, W, ...) of a custom operator, W [out, in] or [in, out]
};

// torch's aten::mm, aten::conv2d ...; Paddle's matmul_v2, conv2d ...
FlopRule FlopRuleOf(std::string_view name);
std::optional<int64_t> CountFlops(FlopRule rule, const OpShapes& shapes);

}  // namespace stepscope
