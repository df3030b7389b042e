// SPDX-License-Identifier: Apache-2.0
//
// Shapes and types of an operator's inputs, as shapes.h has them, without
// torch's headers: an input has 16 bytes and ends in its kind, and a tensor
// tells its sizes through the C functions that torch has from 2.3 on.
#pragma once

#include <stepscope/c.h>

#include "torch/record_function_abi.h"

namespace stepscope::torch_abi {

// False if this torch has not what it takes; then AddShapes adds nothing.
bool PrepareShapes(void* torch, const Functions& functions,
                   const Layout& layout);

// REQUIRES: inside the start callback of a function that has its inputs.
void AddShapes(stepscope_scope scope, const RecordFunction& function);

// Of torch.ones((3, 5), pin_memory=False); likewise.
void LearnFrom(const RecordFunction& function);

}  // namespace stepscope::torch_abi
