// SPDX-License-Identifier: Apache-2.0
#include "torch/prebuilt_shapes.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <iterator>

#include "torch/input_list.h"

namespace stepscope::torch_abi {
namespace {

// c10::IValue: a tensor lies in it as itself, one pointer to its content.
struct Input {
  const void* const* content;  // the first word is its vtable
  uint32_t kind;
  uint32_t padding;
};
static_assert(sizeof(Input) == 16);
enum Kind : uint32_t { kTensor = 1, kDouble = 3, kComplex = 4, kInt = 5 };

struct Inputs {
  const Input* first;
  size_t count;
};

// Each returns 0, or failed and has logged why.
struct TensorFunctions {
  int32_t (*dim)(const void* tensor, int64_t* dim) = nullptr;
  int32_t (*sizes)(const void* tensor, int64_t** sizes) = nullptr;
  int32_t (*dtype)(const void* tensor, int32_t* dtype) = nullptr;
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

void PutTensor(const Input& input, InputList& dims, InputList& types) {
  int64_t count = 0;
  int64_t* sizes = nullptr;
  int32_t type = -1;
  if (failures.load(std::memory_order_relaxed) >= kFailures ||
      torch_tensor.dim(&input, &count) != 0 ||
      torch_tensor.sizes(&input, &sizes) != 0) {
    failures.fetch_add(1, std::memory_order_relaxed);
    count = 0;
  }
  dims.PutSizes(sizes, static_cast<size_t>(count));
  const bool known = torch_tensor.dtype(&input, &type) == 0 && type >= 0 &&
                     static_cast<size_t>(type) < std::size(kTypes);
  types.PutQuoted(known ? kTypes[type] : "");
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
  functions_ = functions;
  layout_ = layout;
  trust.store(Trust::kUnknown, std::memory_order_relaxed);
  return true;
}

void AddShapes(stepscope_scope scope, const RecordFunction& function) {
  if (trust.load(std::memory_order_relaxed) == Trust::kBad) return;
  const auto inputs = ReadAt<Inputs>(function, layout_.inputs());
  if (!IsTrusted(function, inputs)) return;
  InputList dims;
  InputList types;
  for (size_t i = 0; i < inputs.count; ++i) {
    if (!dims.Next() || !types.Next()) break;
    const Input& input = inputs.first[i];
    if (IsPlainTensor(input)) {
      PutTensor(input, dims, types);
      continue;
    }
    dims.PutSizes(nullptr, 0);
    const bool scalar =
        input.kind == kDouble || input.kind == kComplex || input.kind == kInt;
    types.PutQuoted(scalar ? "Scalar" : "");
  }
  dims.Attach(scope, "Input Dims");
  types.Attach(scope, "Input type");
}

}  // namespace stepscope::torch_abi
