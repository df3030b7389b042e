// SPDX-License-Identifier: Apache-2.0
//
// Inputs of an operator that are not tensors, as torch's profiler writes them:
// "Concrete Inputs". The numbers of kinds behind kInt and the layout of a list
// have moved between releases; both are learned from one call whose inputs are
// known. Until then, lists and truth values have no text.
#pragma once

#include "torch/input_list.h"
#include "torch/ivalue_abi.h"

namespace stepscope::torch_abi {

// The inputs of torch.ones((3, 5), pin_memory=False). What does not look like
// that teaches nothing. Before any other call here; not thread-safe.
void LearnKinds(const Inputs& inputs);
bool KnowsLists();

// False: not a list, as far as is known.
bool IsList(const Input& input, Inputs* elements);

bool IsNumber(const Input& input);
// Or a truth value.
bool IsScalar(const Input& input);

// Its text, without quotes: "6", "0.5", "False", "[3, 5]". Empty for what has
// none, and for lists that do not fit.
class ValueText {
 public:
  explicit ValueText(const Input& input);
  std::string_view view() const { return {text_, used_}; }

 private:
  bool Put(const Input& scalar);
  bool Put(std::string_view text);
  char text_[256];
  size_t used_ = 0;
};

}  // namespace stepscope::torch_abi
