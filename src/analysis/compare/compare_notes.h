// SPDX-License-Identifier: Apache-2.0
//
// What a reader of a comparison must know, as sentences.
#pragma once

#include "analysis/compare/compare.h"

namespace stepscope {

struct CompareSide {
  const Trace& trace;
  const StepProfile& profile;
  bool has_shapes = false;
};

// Appends to the notes of `result`, which is complete but for these.
void AddNotes(const CompareSide& a, const CompareSide& b,
              const StepChoice& choice, Comparison& result);

}  // namespace stepscope
