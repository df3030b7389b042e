// SPDX-License-Identifier: Apache-2.0
//
// What an observer of torch records, whichever way it was built: operators and
// ranges become events of this process's capture. Nothing here knows torch's
// types. Thread-safe once `host` is set.
//
// Operators take no memory: an open one is kept on a small stack of its
// thread, and begins and ends through the inline code of <stepscope/c.h>.
#pragma once

#include <stepscope/c.h>

#include "torch/observer_abi.h"

namespace stepscope {

// Set once, before the first callback.
extern stepscope_torch_host_v1 host;

inline bool WantsShapes() { return (host.flags & STEPSCOPE_TORCH_SHAPES) != 0; }
inline bool WantsValues() { return (host.flags & STEPSCOPE_TORCH_VALUES) != 0; }

// `function` is torch's object for the call, which tells operators apart;
// `sequence` pairs an operator with the node of autograd that computes its
// gradient, negative if there is none. slot == NULL: not recorded.
stepscope_scope BeginOperator(const void* function, const char* name,
                              bool backward, int64_t sequence);
void EndOperator(const void* function);

// A user range may end on another thread, so torch carries this for us.
struct OpenRange {
  stepscope_scope scope;
  uint32_t range;  // what the host said
};
OpenRange BeginRange(const char* name);
void EndRange(const OpenRange& range);

// The inputs of a collective are what it sends: their shapes matter.
inline bool IsCollective(const OpenRange& range) {
  return range.scope.slot != nullptr &&
         (range.range & 0xffff) == STEPSCOPE_COMMUNICATION;
}

}  // namespace stepscope
