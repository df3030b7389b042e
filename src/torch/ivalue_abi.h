// SPDX-License-Identifier: Apache-2.0
//
// c10::IValue, an input of an operator, as far as all releases have it alike.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::torch_abi {

// A tensor lies in it as itself, one pointer to its content.
struct Input {
  const void* const* content;  // the first word is its vtable
  uint32_t kind;
  uint32_t padding;
};
static_assert(sizeof(Input) == 16);

enum Kind : uint32_t {
  kNone = 0,
  kTensor = 1,
  kDouble = 3,
  kComplex = 4,
  kInt = 5
};

struct Inputs {
  const Input* first;
  size_t count;
};

}  // namespace stepscope::torch_abi
