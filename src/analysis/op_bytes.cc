// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_bytes.h"

#include "analysis/ranks/collective_args.h"

namespace stepscope {
namespace {

using Elements = std::optional<int64_t>;

Elements ElementSize(std::string_view type) {
  const uint64_t bytes = ElementBytes(type);
  return bytes == 0 ? Elements() : Elements(bytes);
}

Elements Times(Elements a, Elements b) {
  int64_t product = 0;
  if (!a || !b || *a < 0 || *b < 0 || __builtin_mul_overflow(*a, *b, &product))
    return std::nullopt;
  return product;
}

Elements Plus(Elements a, Elements b) {
  int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

Elements SizeOf(const Shape& shape, size_t first = 0) {
  Elements size = 1;
  for (size_t i = first; i < shape.size(); ++i) size = Times(size, shape[i]);
  return size;
}

// Of a sum of `inner` products each.
Elements ResultsOf(int64_t flops, Elements inner) {
  if (!inner || *inner <= 0) return std::nullopt;
  return flops / 2 / *inner;
}

Elements Last(const Shape& shape) {
  return shape.empty() ? Elements() : Elements(shape.back());
}

// The gradients that its mask asks for.
Elements GradientsOf(const OpShapes& shapes) {
  const std::string_view mask = shapes.value(10);
  const size_t comma = mask.find(',');
  const bool known = comma != mask.npos;
  const size_t second = known ? mask.find(',', comma + 1) : mask.npos;
  const auto wanted = [&](std::string_view part) {
    return !known || part.find("rue") != part.npos;
  };
  Elements sum = 0;
  if (wanted(mask.substr(0, comma))) sum = Plus(sum, SizeOf(shapes.input(1)));
  if (wanted(known ? mask.substr(comma, second - comma) : mask))
    sum = Plus(sum, SizeOf(shapes.input(2)));
  return sum;
}

Elements Results(FlopRule rule, const OpShapes& shapes, int64_t flops) {
  switch (rule) {
    case FlopRule::kMatmul:
    case FlopRule::kLinear:
    case FlopRule::kGroupedMatmul:
    case FlopRule::kOneProduct:
      return ResultsOf(flops, Last(shapes.input(0)));
    case FlopRule::kAddMatmul:
      return ResultsOf(flops, Last(shapes.input(1)));
    case FlopRule::kConvolution:
      // Transposed: what comes out depends on the stride.
      if (shapes.value(6) == "True" || shapes.value(6) == "true")
        return std::nullopt;
      [[fallthrough]];
    case FlopRule::kConv:
    case FlopRule::kCudnnConv:
      return ResultsOf(flops, SizeOf(shapes.input(1), 1));
    case FlopRule::kConvBackward:
      return GradientsOf(shapes);
    case FlopRule::kAttention:
    case FlopRule::kTokenAttention: {
      const Elements queries = SizeOf(shapes.input(0));
      const Elements size = Last(shapes.input(0));
      if (!queries || !size || *size <= 0) return std::nullopt;
      return Times(*queries / *size, Last(shapes.input(2)));
    }
    case FlopRule::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> EstimateBytes(FlopRule rule, const OpShapes& shapes,
                                     int64_t flops) {
  if (shapes.types.size() < shapes.inputs.size() || shapes.types.empty())
    return std::nullopt;
  Elements bytes = 0;
  for (size_t i = 0; i < shapes.inputs.size(); ++i)
    if (!shapes.inputs[i].empty())
      bytes = Plus(
          bytes, Times(SizeOf(shapes.inputs[i]), ElementSize(shapes.types[i])));
  return Plus(
      bytes, Times(Results(rule, shapes, flops), ElementSize(shapes.types[0])));
}

}  // namespace stepscope
