// SPDX-License-Identifier: Apache-2.0
//
// The prebuilt observer: torch's callbacks, put in and taken out. Built without
// torch, it looks for what it needs in the torch of the process.
#pragma once

#include "torch/record_function_abi.h"

namespace stepscope::torch_abi {

// Finds torch and probes it. Null, or why operators cannot be recorded. May be
// called again; the first success stays.
const char* FindTorch();

// Puts the callbacks in or takes them out; off, torch does not even call. From
// any thread, also from inside a range. REQUIRES: FindTorch() was successful,
// and `host` is set.
void ObserveOperators(bool on);
void ObserveRanges(bool on);
// While on, the calling thread's call of aten::ones is for LearnKinds().
void Learn(bool on);
// Whether either is in.
bool IsObserving();

}  // namespace stepscope::torch_abi
