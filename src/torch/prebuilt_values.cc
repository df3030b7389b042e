// SPDX-License-Identifier: Apache-2.0
#include "torch/prebuilt_values.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace stepscope::torch_abi {
namespace {

constexpr uint32_t kUnknown = UINT32_MAX;

struct Kinds {
  uint32_t list = kUnknown;
  uint32_t truth = kUnknown;
  size_t elements = 0;  // bytes from the beginning of a list to its vector
};
Kinds kinds;

// std::vector<IValue>
struct Vector {
  const Input* begin;
  const Input* end;
  const Input* capacity;
};

Vector VectorAt(const void* list, size_t offset) {
  Vector vector;
  std::memcpy(&vector, static_cast<const char*>(list) + offset, sizeof(vector));
  return vector;
}

template <typename T>
T PayloadOf(const Input& input) {
  T value;
  std::memcpy(&value, &input.content, sizeof(value));
  return value;
}

bool IsInt(const Input& input, int64_t value) {
  return input.kind == kInt && PayloadOf<int64_t>(input) == value;
}

// Behind the vtable and one or two words of counts. A list has no less than
// six words.
size_t FindElements(const void* list) {
  for (size_t word = 1; word <= 3; ++word) {
    const Vector vector = VectorAt(list, word * sizeof(void*));
    const auto begin = reinterpret_cast<uintptr_t>(vector.begin);
    const auto end = reinterpret_cast<uintptr_t>(vector.end);
    if (begin == 0 || begin % alignof(Input) != 0 ||
        end - begin != 2 * sizeof(Input) ||
        reinterpret_cast<uintptr_t>(vector.capacity) < end)
      continue;
    if (IsInt(vector.begin[0], 3) && IsInt(vector.begin[1], 5))
      return word * sizeof(void*);
  }
  return 0;
}

}  // namespace

void LearnKinds(const Inputs& inputs) {
  constexpr size_t kSize = 0;
  constexpr size_t kPinned = 4;
  if (inputs.count != 5 || inputs.first == nullptr) return;
  const Input& size = inputs.first[kSize];
  if (size.kind <= kInt || size.content == nullptr ||
      reinterpret_cast<uintptr_t>(size.content) % alignof(void*) != 0)
    return;
  kinds.elements = FindElements(size.content);
  if (kinds.elements != 0) kinds.list = size.kind;
  const Input& pinned = inputs.first[kPinned];
  if (pinned.kind > kInt && pinned.kind != size.kind &&
      PayloadOf<bool>(pinned) == false)
    kinds.truth = pinned.kind;
}

bool KnowsLists() { return kinds.list != kUnknown; }

bool IsList(const Input& input, Inputs* elements) {
  if (input.kind != kinds.list || input.content == nullptr) return false;
  const Vector vector = VectorAt(input.content, kinds.elements);
  *elements = {vector.begin, static_cast<size_t>(vector.end - vector.begin)};
  return true;
}

bool IsNumber(const Input& input) {
  return input.kind == kDouble || input.kind == kComplex || input.kind == kInt;
}

bool IsScalar(const Input& input) {
  return IsNumber(input) || input.kind == kinds.truth;
}

ValueText::ValueText(const Input& input) {
  Inputs elements;
  if (!IsList(input, &elements)) {
    if (!Put(input)) used_ = 0;
    return;
  }
  bool fits = Put("[");
  for (size_t i = 0; fits && i < elements.count; ++i)
    fits = (i == 0 || Put(", ")) && Put(elements.first[i]);
  if (!fits || !Put("]")) used_ = 0;
}

// As torch prints them: a whole double ends in a point.
bool ValueText::Put(const Input& scalar) {
  char text[40];
  if (scalar.kind == kInt) {
    std::snprintf(text, sizeof(text), "%lld",
                  static_cast<long long>(PayloadOf<int64_t>(scalar)));
  } else if (scalar.kind == kDouble) {
    const auto value = PayloadOf<double>(scalar);
    const bool whole = std::trunc(value) == value && std::fabs(value) < 1e15;
    std::snprintf(text, sizeof(text), whole ? "%.0f." : "%.17g", value);
  } else if (scalar.kind == kinds.truth) {
    return Put(PayloadOf<bool>(scalar) ? "True" : "False");
  } else {
    return false;
  }
  return Put(text);
}

bool ValueText::Put(std::string_view text) {
  if (text.size() > sizeof(text_) - used_) return false;
  std::memcpy(text_ + used_, text.data(), text.size());
  used_ += text.size();
  return true;
}

}  // namespace stepscope::torch_abi
