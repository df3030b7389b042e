// SPDX-License-Identifier: Apache-2.0
//
// Writes one small trace with everything that a file can hold, for
// viewer_test.py, which knows what must be seen.
//
// usage: viewer_sample_trace FILE FORMAT
#include <stepscope/c.h>

#include <cstdio>
#include <string>

#include "exporters/exporter.h"
#include "trace/trace_from_text_test_support.h"

namespace stepscope {
namespace {

constexpr char kTrace[] = R"(
process 100 rank=0 name=train host=node
thread 100 main
  0..1000000 ProfileStep#0 ProfileStep
    10000..100000 Dataloader Dataloader
    100000..500000 forward Forward
      100001..300003 conv2d Operator input_shapes=[32,3,32,32]
        150000..200000 cudaLaunchKernel CudaRuntime correlation=5
      400000..400000 mark instant
  1000000..1900000 ProfileStep#1 ProfileStep
    1100000..1900000 wait open
thread 101 loader
  5000..250000 read
  200000..300000 overlapping
memory 150000 +1024 Place(cpu) 0x10 total=1024 reserved=2048
memory 250000 -1024 Place(cpu) 0x10 total=0 reserved=2048
stream 7 GPU:0
  210000..450000 gemm Kernel correlation=5 grid=[8,1,1]
process 101
thread 100 main
  20000..800000 other_rank
counter 100000 loss 2.5
counter 200000 loss 1.5
)";

Status Run(const std::string& path, const Exporter& exporter) {
  TraceBuilder builder;
  BuildFromText(kTrace, builder);
  // An arrow from the loader to the step.
  builder.AddFlow({.time_ns = 60000,
                   .id = 9,
                   .name = builder.Intern("batch"),
                   .track = 1,
                   .phase = FlowPhase::kBegin});
  builder.AddFlow({.time_ns = 90000,
                   .id = 9,
                   .name = builder.Intern("batch"),
                   .track = 0,
                   .phase = FlowPhase::kEnd});
  // Every byte, after text that stays readable.
  std::string bytes = "bytes ";
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  builder.AddEvent(
      {1, 400000, 1000, builder.Intern(bytes), STEPSCOPE_USER_DEFINED, 0});
  builder.AddEvent({1, 500000, 1000,
                    builder.Intern("<img src=x onerror=\"alert(1)\">"),
                    STEPSCOPE_USER_DEFINED, 0});
  STEPSCOPE_TRY_ASSIGN(auto trace, builder.Finish());
  return ExportFile(*trace, exporter, path);
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  const stepscope::Exporter* const exporter =
      argc == 3 ? stepscope::FindExporter(argv[2]) : nullptr;
  if (exporter == nullptr) {
    std::fprintf(stderr, "usage: viewer_sample_trace FILE FORMAT\n");
    return 2;
  }
  stepscope::Status status = stepscope::Run(argv[1], *exporter);
  if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  return status ? 0 : 1;
}
