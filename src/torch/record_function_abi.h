// SPDX-License-Identifier: Apache-2.0
//
// torch's interface for observers as its compiled form has it, so that an
// observer can be built without torch. The same in all releases from 1.12 to
// 2.15: the struct that is passed by value, the numbers of the scopes and the
// names of the functions. Nothing in it is a std::string, so both string ABIs
// of C++ have the same names. What a later release may change is found out by
// probe.h before any of it is relied on.
//
//   RecordFunctionCallback, 40 bytes
//   0        8        16                 24         34 35 36   40
//   | start  | end    | sampling (double) | scope[10] | 3 needs |  |
//
// A RecordFunction is only ever seen by reference. Inside it, the sequence
// number is directly before the inputs (pointer and count); where both are
// depends on the size of std::string, and is found by the probe.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace stepscope::torch_abi {

// torch destroys what a start callback returns, through this vtable.
struct ObserverContext {
  virtual ~ObserverContext() = default;
};

struct RecordFunction;  // opaque

enum Scope : uint8_t {
  kFunction = 0,
  kBackwardFunction = 1,
  kTorchScriptFunction = 2,
  kUserScope = 7,
  kScopes = 10,
};

using StartCallback =
    std::unique_ptr<ObserverContext> (*)(const RecordFunction&);
using EndCallback = void (*)(const RecordFunction&, ObserverContext*);

struct RecordFunctionCallback {
  StartCallback start;
  EndCallback end;
  double sampling_probability = 1.0;
  bool scopes[kScopes] = {};
  bool needs_inputs = false;
  bool needs_outputs = false;
  bool needs_ids = false;
  // What a later release may have added reads as zero. The struct is passed
  // in memory, so that an older one does not see it.
  char later[24] = {};
};
static_assert(offsetof(RecordFunctionCallback, scopes) == 24);
static_assert(offsetof(RecordFunctionCallback, needs_inputs) == 34);
static_assert(offsetof(RecordFunctionCallback, later) == 37);

// The functions, found in the libtorch_cpu.so of this process.
struct Functions {
  uint64_t (*add_global_callback)(RecordFunctionCallback) = nullptr;
  void (*remove_callback)(uint64_t handle) = nullptr;
  const char* (*name)(const RecordFunction*) = nullptr;
  // The number of arguments in the schema; 0 for what has none.
  size_t (*num_inputs)(const RecordFunction*) = nullptr;
};

// The handle of the libtorch_cpu.so that this process has loaded, or null. It
// stays loaded from then on.
void* FindLoadedTorch();

// False if there is none.
template <typename T>
bool Find(void* library, const char* name, T* function) {
  *function = reinterpret_cast<T>(dlsym(library, name));
  return *function != nullptr;
}

// False if one is missing.
bool FindFunctions(void* torch, Functions* functions);

// Where a RecordFunction has its fields, in bytes from its beginning.
struct Layout {
  size_t sequence = 0;
  size_t inputs() const { return sequence + sizeof(int64_t); }
};

template <typename T>
T ReadAt(const RecordFunction& function, size_t offset) {
  T value;
  __builtin_memcpy(&value, reinterpret_cast<const char*>(&function) + offset,
                   sizeof(value));
  return value;
}

}  // namespace stepscope::torch_abi
