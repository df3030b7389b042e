// SPDX-License-Identifier: Apache-2.0
#include "torch/recorder.h"

#include <cstring>

#include "torch/iteration.h"

namespace stepscope {

stepscope_torch_host_v1 host;

namespace {

// Open operators of one thread. Deeper ones are not recorded.
struct OpenOperators {
  static constexpr uint32_t kDepth = 256;
  uint32_t size = 0;
  stepscope_scope scopes[kDepth];
  const void* functions[kDepth];
};
thread_local OpenOperators open_operators;

constexpr char kBackwardNode[] = "autograd::engine::evaluate_function: ";

// The engine's range around a node, less its name: the backward pass too.
bool IsBackwardNode(const char* name) {
  return name[0] == 'a' && name[1] == 'u' &&
         std::strncmp(name, kBackwardNode, sizeof(kBackwardNode) - 1) == 0;
}

bool Records() {
  if (stepscope_enabled()) return true;
  if (__atomic_load_n(host.attention, __ATOMIC_RELAXED) == 0) return false;
  host.wake();
  return stepscope_enabled() != 0;
}

}  // namespace

stepscope_scope BeginOperator(const void* function, const char* name,
                              bool backward, int64_t sequence) {
  constexpr stepscope_scope kNone = {nullptr, 0};
  if (!Records()) return kNone;
  OpenOperators& open = open_operators;
  if (open.size == OpenOperators::kDepth) return kNone;
  const stepscope_scope scope = stepscope_begin_name(
      name, static_cast<size_t>(-1),
      backward || IsBackwardNode(name) ? STEPSCOPE_BACKWARD
                                       : STEPSCOPE_OPERATOR);
  if (scope.slot == nullptr) return kNone;
  if (sequence >= 0) stepscope_arg_i64(scope, "Sequence number", sequence);
  open.functions[open.size] = function;
  open.scopes[open.size++] = scope;
  return scope;
}

// Operators of a thread end in reverse order. One that is not on top was
// overtaken: what lies above it was begun and will never be ended here.
void EndOperator(const void* function) {
  OpenOperators& open = open_operators;
  uint32_t at = open.size;
  while (at > 0 && open.functions[at - 1] != function) --at;
  if (at == 0) return;
  open.size = at - 1;
  stepscope_end(open.scopes[at - 1]);
}

OpenRange BeginRange(const char* name) {
  OpenRange range = {{nullptr, 0}, host.range_begins(name)};
  if (stepscope_enabled()) {
    range.scope = stepscope_begin_name(name, static_cast<size_t>(-1),
                                       range.range & 0xffff);
  }
  return range;
}

void EndRange(const OpenRange& range) {
  stepscope_end(range.scope);
  const bool reads = (range.range & 0xffff) == STEPSCOPE_DATALOADER;
  host.range_ends(range.range, reads && IsIterationStopping());
}

}  // namespace stepscope
