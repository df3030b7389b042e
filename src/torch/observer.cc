// SPDX-License-Identifier: Apache-2.0
//
// The observer of torch's operators as `stepscope run` compiles it on the
// machine where it runs, against the torch that is installed there: for a
// torch whose binary interface prebuilt_observer.cc does not know. It uses
// nothing that torch 1.11 lacks.
#include <ATen/record_function.h>

#include <memory>
#include <mutex>

#include "torch/recorder.h"
#include "torch/shapes.h"

namespace stepscope {
namespace {

std::unique_ptr<at::ObserverContext> OperatorBegins(
    const at::RecordFunction& function) {
  const stepscope_scope scope = BeginOperator(
      &function, function.name(),
      function.scope() == at::RecordScope::BACKWARD_FUNCTION, function.seqNr());
  if (scope.slot != nullptr && WantsShapes()) AddShapes(scope, function);
  return nullptr;
}

void OperatorEnds(const at::RecordFunction& function, at::ObserverContext*) {
  EndOperator(&function);
}

struct UserRange final : at::ObserverContext {
  OpenRange range;
};

std::unique_ptr<at::ObserverContext> RangeBegins(
    const at::RecordFunction& function) {
  auto context = std::make_unique<UserRange>();
  context->range = BeginRange(function.name());
  if (WantsShapes() && IsCollective(context->range))
    AddShapes(context->range.scope, function);
  return context;
}

void RangeEnds(const at::RecordFunction&, at::ObserverContext* context) {
  if (context != nullptr) EndRange(static_cast<UserRange*>(context)->range);
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
      at::RecordFunctionCallback(&OperatorBegins, &OperatorEnds)
          .needsInputs(WantsShapes())
          .scopes({at::RecordScope::FUNCTION,
                   at::RecordScope::BACKWARD_FUNCTION,
                   at::RecordScope::TORCHSCRIPT_FUNCTION}));
}

}  // namespace
}  // namespace stepscope

extern "C" __attribute__((visibility("default"))) int stepscope_torch_attach_v1(
    const stepscope_torch_host_v1* host,
    stepscope_torch_observer_v1* observer) {
  if (host->struct_size < sizeof(stepscope_torch_host_v1) ||
      observer->struct_size < sizeof(stepscope_torch_observer_v1))
    return 1;
  stepscope::host = *host;
  at::addGlobalCallback(
      at::RecordFunctionCallback(&stepscope::RangeBegins, &stepscope::RangeEnds)
          .needsInputs(stepscope::WantsShapes())
          .scopes({at::RecordScope::USER_SCOPE}));
  observer->observe_operators = &stepscope::ObserveOperators;
  return 0;
}
