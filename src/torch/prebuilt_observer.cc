// SPDX-License-Identifier: Apache-2.0
#include "torch/prebuilt_observer.h"

#include <cstring>
#include <mutex>

#include "torch/prebuilt_shapes.h"
#include "torch/probe.h"
#include "torch/recorder.h"

namespace stepscope::torch_abi {
namespace {

Functions torch_functions;
Layout torch_layout;
void* found_torch = nullptr;  // probed, and found good

template <bool kBackward>
std::unique_ptr<ObserverContext> OperatorBegins(
    const RecordFunction& function) {
  const stepscope_scope scope =
      BeginOperator(&function, torch_functions.name(&function), kBackward,
                    ReadAt<int64_t>(function, torch_layout.sequence));
  if (scope.slot != nullptr && WantsShapes()) AddShapes(scope, function);
  return nullptr;
}

void OperatorEnds(const RecordFunction& function, ObserverContext*) {
  EndOperator(&function);
}

struct UserRange final : ObserverContext {
  OpenRange range;
};

std::unique_ptr<ObserverContext> RangeBegins(const RecordFunction& function) {
  auto context = std::make_unique<UserRange>();
  context->range = BeginRange(torch_functions.name(&function));
  if (context->range.scope.slot != nullptr && WantsShapes() &&
      (WantsValues() || IsCollective(context->range)))
    AddShapes(context->range.scope, function);
  return context;
}

void RangeEnds(const RecordFunction&, ObserverContext* context) {
  if (context != nullptr) EndRange(static_cast<UserRange*>(context)->range);
}

RecordFunctionCallback Operators(StartCallback start) {
  RecordFunctionCallback callback = {start, &OperatorEnds};
  callback.needs_inputs = WantsShapes();
  return callback;
}

thread_local bool learns = false;

std::unique_ptr<ObserverContext> LearnsFrom(const RecordFunction& function) {
  if (learns && std::strcmp(torch_functions.name(&function), "aten::ones") == 0)
    LearnFrom(function);
  return nullptr;
}

void LearnedFrom(const RecordFunction&, ObserverContext*) {}

std::mutex mutex;
uint64_t learning_handle = 0;
bool operators_observed = false;
bool ranges_observed = false;
uint64_t forward_handle = 0;
uint64_t backward_handle = 0;
uint64_t ranges_handle = 0;

}  // namespace

bool IsObserving() {
  const std::lock_guard<std::mutex> lock(mutex);
  return operators_observed || ranges_observed;
}

const char* FindTorch() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (found_torch != nullptr) return nullptr;
  void* const found = FindLoadedTorch();
  if (found == nullptr) return "torch is not loaded";
  if (!FindFunctions(found, &torch_functions))
    return "this torch has another interface for observers";
  const char* why = Probe(found, torch_functions, &torch_layout);
  if (why != nullptr) return why;
  PrepareShapes(found, torch_functions, torch_layout);
  found_torch = found;
  return nullptr;
}

void Learn(bool on) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (learns == on) return;
  learns = on;
  if (!on) return torch_functions.remove_callback(learning_handle);
  RecordFunctionCallback callback = {&LearnsFrom, &LearnedFrom};
  callback.scopes[kFunction] = true;
  callback.needs_inputs = true;
  learning_handle = torch_functions.add_global_callback(callback);
}

// One pair of callbacks for the backward pass and one for the rest: the scope
// of a function need not be asked for.
void ObserveOperators(bool on) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (operators_observed == on) return;
  operators_observed = on;
  if (!on) {
    torch_functions.remove_callback(forward_handle);
    torch_functions.remove_callback(backward_handle);
    return;
  }
  RecordFunctionCallback forward = Operators(&OperatorBegins<false>);
  forward.scopes[kFunction] = true;
  forward.scopes[kTorchScriptFunction] = true;
  forward_handle = torch_functions.add_global_callback(forward);
  RecordFunctionCallback backward = Operators(&OperatorBegins<true>);
  backward.scopes[kBackwardFunction] = true;
  backward_handle = torch_functions.add_global_callback(backward);
}

void ObserveRanges(bool on) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (ranges_observed == on) return;
  ranges_observed = on;
  if (!on) return torch_functions.remove_callback(ranges_handle);
  RecordFunctionCallback callback = {&RangeBegins, &RangeEnds};
  callback.scopes[kUserScope] = true;
  callback.needs_inputs = WantsShapes();
  ranges_handle = torch_functions.add_global_callback(callback);
}

}  // namespace stepscope::torch_abi
