// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/program.h"

#include <algorithm>

#include "analysis/kinds.h"
#include "base/glob.h"

namespace stepscope {
namespace {

constexpr std::string_view kTorchParts[] = {
    "triton_",         "inductor",       "CompiledFunction",
    "CompiledFxGraph", "Torch-Compiled", "TorchDynamo",
    "torch_compile",   "torch_dynamo",   "CompiledAutograd"};
constexpr std::string_view kXlaParts[] = {
    "PjitFunction", "PjRt",        "XlaModule",     "xla::",
    "XLA",          "XlaLaunch",   "GpuExecutable", "TfrtCpuExecutable",
    "_XlaRun",      "ThunkExecute"};

template <size_t kCount>
bool HasAny(std::string_view name, const std::string_view (&parts)[kCount]) {
  return std::any_of(
      std::begin(parts), std::end(parts),
      [&](std::string_view part) { return name.find(part) != name.npos; });
}

// XLA numbers its fusions: "loop_add_fusion_12", "fusion.3".
bool IsXlaKernel(std::string_view name) {
  const size_t at = name.find("fusion");
  if (at == name.npos || name.find('(') != name.npos) return false;
  return at == 0 || name[at - 1] == '_';
}

}  // namespace

Compiled FindCompiled(const AdviceInput& input) {
  for (const KernelRow& kernel : input.summary.kernel) {
    if (kernel.name.starts_with("triton_")) return Compiled::kTorch;
    if (IsXlaKernel(kernel.name)) return Compiled::kXla;
  }
  const Trace& trace = input.trace();
  const Census& census = input.tree.census();
  bool xla = false;
  for (uint32_t i = 0; i < trace.strings().size(); ++i) {
    if (census.host_types(StringId{i}) == 0) continue;
    const std::string_view name = trace.str(StringId{i});
    if (HasAny(name, kTorchParts)) return Compiled::kTorch;
    xla = xla || HasAny(name, kXlaParts);
  }
  return xla ? Compiled::kXla : Compiled::kNo;
}

std::string KernelPattern(const std::vector<KernelRow>& kernels,
                          std::string_view name) {
  constexpr size_t kShort = 40;
  std::string pattern;
  for (size_t length = kShort; length < name.size(); length += kShort) {
    pattern = std::string(name.substr(0, length)) + "*";
    const auto others = std::count_if(
        kernels.begin(), kernels.end(), [&](const KernelRow& other) {
          return other.name != name && MatchesGlob(pattern, other.name);
        });
    if (others == 0) return pattern;
  }
  return std::string(name);
}

}  // namespace stepscope
