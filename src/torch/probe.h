// SPDX-License-Identifier: Apache-2.0
//
// Finds out whether the torch of this process has the binary interface that
// record_function_abi.h states. An operator and a user range with known names
// and sequence numbers are recorded by torch itself, and each must arrive at
// the callback that is meant for it, once, with its name.
#pragma once

#include "torch/record_function_abi.h"

namespace stepscope::torch_abi {

// Returns null and fills `layout`, or says why not, in words that follow
// "operators are not recorded: ". Not thread-safe: one probe at a time, but
// torch may run on other threads.
const char* Probe(void* torch, const Functions& functions, Layout* layout);

}  // namespace stepscope::torch_abi
