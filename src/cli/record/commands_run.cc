// SPDX-License-Identifier: Apache-2.0
#include "cli/record/commands_run.h"

#include "cli/bill_option.h"

namespace stepscope {

Command RunCommand(RunOptions& options, const char* group) {
  return {
      .name = "run",
      .group = group,
      .summary = "record a program and the processes it starts",
      .description =
          "Runs a program and records what it does: NVTX ranges, operators of "
          "torch, work on the GPU. The program needs no change. The exit code "
          "is that of the program.",
      .rest = "-- COMMAND [ARGUMENT...]",
      .options =
          {{.name = "--steps",
            .value = "A:B",
            .kind = ValueKind::kText,
            .meaning = "record only the steps from A up to B, B not included",
            .fallback = "all",
            .group = "When to record",
            .target = &options.steps},
           {.name = "--step-range",
            .value = "NAME",
            .kind = ValueKind::kText,
            .meaning = "ranges with this name are the steps; * matches any "
                       "text",
            .group = "When to record",
            .target = &options.step_range},
           {.name = "--start-after",
            .value = "SECONDS",
            .kind = ValueKind::kNumber,
            .meaning = "start recording after SECONDS",
            .group = "When to record",
            .target = &options.start_after_s},
           {.name = "--start-at",
            .value = "NAME",
            .kind = ValueKind::kText,
            .meaning = "start recording when a range with this name begins; * "
                       "matches any text",
            .group = "When to record",
            .target = &options.start_at},
           {.name = "--no-gpu",
            .meaning = "do not record the GPU",
            .group = "What to record",
            .target = &options.no_gpu},
           {.name = "--nvtx",
            .meaning = "record NVTX ranges even if another NVTX tool is set",
            .group = "What to record",
            .target = &options.nvtx},
           {.name = "--no-torch",
            .meaning = "do not record operators of torch",
            .group = "What to record",
            .target = &options.no_torch},
           {.name = "--shapes",
            .meaning = "record shapes and types of the inputs of operators",
            .group = "What to record",
            .target = &options.shapes},
           {.name = "--memory",
            .meaning = "record each allocation of torch, the segments of its "
                       "allocator, and the memory of the process",
            .group = "What to record",
            .target = &options.memory},
           {.name = "--memory-stacks",
            .meaning = "also record the lines of Python that allocate memory "
                       "of a GPU; implies --memory",
            .group = "What to record",
            .target = &options.memory_stacks},
           {.name = "--counters",
            .meaning = "sample counters of the GPU's hardware: tensor cores, "
                       "SMs, warps, bytes of its memory, PCIe and NVLink, and "
                       "its power",
            .group = "What to record",
            .target = &options.counters},
           {.name = "--counter-interval",
            .value = "US",
            .kind = ValueKind::kNumber,
            .meaning = "sample them every US microseconds; implies --counters",
            .fallback = "100",
            .group = "What to record",
            .target = &options.counter_interval_us},
           {.name = "--python",
            .meaning = "record calls of Python functions in the program's own "
                       "files",
            .group = "What to record",
            .target = &options.python},
           {.name = "--python-include",
            .value = "GLOB",
            .kind = ValueKind::kText,
            .meaning = "also record Python functions in files that match, "
                       "such as */torch/nn/*; implies --python; may be given "
                       "several times",
            .group = "What to record",
            .target = &options.python_include},
           {.name = "--python-exclude",
            .value = "GLOB",
            .kind = ValueKind::kText,
            .meaning = "do not record Python functions in files that match; "
                       "implies --python; may be given several times",
            .group = "What to record",
            .target = &options.python_exclude},
           {.name = "--out",
            .value = "DIR",
            .kind = ValueKind::kFolder,
            .meaning = "folder for the captures, one per process",
            .fallback = "a new folder in profiler_log",
            .group = "Output",
            .target = &options.out},
           {.name = "--otlp",
            .value = "ENDPOINT",
            .kind = ValueKind::kText,
            .meaning = "send the requests of a server to an OpenTelemetry "
                       "receiver, such as http://localhost:4318: each some "
                       "seconds after it has ended, as it is found in the "
                       "capture; the rest when the program has ended. The "
                       "program is never held up",
            .group = "Output",
            .target = &options.otlp},
           BillOption("with --otlp: ", "Output", &options.bill),
           {.name = "--quiet",
            .meaning = "print nothing but errors",
            .group = "Output",
            .target = &options.quiet}},
      .example_title = "three steps of a training script, after its warm-up",
      .example = "stepscope run --steps 10:13 -- python train.py --epochs 1",
      .run = [&options] { return RunRun(options); }};
}

}  // namespace stepscope
