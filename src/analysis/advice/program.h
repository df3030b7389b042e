// SPDX-License-Identifier: Apache-2.0
//
// What the names in a trace say about the program, so that remedies fit it.
#pragma once

#include "analysis/advice/rules.h"

namespace stepscope {

enum class Compiled : uint8_t {
  kNo,
  kTorch,  // torch.compile
  kXla,    // JAX, or TensorFlow with XLA
};

// Whether the model is compiled already, at least in part. By names: kernels
// that a compiler made, and ranges around compiled code.
Compiled FindCompiled(const AdviceInput& input);

// A pattern for `--change kernel:`, short where the name is long, that matches
// no other kernel of the table.
std::string KernelPattern(const std::vector<KernelRow>& kernels,
                          std::string_view name);

}  // namespace stepscope
