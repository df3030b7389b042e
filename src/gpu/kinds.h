// SPDX-License-Identifier: Apache-2.0
//
// What is collected: the activity kinds, and which API calls are worth a
// record. STEPSCOPE_GPU_KINDS chooses among the kinds by name, separated by
// commas, or "all"; STEPSCOPE_GPU_GRAPHS=whole records a CUDA graph as one
// kernel, not its kernels one by one; STEPSCOPE_GPU_CALLS=all keeps every API
// call, not only those that do work.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/cupti_api.h"

namespace stepscope::gpu {

struct Kind {
  const char* name;  // in STEPSCOPE_GPU_KINDS
  CUpti_ActivityKind kind;
  bool required;  // without it there is nothing to record
  bool dump;      // objects that exist already are reported as well
  bool standard;  // enabled unless STEPSCOPE_GPU_KINDS says otherwise
  bool work;      // a record for each launch, copy or wait: can be left out
};

class KindSet {
 public:
  // `early`: CUDA is not initialised yet.
  KindSet(const CuptiApi& api, bool early) : api_(api), early_(early) {}

  // Enables what is wanted. On failure of a required kind nothing is left
  // enabled, and `why` says why. `missing` lists what else was refused.
  bool Enable(char* why, size_t why_bytes, char* missing, size_t missing_bytes);
  // Leaves out, or takes in again, what comes with each launch. False: CUPTI
  // refused some of it; to be called again.
  bool SetWork(bool on);
  // Disables what Enable() enabled. False: something stayed on.
  bool Disable();

 private:
  const CuptiApi& api_;
  bool early_;
  struct Enabled {
    CUpti_ActivityKind kind;
    bool work;
    bool on;
  };
  bool Set(Enabled& enabled, bool on);

  std::vector<Enabled> enabled_;
};

// A function of the runtime's or the driver's API.
struct ApiCall {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId cbid;
};

// The functions whose calls are recorded.
std::vector<ApiCall> CallsOfInterest(const CuptiApi& api);

// True for calls of the runtime or the driver that launch, copy, set, allocate
// or wait. The others ask, and programs make thousands of them.
bool IsWork(const char* call);

}  // namespace stepscope::gpu
