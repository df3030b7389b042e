// SPDX-License-Identifier: Apache-2.0
#include "generator/formats.h"

#include <string_view>

namespace stepscope::generator {
namespace {

constexpr uint32_t kMemory = Mask({Kind::kAllocate, Kind::kFree});
constexpr uint32_t kStages = Mask({Kind::kForward, Kind::kBackward});

constexpr FileFormat kFormats[] = {
    {"capture", "as the recorder leaves it; host events only", Dialect::kPaddle,
     kAllKinds &
         ~(kMemory | Mask({Kind::kKernel, Kind::kMemcpy, Kind::kMemset})),
     &WriteCapture},
    {"chrome", "trace-event JSON, array form", Dialect::kPaddle, kAllKinds,
     &WriteChrome},
    {"kineto", "JSON of torch.profiler", Dialect::kTorch, kAllKinds & ~kStages,
     &WriteKineto},
    {"fluid", "profile of Paddle 1.x", Dialect::kFluid,
     kAllKinds & ~Mask({Kind::kAllocate}), &WriteFluid},
    {"xplane", "XSpace of TensorFlow 2 and JAX", Dialect::kTensorFlow,
     kAllKinds & ~kMemory, &WriteXPlane},
#ifdef STEPSCOPE_GENERATE_NSYS
    {"nsys", "sqlite export of Nsight Systems", Dialect::kTorch, kAllKinds,
     &WriteNsys},
#endif
    {"paddle-json", "JSON of paddle.profiler", Dialect::kPaddle, kAllKinds,
     &WritePaddleJson},
    {"paddle-pb", "node trees of paddle.profiler", Dialect::kPaddle, kAllKinds,
     &WritePaddlePb},
    {"stepstats", "RunMetadata of TensorFlow 1", Dialect::kStepStats,
     Mask({Kind::kOperator, Kind::kGradient, Kind::kKernel, Kind::kMemcpy,
           Kind::kMemset}),
     &WriteStepStats},
};

}  // namespace

std::span<const FileFormat> Formats() { return kFormats; }

const FileFormat* FindFormat(std::string_view name) {
  for (const FileFormat& format : kFormats)
    if (name == format.name) return &format;
  return nullptr;
}

}  // namespace stepscope::generator
