// SPDX-License-Identifier: Apache-2.0
#include "cli/record/commands_flight.h"

#include <iterator>

namespace stepscope {

void AddFlightOptions(RunOptions& options, Command& run) {
  constexpr const char* kGroup = "Flight recorder";
  std::vector<Option> added = {
      {.name = "--always",
       .meaning = "record all the time and keep the last steps; save them when "
                  "a step is slow, when no step ends, or on a trigger",
       .group = kGroup,
       .target = &options.always},
      {.name = "--on-demand",
       .meaning = "record nothing until stepscope trigger asks for it",
       .group = kGroup,
       .target = &options.on_demand},
      {.name = "--budget",
       .value = "PERCENT",
       .kind = ValueKind::kNumber,
       .meaning = "with --always: record operators and the GPU in so many "
                  "steps that this takes about PERCENT of the time, and say "
                  "how much it took",
       .fallback = "kernels in every step, operators on a trigger only",
       .group = kGroup,
       .target = &options.budget_percent},
      {.name = "--keep-steps",
       .value = "N",
       .kind = ValueKind::kCount,
       .meaning = "steps that --always keeps",
       .fallback = "20",
       .group = kGroup,
       .target = &options.keep_steps},
      {.name = "--slow",
       .value = "FACTOR",
       .kind = ValueKind::kNumber,
       .meaning = "a step is slow if it takes FACTOR times the median",
       .fallback = "3",
       .group = kGroup,
       .target = &options.slow_factor},
      {.name = "--no-slow",
       .meaning = "save nothing because of slow steps",
       .group = kGroup,
       .target = &options.no_slow},
      {.name = "--hang-after",
       .value = "SECONDS",
       .kind = ValueKind::kNumber,
       .meaning = "the program hangs if a step takes SECONDS",
       .fallback = "30, or ten times the median",
       .group = kGroup,
       .target = &options.hang_after_s},
      {.name = "--no-hang",
       .meaning = "save nothing because of a hang",
       .group = kGroup,
       .target = &options.no_hang},
      {.name = "--prometheus",
       .value = "FILE",
       .kind = ValueKind::kFile,
       .meaning = "with --always: write figures of the steps that are kept to "
                  "FILE every few seconds, for Prometheus",
       .group = kGroup,
       .target = &options.prometheus}};
  size_t at = 0;
  while (at < run.options.size() && run.options[at].group == "When to record")
    ++at;
  run.options.insert(run.options.begin() + static_cast<ptrdiff_t>(at),
                     std::make_move_iterator(added.begin()),
                     std::make_move_iterator(added.end()));
}

Command TriggerCommand(TriggerArguments& arguments, const char* group) {
  constexpr const char* kGroup = "What to record";
  return {
      .name = "trigger",
      .group = group,
      .summary = "record some steps of a job that is running",
      .description =
          "Makes all processes of a running job record the same steps, which "
          "are still to come, and waits for them. The job was started with "
          "stepscope run --always or --on-demand, or with a Profiler in mode "
          "flight. No signal is sent. The exit code is 0 if every process "
          "recorded, else 1.",
      .options =
          {{.name = "--job",
            .value = "DIR",
            .kind = ValueKind::kFolder,
            .meaning = "the folder of the job: --out of stepscope run, or "
                       "that of the Profiler",
            .group = kGroup,
            .required = true,
            .target = &arguments.job},
           {.name = "--steps",
            .value = "N",
            .kind = ValueKind::kCount,
            .meaning = "how many steps to record",
            .fallback = "5",
            .group = kGroup,
            .target = &arguments.steps},
           {.name = "--seconds",
            .value = "SECONDS",
            .kind = ValueKind::kNumber,
            .meaning = "how long to record a program that shows no steps",
            .fallback = "5",
            .group = kGroup,
            .target = &arguments.seconds},
           {.name = "--margin",
            .value = "SECONDS",
            .kind = ValueKind::kNumber,
            .meaning = "time until the first step, in which all processes "
                       "must see the request",
            .fallback = "2",
            .group = kGroup,
            .target = &arguments.margin_s},
           {.name = "--timeout",
            .value = "SECONDS",
            .kind = ValueKind::kNumber,
            .meaning = "wait no longer than this",
            .fallback = "600",
            .group = kGroup,
            .target = &arguments.timeout_s}},
      .example_title = "five steps of a job that records into log",
      .example = "stepscope trigger --job log --steps 5",
      .run = [&arguments] { return RunTrigger(arguments); }};
}

}  // namespace stepscope
