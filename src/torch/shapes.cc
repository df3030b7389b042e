// SPDX-License-Identifier: Apache-2.0
#include "torch/shapes.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "torch/input_list.h"

namespace stepscope {
namespace {

bool HasSizes(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_nested() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

std::string_view TypeName(const c10::IValue& value) {
  if (value.isTensor()) {
    if (!value.toTensor().defined()) return "";
    const auto name = value.toTensor().dtype().name();
    return {name.data(), name.size()};
  }
  if (value.isTensorList()) return "TensorList";
  if (value.isScalar()) return "Scalar";
  return "";
}

}  // namespace

void AddShapes(stepscope_scope scope, const at::RecordFunction& function) {
  InputList dims;
  InputList types;
  for (const c10::IValue& value : function.inputs()) {
    const bool fits = dims.HasRoom() && types.HasRoom();
    if (!dims.Next(fits) | !types.Next(fits)) break;
    if (value.isTensor() && HasSizes(value.toTensor())) {
      const auto sizes = value.toTensor().sizes();
      dims.PutSizes(sizes.data(), sizes.size());
    } else {
      dims.PutSizes(nullptr, 0);
    }
    types.PutQuoted(TypeName(value));
  }
  dims.Attach(scope, "Input Dims");
  types.Attach(scope, "Input type");
}

}  // namespace stepscope
