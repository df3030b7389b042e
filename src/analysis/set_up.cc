// SPDX-License-Identifier: Apache-2.0
#include "analysis/set_up.h"

#include <algorithm>
#include <unordered_map>

namespace stepscope {
namespace {

// Parts of names. Torch's compiler and inductor, XLA, Triton, CUDA's loaders
// and compilers, cuDNN's search. A call of compiled code is none of these.
constexpr std::string_view kParts[] = {
    "_dynamo/convert_frame",
    "compile_inner",
    "compile_fx",
    "_compile.<locals>",
    "backend_compile",
    "inductor_codegen",
    "async_compile",
    "CachingAutotuner.benchmark",
    "PyCodeCache.load",
    "GraphLowering.",
    "aot_autograd/",
    "create_aot_dispatcher_function",
    "XlaCompile",
    "::Compile(",
    "XlaCompilationCache",
    "HloPass",
    "RunBackend",
    "jit_compile",
    "autotune",
    "Autotune",
    "cudnnFind",
    "cudnnGetConvolution",
    "nvrtcCompileProgram",
    "cuModuleLoad",
    "cuLibraryLoad",
    "hipModuleLoad",
    "cudaMalloc",
    "hipMalloc",
    "cuMemAlloc",
    "cuMemCreate",
    "cuMemMap",
    "cudaGraphInstantiate",
    "cudaStreamBeginCapture",
    "cudaStreamEndCapture",
};

// Whole names.
constexpr std::string_view kSetUpNames[] = {"Compile", "compile", "XLA Compile",
                                            "backend_compile_and_load"};

}  // namespace

bool IsSetUp(std::string_view name) {
  return std::find(std::begin(kSetUpNames), std::end(kSetUpNames), name) !=
             std::end(kSetUpNames) ||
         std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) {
                       return name.find(part) != name.npos;
                     });
}

int64_t SetUpTime(const EventTree& tree, uint32_t thread,
                  const Interval& range) {
  const Trace& trace = tree.trace();
  const auto start = trace.start_ns();
  const Thread& of = tree.threads()[thread];
  std::unordered_map<uint32_t, bool> known;  // by name
  IntervalCollector collector;
  for (uint32_t i = of.first_track; i < of.last_track; ++i) {
    const Track& track = trace.tracks()[i];
    const auto first = std::lower_bound(
        start.begin() + track.first, start.begin() + track.last, range.begin);
    for (Row row = static_cast<Row>(first - start.begin());
         row < track.last && start[row] < range.end; ++row) {
      const StringId name = trace.name()[row];
      const auto [at, is_new] = known.try_emplace(name.v, false);
      if (is_new) at->second = IsSetUp(trace.str(name));
      if (!at->second) continue;
      collector.Add(start[row], std::min(tree.end_ns(row), range.end));
    }
  }
  return TotalLength(collector.Finish());
}

}  // namespace stepscope
