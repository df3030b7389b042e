// SPDX-License-Identifier: Apache-2.0
#include "torch/prebuilt_shapes.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <iterator>

#include "torch/input_list.h"
#include "torch/ivalue_abi.h"
#include "torch/prebuilt_values.h"
#include "torch/recorder.h"

namespace stepscope::torch_abi {
namespace {

// Each returns 0, or failed and has logged why.
struct TensorFunctions {
  int32_t (*dim)(const void* tensor, int64_t* dim) = nullptr;
  int32_t (*sizes)(const void* tensor, int64_t** sizes) = nullptr;
  int32_t (*dtype)(const void* tensor, int32_t* dtype) = nullptr;
  int32_t (*strides)(const void* tensor, int64_t** strides) = nullptr;
  // The vtable of ordinary tensors. Others (nested, batched) may have no sizes
  // to tell, and the tensor that is none has a class of its own.
  const void* plain = nullptr;
};

TensorFunctions torch_tensor;
Functions functions_;
Layout layout_;

// Whether the inputs are where we think they are: an operator with a schema
// says how many it has. The first that agrees decides; if so many do not, the
// inputs are elsewhere.
enum class Trust : uint32_t { kUnknown, kGood, kBad };
std::atomic<Trust> trust{Trust::kBad};
constexpr uint32_t kDoubts = 64;
std::atomic<uint32_t> doubts{0};
// Reading sizes that depend on symbols (torch.compile at work) fails with a
// line in torch's log. After so many, no more are asked for.
constexpr uint32_t kFailures = 8;
std::atomic<uint32_t> failures{0};

// By c10::ScalarType, as torch's own profiler spells them.
constexpr std::string_view kTypes[] = {"unsigned char",
                                       "signed char",
                                       "short int",
                                       "int",
                                       "long int",
                                       "c10::Half",
                                       "float",
                                       "double",
                                       "c10::complex<c10::Half>",
                                       "c10::complex<float>",
                                       "c10::complex<double>",
                                       "bool",
                                       "c10::qint8",
                                       "c10::quint8",
                                       "c10::qint32",
                                       "c10::BFloat16",
                                       "c10::quint4x2",
                                       "c10::quint2x4",
                                       "c10::bits1x8",
                                       "c10::bits2x4",
                                       "c10::bits4x2",
                                       "c10::bits8",
                                       "c10::bits16",
                                       "c10::Float8_e5m2",
                                       "c10::Float8_e4m3fn",
                                       "c10::Float8_e5m2fnuz",
                                       "c10::Float8_e4m3fnuz",
                                       "short unsigned int",
                                       "unsigned int",
                                       "long unsigned int"};

bool IsTrusted(const RecordFunction& function, const Inputs& inputs) {
  const Trust now = trust.load(std::memory_order_relaxed);
  if (now != Trust::kUnknown) return now == Trust::kGood;
  const size_t stated = functions_.num_inputs(&function);
  if (stated == 0) return false;  // no schema: nothing to compare with
  if (inputs.count == stated && inputs.first != nullptr) {
    trust.store(Trust::kGood, std::memory_order_relaxed);
    return true;
  }
  if (doubts.fetch_add(1, std::memory_order_relaxed) + 1 == kDoubts)
    trust.store(Trust::kBad, std::memory_order_relaxed);
  return false;
}

bool IsPlainTensor(const Input& input) {
  return input.kind == kTensor && input.content != nullptr &&
         *input.content == torch_tensor.plain;
}

struct Sizes {
  const int64_t* first = nullptr;
  size_t count = 0;
};

Sizes SizesOf(const Input& input) {
  int64_t count = 0;
  int64_t* sizes = nullptr;
  if (failures.load(std::memory_order_relaxed) >= kFailures ||
      torch_tensor.dim(&input, &count) != 0 ||
      torch_tensor.sizes(&input, &sizes) != 0) {
    failures.fetch_add(1, std::memory_order_relaxed);
    return {};
  }
  return {sizes, static_cast<size_t>(count)};
}

std::string_view TypeOf(const Input& input) {
  int32_t type = -1;
  const bool known = torch_tensor.dtype(&input, &type) == 0 && type >= 0 &&
                     static_cast<size_t>(type) < std::size(kTypes);
  return known ? kTypes[type] : "";
}

Sizes StridesOf(const Input& input) {
  const Sizes sizes = SizesOf(input);
  int64_t* strides = nullptr;
  if (sizes.count == 0 || torch_tensor.strides == nullptr ||
      torch_tensor.strides(&input, &strides) != 0)
    return {};
  return {strides, sizes.count};
}

// What an operator's inputs are, in torch's words.
struct Lists {
  const bool with_values = WantsValues();
  InputList dims;
  InputList types;
  InputList strides;
  InputList values;

  // They tell of the same inputs.
  bool Next() {
    const bool fits = dims.HasRoom() && types.HasRoom() &&
                      (!with_values || (strides.HasRoom() && values.HasRoom()));
    dims.Next(fits);
    types.Next(fits);
    if (with_values) {
      strides.Next(fits);
      values.Next(fits);
    }
    return fits;
  }
};

// Of all tensors of a list, or of none where they do not fit.
template <typename F>
void PutOfEach(const Inputs& tensors, InputList& list, F sizes_of) {
  const size_t begin = list.size();
  list.Put("[");
  for (size_t i = 0; i < tensors.count; ++i) {
    const Input& tensor = tensors.first[i];
    const Sizes sizes = IsPlainTensor(tensor) ? sizes_of(tensor) : Sizes{};
    if (!list.HasRoomFor(sizes.count)) {
      list.CutTo(begin);
      return list.PutSizes(nullptr, 0);
    }
    if (i > 0) list.Put(",");
    list.PutSizes(sizes.first, sizes.count);
  }
  list.Put("]");
}

void PutSizes(const Sizes& sizes, InputList& list) {
  list.PutSizes(sizes.first, sizes.count);
}

void PutTensor(const Input& input, Lists& lists) {
  PutSizes(SizesOf(input), lists.dims);
  lists.types.PutQuoted(TypeOf(input));
  if (lists.with_values) PutSizes(StridesOf(input), lists.strides);
}

void PutTensors(const Inputs& tensors, Lists& lists) {
  PutOfEach(tensors, lists.dims, &SizesOf);
  lists.types.PutQuoted("TensorList");
  if (lists.with_values) PutOfEach(tensors, lists.strides, &StridesOf);
}

// What an empty list is of is not known.
std::string_view TypeOfOther(const Input& input, bool with_values) {
  Inputs elements;
  if (!with_values) return IsNumber(input) ? "Scalar" : "";
  if (!IsList(input, &elements)) return IsScalar(input) ? "Scalar" : "";
  return elements.count > 0 && IsScalar(elements.first[0]) ? "ScalarList" : "";
}

void PutInput(const Input& input, Lists& lists) {
  Inputs elements;
  if (IsPlainTensor(input)) {
    PutTensor(input, lists);
  } else if (lists.with_values && IsList(input, &elements) &&
             elements.count > 0 && elements.first[0].kind == kTensor) {
    PutTensors(elements, lists);
  } else {
    lists.dims.PutSizes(nullptr, 0);
    lists.types.PutQuoted(TypeOfOther(input, lists.with_values));
    if (lists.with_values) lists.strides.PutSizes(nullptr, 0);
  }
  if (lists.with_values)
    lists.values.PutQuoted(input.kind == kTensor ? std::string_view()
                                                 : ValueText(input).view());
}

}  // namespace

bool PrepareShapes(void* torch, const Functions& functions,
                   const Layout& layout) {
  const auto find = [torch](const char* name, auto* symbol) {
    *symbol =
        reinterpret_cast<std::decay_t<decltype(*symbol)>>(dlsym(torch, name));
    return *symbol != nullptr;
  };
  const char* vtable = nullptr;
  if (!find("aoti_torch_get_dim", &torch_tensor.dim) ||
      !find("aoti_torch_get_sizes", &torch_tensor.sizes) ||
      !find("aoti_torch_get_dtype", &torch_tensor.dtype) ||
      !find("_ZTVN3c1010TensorImplE", &vtable))
    return false;
  // Objects point behind the offset and the type information.
  torch_tensor.plain = vtable + 2 * sizeof(void*);
  find("aoti_torch_get_strides", &torch_tensor.strides);
  functions_ = functions;
  layout_ = layout;
  trust.store(Trust::kUnknown, std::memory_order_relaxed);
  return true;
}

void AddShapes(stepscope_scope scope, const RecordFunction& function) {
  if (trust.load(std::memory_order_relaxed) == Trust::kBad) return;
  const auto inputs = ReadAt<Inputs>(function, layout_.inputs());
  if (!IsTrusted(function, inputs)) return;
  Lists lists;
  for (size_t i = 0; i < inputs.count; ++i) {
    if (!lists.Next()) break;
    PutInput(inputs.first[i], lists);
  }
  lists.dims.Attach(scope, "Input Dims");
  lists.types.Attach(scope, "Input type");
  if (!lists.with_values) return;
  lists.strides.Attach(scope, "Input Strides");
  lists.values.Attach(scope, "Concrete Inputs");
}

void LearnFrom(const RecordFunction& function) {
  if (trust.load(std::memory_order_relaxed) == Trust::kBad) return;
  const auto inputs = ReadAt<Inputs>(function, layout_.inputs());
  if (IsTrusted(function, inputs) &&
      functions_.num_inputs(&function) == inputs.count)
    LearnKinds(inputs);
}

}  // namespace stepscope::torch_abi
