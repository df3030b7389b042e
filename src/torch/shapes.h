// SPDX-License-Identifier: Apache-2.0
//
// Shapes and types of an operator's inputs as arguments of its event, spelled
// as Kineto spells them: "Input Dims" and "Input type". Takes no memory; what
// does not fit the buffer is left out at the end, and the list then ends in
// "...".
#pragma once

#include <ATen/record_function.h>
#include <stepscope/c.h>

namespace stepscope {

// REQUIRES: inside the start callback of a function that has its inputs.
void AddShapes(stepscope_scope scope, const at::RecordFunction& function);

}  // namespace stepscope
