// SPDX-License-Identifier: Apache-2.0
#include "analysis/flop_rules.h"

#include <algorithm>
#include <utility>

#include "analysis/int_tree.h"

namespace stepscope {
namespace {

using Flops = std::optional<int64_t>;

constexpr std::pair<std::string_view, FlopRule> kFlopRules[] = {
    {"aten::mm", FlopRule::kMatmul},
    {"aten::bmm", FlopRule::kMatmul},
    {"aten::matmul", FlopRule::kMatmul},
    {"aten::addmm", FlopRule::kAddMatmul},
    {"aten::addbmm", FlopRule::kAddMatmul},
    {"aten::baddbmm", FlopRule::kAddMatmul},
    {"aten::_addmm_activation", FlopRule::kAddMatmul},
    {"aten::_scaled_mm", FlopRule::kMatmul},
    {"aten::_int_mm", FlopRule::kMatmul},
    {"aten::_grouped_mm", FlopRule::kGroupedMatmul},
    {"aten::_scaled_grouped_mm", FlopRule::kGroupedMatmul},
    {"aten::linear", FlopRule::kLinear},
    {"aten::conv1d", FlopRule::kConv},
    {"aten::conv2d", FlopRule::kConv},
    {"aten::conv3d", FlopRule::kConv},
    {"aten::convolution", FlopRule::kConvolution},
    {"aten::_convolution", FlopRule::kConvolution},
    {"aten::cudnn_convolution", FlopRule::kCudnnConv},
    {"aten::mkldnn_convolution", FlopRule::kCudnnConv},
    {"aten::convolution_backward", FlopRule::kConvBackward},
    {"aten::scaled_dot_product_attention", FlopRule::kAttention},
    {"aten::_scaled_dot_product_flash_attention", FlopRule::kAttention},
    {"aten::_scaled_dot_product_efficient_attention", FlopRule::kAttention},
    {"aten::_scaled_dot_product_cudnn_attention", FlopRule::kAttention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FlopRule::kAttention},
    {"aten::_scaled_dot_product_fused_attention_overrideable",
     FlopRule::kAttention},
    {"aten::_flash_attention_forward", FlopRule::kTokenAttention},
    {"aten::_efficient_attention_forward", FlopRule::kTokenAttention},
    {"flash_attn::_flash_attn_forward", FlopRule::kTokenAttention},
    {"matmul", FlopRule::kMatmul},
    {"matmul_v2", FlopRule::kMatmul},
    {"bmm", FlopRule::kMatmul},
    {"mul", FlopRule::kMatmul},
    {"linear", FlopRule::kMatmul},
    {"fc", FlopRule::kMatmul},
    {"conv2d", FlopRule::kConv},
    {"conv3d", FlopRule::kConv},
    {"depthwise_conv2d", FlopRule::kConv},
};

// Nothing if a factor is not positive or the product does not fit.
Flops Product(std::initializer_list<Flops> factors) {
  int64_t product = 1;
  for (const Flops factor : factors) {
    if (!factor || *factor <= 0) return std::nullopt;
    if (__builtin_mul_overflow(product, *factor, &product)) return std::nullopt;
  }
  return product;
}

Flops ProductOf(const Shape& shape, size_t first, size_t last) {
  Flops product = 1;
  for (size_t i = first; i < last && product; ++i)
    product = Product({product, shape[i]});
  return product;
}

// Batch dimensions are counted from the operand that has more of them: the
// other one is broadcast along.
Flops Matmul(const Shape& x, const Shape& y) {
  if (x.empty() || y.empty()) return std::nullopt;
  const int64_t inner = x.back();
  const size_t rank = y.size();
  int64_t columns = 1;
  if (rank >= 2) {
    if (y[rank - 2] == inner)
      columns = y[rank - 1];
    else if (y[rank - 1] == inner)
      columns = y[rank - 2];
    else
      return std::nullopt;
  } else if (y[0] != inner) {
    return std::nullopt;
  }
  const int64_t rows = x.size() >= 2 ? x[x.size() - 2] : 1;
  const Flops x_batch = x.size() > 2 ? ProductOf(x, 0, x.size() - 2) : 1;
  const Flops y_batch = rank > 2 ? ProductOf(y, 0, rank - 2) : 1;
  if (!x_batch || !y_batch) return std::nullopt;
  return Product({2, std::max(*x_batch, *y_batch), rows, inner, columns});
}

// "[2, 2]" of a torch argument, one number for each of `count` dimensions.
std::optional<Shape> Numbers(std::string_view text, size_t count) {
  const std::optional<IntTree> tree = ParseIntTree(text);
  if (!tree) return std::nullopt;
  std::optional<Shape> numbers =
      tree->is_list ? tree->Numbers() : Shape{tree->value};
  if (!numbers || numbers->empty()) return std::nullopt;
  if (numbers->size() == 1) numbers->resize(count, numbers->front());
  if (numbers->size() != count) return std::nullopt;
  return numbers;
}

// 2 x outputs x multiplications of each. W is [out, in / groups, taps...].
Flops ConvOver(Flops positions, int64_t batch, const Shape& w) {
  return Product({2, batch, positions, ProductOf(w, 0, w.size())});
}

struct ConvArguments {
  size_t stride = 3;
  size_t padding = 4;
  size_t dilation = 5;
};

Flops Conv(const OpShapes& shapes, const ConvArguments& at) {
  const Shape& x = shapes.input(0);
  const Shape& w = shapes.input(1);
  if (x.size() < 3 || x.size() != w.size()) return std::nullopt;
  const size_t dims = x.size() - 2;
  if (shapes.output.size() == x.size())
    return ConvOver(ProductOf(shapes.output, 2, x.size()), x[0], w);
  const auto stride = Numbers(shapes.value(at.stride), dims);
  const auto padding = Numbers(shapes.value(at.padding), dims);
  const auto dilation = Numbers(shapes.value(at.dilation), dims);
  if (!stride || !padding || !dilation) return std::nullopt;
  Flops positions = 1;
  for (size_t i = 0; i < dims; ++i) {
    if ((*stride)[i] <= 0) return std::nullopt;
    const int64_t reach = (*dilation)[i] * (w[i + 2] - 1);
    const int64_t room = x[i + 2] + 2 * (*padding)[i] - reach - 1;
    if (room < 0) return std::nullopt;
    positions = Product({positions, room / (*stride)[i] + 1});
  }
  return ConvOver(positions, x[0], w);
}

Flops Convolution(const OpShapes& shapes) {
  if (shapes.value(6) != "True" && shapes.value(6) != "true")
    return Conv(shapes, {});
  // Transposed: every input takes part once for each tap of each output.
  const Shape& x = shapes.input(0);
  if (x.size() < 3) return std::nullopt;
  return ConvOver(ProductOf(x, 2, x.size()), x[0], shapes.input(1));
}

// Each of the two gradients costs what going forward does.
Flops ConvBackward(const OpShapes& shapes) {
  const Shape& gradient = shapes.input(0);
  if (gradient.size() < 3) return std::nullopt;
  const std::string_view mask = shapes.value(10);
  int64_t gradients = 2;
  if (!mask.empty()) {
    const size_t comma = mask.find(',');
    const size_t second = mask.find(',', comma + 1);
    if (comma == mask.npos || second == mask.npos) return std::nullopt;
    const auto is_true = [&](std::string_view part) {
      return part.find("rue") != part.npos;
    };
    gradients = is_true(mask.substr(0, comma)) +
                is_true(mask.substr(comma, second - comma));
  }
  return Product({gradients, ConvOver(ProductOf(gradient, 2, gradient.size()),
                                      gradient[0], shapes.input(2))});
}

// Q K^T and its product with V; a mask halves neither.
Flops Attention(const OpShapes& shapes) {
  const Shape& q = shapes.input(0);
  const Shape& k = shapes.input(1);
  const Shape& v = shapes.input(2);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return std::nullopt;
  if (q[3] != k[3] || k[2] != v[2]) return std::nullopt;
  // Several heads of Q may share one of K and V.
  if (k[1] <= 0 || k[1] != v[1] || q[1] % k[1] != 0) return std::nullopt;
  const Flops pairs = Product({2, q[0], q[1], q[2], k[2]});
  return Product({pairs, q[3] + v[3]});
}

// The same with length before heads, of one length for all of a batch; those
// of different lengths in one tensor have three dimensions and no number.
Flops TokenAttention(const OpShapes& shapes) {
  OpShapes swapped;
  for (size_t i = 0; i < 3; ++i) {
    Shape shape = shapes.input(i);
    if (shape.size() != 4) return std::nullopt;
    std::swap(shape[1], shape[2]);
    swapped.inputs.push_back(std::move(shape));
  }
  return Attention(swapped);
}

// Rows of X, dealt out to the matrices [groups, inner, columns] of Y: each is
// multiplied once, whatever its group. With groups in both it is a batch.
Flops GroupedMatmul(const Shape& x, const Shape& y) {
  if (x.size() == 2 && y.size() == 3 && x[1] == y[1])
    return Product({2, x[0], x[1], y[2]});
  if (x.size() == 3 && y.size() == 3 && x[0] == y[0] && x[2] == y[1])
    return Matmul(x, y);
  return std::nullopt;
}

// A custom operator whose name says that it is a product: [..., inner] with
// [columns, inner], as weights are stored, or with [inner, columns]. Where
// both fit it is the first, which has the same number.
Flops OneProduct(const OpShapes& shapes) {
  const Shape& x = shapes.input(0);
  const Shape& y = shapes.input(1);
  if (x.size() < 2 || y.size() != 2) return std::nullopt;
  const int64_t inner = x.back();
  if (y[1] != inner && y[0] != inner) return std::nullopt;
  return Product({2, ProductOf(x, 0, x.size()), y[1] == inner ? y[0] : y[1]});
}

// "vllm::rocm_unquantized_gemm", "_C::cutlass_scaled_mm": of a library other
// than torch itself, and a product by the last word.
bool NamesOneProduct(std::string_view name) {
  const size_t colons = name.find("::");
  if (colons == name.npos || name.starts_with("aten::")) return false;
  const std::string_view own = name.substr(colons + 2);
  for (const std::string_view word : {"mm", "gemm", "matmul", "linear"}) {
    if (own == word) return true;
    if (own.size() > word.size() && own.ends_with(word) &&
        own[own.size() - word.size() - 1] == '_')
      return own.find("grouped") == own.npos && own.find("moe") == own.npos;
  }
  return false;
}

}  // namespace

FlopRule FlopRuleOf(std::string_view name) {
  for (const auto& [known, rule] : kFlopRules)
    if (name == known) return rule;
  return NamesOneProduct(name) ? FlopRule::kOneProduct : FlopRule::kNone;
}

std::optional<int64_t> CountFlops(FlopRule rule, const OpShapes& shapes) {
  switch (rule) {
    case FlopRule::kMatmul:
      return Matmul(shapes.input(0), shapes.input(1));
    case FlopRule::kAddMatmul:
      return Matmul(shapes.input(1), shapes.input(2));
    case FlopRule::kLinear: {
      Shape w = shapes.input(1);
      std::reverse(w.begin(), w.end());
      // [..., in] x [in, out]: everything before the last counts as rows.
      return Matmul(shapes.input(0), w);
    }
    case FlopRule::kConv:
      return Conv(shapes, {});
    case FlopRule::kConvolution:
      return Convolution(shapes);
    case FlopRule::kCudnnConv:
      return Conv(shapes, {3, 2, 4});
    case FlopRule::kConvBackward:
      return ConvBackward(shapes);
    case FlopRule::kAttention:
      return Attention(shapes);
    case FlopRule::kTokenAttention:
      return TokenAttention(shapes);
    case FlopRule::kGroupedMatmul:
      return GroupedMatmul(shapes.input(0), shapes.input(1));
    case FlopRule::kOneProduct:
      return OneProduct(shapes);
    case FlopRule::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace stepscope
