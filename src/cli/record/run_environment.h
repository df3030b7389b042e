// SPDX-License-Identifier: Apache-2.0
//
// What the command finds in its environment. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/record/run.h"

namespace stepscope {

// What there is to inject, and why something is missing ("": it is not).
struct Injection {
  std::string injector;        // libstepscope_inject.so
  std::string folder;          // where captures go, absolute
  std::string torch_library;   // libtorch_cpu.so that the observer is for;
                               // "": it asks the torch that it finds
  std::string torch_observer;  // libstepscope_torch.so
  std::string torch_absent;
  std::string gpu_absent;
  std::string python_hook;     // folder of sitecustomize.py; "": not used
  std::string python_package;  // folder of the package; "": Python finds it
  int64_t began_ns = 0;        // CLOCK_MONOTONIC
  std::string run_id;          // no other run of any machine has it
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// The variables to set. `inherited` has those of LD_PRELOAD, PYTHONPATH,
// NVTX_INJECTION64_PATH, CUDA_INJECTION64_PATH and STEPSCOPE_GPU_KINDS that are
// set now: other libraries to preload and folders of Python stay, and another
// tool's NVTX or CUDA injection is left alone unless --nvtx asks for ours.
Variables RunVariables(const RunOptions& options, const Injection& injection,
                       const Variables& inherited);

}  // namespace stepscope
