// SPDX-License-Identifier: Apache-2.0
//
// libstepscope_torch.so: records the operators of torch in the capture of this
// process. Built by `stepscope run` on the machine where it runs, against the
// torch that is installed there, because at::RecordFunction has no stable
// binary interface; so this file uses nothing that torch 1.11 lacks.
//
// Operators take no memory: an open one is kept on a small stack of its
// thread, and begins and ends through the inline code of <stepscope/c.h>. A
// user range may end on another thread, so that torch carries it for us.
#include <ATen/record_function.h>
#include <stepscope/c.h>

#include <cstring>
#include <memory>
#include <mutex>

#include "torch/iteration.h"
#include "torch/observer_abi.h"
#include "torch/shapes.h"

namespace stepscope {
namespace {

stepscope_torch_host_v1 host;

// Open operators of one thread. Deeper ones are not recorded.
struct OpenOperators {
  static constexpr uint32_t kDepth = 256;
  uint32_t size = 0;
  stepscope_scope scopes[kDepth];
  const at::RecordFunction* functions[kDepth];
};
thread_local OpenOperators open_operators;

constexpr char kBackwardNode[] = "autograd::engine::evaluate_function: ";

uint32_t OperatorType(const at::RecordFunction& function, const char* name) {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION)
    return STEPSCOPE_BACKWARD;
  // The engine's range around a node, less its name: the backward pass too.
  return name[0] == 'a' && name[1] == 'u' &&
                 std::strncmp(name, kBackwardNode, sizeof(kBackwardNode) - 1) ==
                     0
             ? STEPSCOPE_BACKWARD
             : STEPSCOPE_OPERATOR;
}

bool Records() {
  if (stepscope_enabled()) return true;
  if (__atomic_load_n(host.attention, __ATOMIC_RELAXED) == 0) return false;
  host.wake();
  return stepscope_enabled() != 0;
}

std::unique_ptr<at::ObserverContext> BeginOperator(
    const at::RecordFunction& function) {
  if (!Records()) return nullptr;
  OpenOperators& open = open_operators;
  if (open.size == OpenOperators::kDepth) return nullptr;
  const char* name = function.name();
  const stepscope_scope scope = stepscope_begin_name(
      name, static_cast<size_t>(-1), OperatorType(function, name));
  if (scope.slot == nullptr) return nullptr;
  if ((host.flags & STEPSCOPE_TORCH_SHAPES) != 0) AddShapes(scope, function);
  open.functions[open.size] = &function;
  open.scopes[open.size++] = scope;
  return nullptr;
}

// Operators of a thread end in reverse order. One that is not on top was
// overtaken: what lies above it was begun and will never be ended here.
void EndOperator(const at::RecordFunction& function, at::ObserverContext*) {
  OpenOperators& open = open_operators;
  uint32_t at = open.size;
  while (at > 0 && open.functions[at - 1] != &function) --at;
  if (at == 0) return;
  open.size = at - 1;
  stepscope_end(open.scopes[at - 1]);
}

struct UserRange final : at::ObserverContext {
  stepscope_scope scope = {nullptr, 0};
  uint32_t range = 0;
};

std::unique_ptr<at::ObserverContext> BeginRange(
    const at::RecordFunction& function) {
  auto context = std::make_unique<UserRange>();
  context->range = host.range_begins(function.name());
  if (stepscope_enabled()) {
    context->scope =
        stepscope_begin_name(function.name(), static_cast<size_t>(-1),
                             context->range & 0xffff);
  }
  return context;
}

void EndRange(const at::RecordFunction&, at::ObserverContext* context) {
  if (context == nullptr) return;
  const auto* range = static_cast<const UserRange*>(context);
  stepscope_end(range->scope);
  const bool reads = (range->range & 0xffff) == STEPSCOPE_DATALOADER;
  host.range_ends(range->range, reads && IsIterationStopping());
}

std::mutex operators_mutex;
at::CallbackHandle operators_handle;
bool operators_observed = false;

void ObserveOperators(int on) {
  const std::lock_guard<std::mutex> lock(operators_mutex);
  if (operators_observed == (on != 0)) return;
  operators_observed = on != 0;
  if (on == 0) {
    at::removeCallback(operators_handle);
    return;
  }
  operators_handle = at::addGlobalCallback(
      at::RecordFunctionCallback(&BeginOperator, &EndOperator)
          .needsInputs((host.flags & STEPSCOPE_TORCH_SHAPES) != 0)
          .scopes({at::RecordScope::FUNCTION,
                   at::RecordScope::BACKWARD_FUNCTION,
                   at::RecordScope::TORCHSCRIPT_FUNCTION}));
}

}  // namespace
}  // namespace stepscope

extern "C" __attribute__((visibility("default"))) int
stepscope_torch_attach_v1(const stepscope_torch_host_v1* host,
                          stepscope_torch_observer_v1* observer) {
  if (host->struct_size < sizeof(stepscope_torch_host_v1) ||
      observer->struct_size < sizeof(stepscope_torch_observer_v1))
    return 1;
  stepscope::host = *host;
  at::addGlobalCallback(
      at::RecordFunctionCallback(&stepscope::BeginRange, &stepscope::EndRange)
          .scopes({at::RecordScope::USER_SCOPE}));
  observer->observe_operators = &stepscope::ObserveOperators;
  return 0;
}
