// SPDX-License-Identifier: Apache-2.0
#include "generator/formats.h"

#include <string_view>

namespace stepscope::generator {
namespace {

constexpr uint32_t kMemory = Mask({Kind::kAllocate, Kind::kFree});
constexpr uint32_t kStages = Mask({Kind::kForward, Kind::kBackward});

constexpr Format kFormats[] = {
    {"kineto", "JSON of torch.profiler", Dialect::kTorch,
     kAllKinds & ~kStages, &WriteKineto},
    {"fluid", "profile of Paddle 1.x", Dialect::kFluid,
     kAllKinds & ~Mask({Kind::kAllocate}), &WriteFluid},
    {"xplane", "XSpace of TensorFlow 2 and JAX", Dialect::kTensorFlow,
     kAllKinds & ~kMemory, &WriteXPlane},
};

}  // namespace

std::span<const Format> Formats() { return kFormats; }

const Format* FindFormat(std::string_view name) {
  for (const Format& format : kFormats)
    if (name == format.name) return &format;
  return nullptr;
}

}  // namespace stepscope::generator
