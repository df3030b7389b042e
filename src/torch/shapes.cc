// SPDX-License-Identifier: Apache-2.0
#include "torch/shapes.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace stepscope {
namespace {

// A JSON list in the making, within the longest argument of a capture.
class List {
 public:
  List() { Put("["); }

  // Everything until the next call is one entry; false if the list is full.
  bool Next() {
    if (full_) return false;
    if (used_ > kRoom - 64) {
      full_ = true;
      Put(first_ ? "..." : ",\"...\"");
      return false;
    }
    if (!first_) Put(",");
    first_ = false;
    return true;
  }
  void Put(std::string_view text) {
    if (text.size() > kRoom - used_) return;
    std::memcpy(text_ + used_, text.data(), text.size());
    used_ += text.size();
  }
  void Put(int64_t number) {
    const auto [end, error] =
        std::to_chars(text_ + used_, text_ + kRoom, number);
    if (error == std::errc()) used_ = static_cast<size_t>(end - text_);
  }
  void Attach(stepscope_scope scope, const char* key) {
    if (first_) return;
    Put("]");
    stepscope_arg_text(scope, key, text_, used_);
  }

 private:
  static constexpr size_t kRoom = 1024;
  char text_[kRoom];
  size_t used_ = 0;
  bool first_ = true;
  bool full_ = false;
};

bool HasSizes(const at::Tensor& tensor) {
  return tensor.defined() && !tensor.is_nested() &&
         !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

void PutSizes(List& list, const at::Tensor& tensor) {
  list.Put("[");
  if (HasSizes(tensor)) {
    const auto sizes = tensor.sizes();
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i > 0) list.Put(",");
      list.Put(sizes[i]);
    }
  }
  list.Put("]");
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
  List dims;
  List types;
  for (const c10::IValue& value : function.inputs()) {
    if (!dims.Next() || !types.Next()) break;
    if (value.isTensor()) {
      PutSizes(dims, value.toTensor());
    } else {
      dims.Put("[]");
    }
    types.Put("\"");
    types.Put(TypeName(value));
    types.Put("\"");
  }
  dims.Attach(scope, "Input Dims");
  types.Attach(scope, "Input type");
}

}  // namespace stepscope
