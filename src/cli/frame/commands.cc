// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/commands.h"

#include <utility>

#include "analysis/replay/change.h"
#include "analysis/tables/all_tables.h"
#include "cli/bill_option.h"
#include "cli/convert_otlp.h"
#include "cli/dataset/convert_dataset.h"
#include "cli/frame/help.h"
#include "cli/frame/whatif_options.h"
#include "cli/peak_options.h"
#include "cli/rank_options.h"
#include "cli/record/commands_flight.h"
#include "cli/record/commands_run.h"
#include "exporters/exporter.h"
#include "importers/step_range.h"
#include "report/fluid_report.h"
#include "report/table_options.h"

namespace stepscope {
namespace {

constexpr const char* kRecord = "Record";
constexpr const char* kAnalyse = "Find out where the time goes";
constexpr const char* kFiles = "Other formats";
constexpr const char* kShell = "Your shell";

constexpr const char* kTraceMeaning =
    "a trace file of any supported format, a folder of traces, or - for "
    "standard input; in a folder of runs, the newest is read";

Operand TraceOperand(std::string* target) {
  return {.name = "TRACE", .meaning = kTraceMeaning, .target = target};
}

// The same, which may be left out.
Operand LatestOperand(std::string* target) {
  Operand operand = TraceOperand(target);
  operand.meaning += "; none: the newest run in profiler_log";
  operand.optional = true;
  return operand;
}

Option FormatOption(std::vector<std::string> choices, std::string* target) {
  return {.name = "--format",
          .value = "FORMAT",
          .kind = ValueKind::kChoice,
          .meaning = "how to print",
          .fallback = "text",
          .choices = std::move(choices),
          .group = "Output",
          .target = target};
}

Option TopOption(std::string what, std::string fallback, int* target) {
  return {.name = "--top",
          .value = "N",
          .kind = ValueKind::kCount,
          .meaning = "show the first N " + what + "; 0 shows all",
          .fallback = std::move(fallback),
          .group = "Output",
          .target = target};
}

Option StepsOption(std::string fallback, std::string* target) {
  return {.name = "--steps",
          .value = "CHOICE",
          .kind = ValueKind::kText,
          .meaning =
              "which steps to look at: A:B for those from A up to B, B "
              "not included; settled leaves warm-up out; or all",
          .fallback = std::move(fallback),
          .group = "Which steps",
          .target = target};
}

Option UnprofiledOption(std::string* target) {
  return {.name = "--unprofiled",
          .value = "DUR",
          .kind = ValueKind::kText,
          .meaning =
              "how long a step takes when it is not recorded, such as "
              "14.9ms",
          .fallback = "what the recorder measured",
          .group = "Which steps",
          .target = target};
}

std::vector<std::string> ConvertFormats() {
  std::vector<std::string> names;
  for (const Exporter* exporter : AllExporters())
    names.emplace_back(exporter->name());
  names.emplace_back(kOtlp);
  names.emplace_back(kParquet);
  return names;
}

std::vector<std::string> ViewSpellings() {
  std::vector<std::string> names;
  for (const ViewName& view : ViewNames()) names.emplace_back(view.name);
  return names;
}

// Those of the tables, then what only the report of fluid has.
std::vector<std::string> SortSpellings() {
  std::vector<std::string> names;
  for (const SortKeyName& key : SortKeyNames()) names.emplace_back(key.name);
  for (const char* fluid : {"total", "max", "min", "ave"})
    names.emplace_back(fluid);
  return names;
}

Command DoctorCommand(DoctorOptions& options) {
  return {.name = "doctor",
          .group = kRecord,
          .summary = "list what can be recorded on this machine",
          .description =
              "Says what can be recorded on this machine, why the rest cannot, "
              "and what to do about it. The exit code is 0 if the host can be "
              "recorded, else 1.",
          .options = {{.name = "--out",
                       .value = "DIR",
                       .kind = ValueKind::kFolder,
                       .meaning = "folder that captures would be written to",
                       .fallback = options.out,
                       .group = "What to look at",
                       .target = &options.out},
                      {.name = "--python",
                       .value = "PROGRAM",
                       .kind = ValueKind::kText,
                       .meaning = "the Python that has torch",
                       .fallback = options.python,
                       .group = "What to look at",
                       .target = &options.python},
                      FormatOption({"text", "json"}, &options.format)},
          .example_title = "why are there no kernels in my capture?",
          .example = "stepscope doctor",
          .run = [&options] { return RunDoctor(options); }};
}

Command SummaryCommand(SummaryArguments& arguments) {
  const auto is_sort_key = [](const std::string& text) {
    return ParseSortKey(text).has_value() || ParseFluidSort(text).has_value();
  };
  return {
      .name = "summary",
      .group = kAnalyse,
      .summary = "show where a step goes: one screen, or tables",
      .description =
          "Prints one screen: how long a step takes, where its time goes, the "
          "best findings of advise, and the operators, ranges and kernels "
          "that take most time. --views prints tables of all that instead.",
      .operands = {LatestOperand(&arguments.input)},
      .options =
          {{.name = "--views",
            .value = "LIST",
            .kind = ValueKind::kList,
            .meaning = "tables to print, separated by commas",
            .fallback = "one screen for text, paddle (Paddle's nine tables) "
                        "for md, else all but critical_path",
            .choices = ViewSpellings(),
            .accepts =
                [](const std::string& text) {
                  return ParseView(text).has_value();
                },
            .group = "Which tables",
            .target = &arguments.views},
           {.name = "--layout",
            .value = "LAYOUT",
            .kind = ValueKind::kChoice,
            .meaning =
                "how to lay out text: as one screen, as tables no wider than "
                "the terminal, or as Paddle's tables",
            .fallback = "screen, or tables where tables are asked for",
            .choices = {"screen", "tables", "paddle"},
            .group = "Output",
            .target = &arguments.layout},
           {.name = "--no-op-detail",
            .meaning = "leave out what is inside operators",
            .group = "Which tables",
            .target = &arguments.no_op_detail},
           {.name = "--thread-sep",
            .meaning = "operators and your own events per thread",
            .group = "Which tables",
            .target = &arguments.thread_sep},
           {.name = "--group-digits",
            .meaning = "count your own events whose names differ in digits "
                       "only as one, such as request 7 and request 12",
            .group = "Which tables",
            .target = &arguments.group_digits},
           BillOption("", "Which tables", &arguments.bill),
           {.name = "--flops",
            .meaning = "add a column of FLOPs to the table of operators",
            .group = "Which tables",
            .target = &arguments.flops},
           StepsOption("settled for the one screen; all for tables, but "
                       "figures of the step itself are of settled ones",
                       &arguments.steps),
           UnprofiledOption(&arguments.unprofiled),
           NoAlignOption(&arguments.no_align),
           {.name = "--link-peak",
            .value = "GBPS",
            .kind = ValueKind::kText,
            .meaning = "what a link between ranks can do at most, in GB/s, "
                       "such as 450: the table of collectives then has the "
                       "share of it",
            .fallback = "no share",
            .group = "Which tables",
            .target = &arguments.link_peak},
           ComputePeakOption("Which tables", &arguments.compute_peak),
           MemoryPeakOption("Which tables", &arguments.memory_peak),
           {.name = "--sort",
            .value = "KEY",
            .kind = ValueKind::kChoice,
            .meaning = "order of the rows; total, max, min and ave are for "
                       "--format fluid",
            .fallback = "self for the one screen, CPUTotal for tables",
            .choices = SortSpellings(),
            .accepts = is_sort_key,
            .group = "Output",
            .target = &arguments.sort},
           {.name = "--unit",
            .value = "UNIT",
            .kind = ValueKind::kChoice,
            .meaning = "unit of times in text and md",
            .fallback = "auto on a terminal and for the one screen, else ms",
            .choices = {"s", "ms", "us", "ns", "auto"},
            .accepts =
                [](const std::string& text) {
                  return ParseTimeUnit(text).has_value();
                },
            .group = "Output",
            .target = &arguments.unit},
           {.name = "--place",
            .value = "PLACE",
            .kind = ValueKind::kChoice,
            .meaning = "with --format fluid: which time is added up",
            .fallback = "All",
            .choices = {"CPU", "GPU", "All"},
            .accepts =
                [](const std::string& text) {
                  return ParseFluidState(text).has_value();
                },
            .group = "Output",
            .target = &arguments.place},
           TopOption("rows of each table", "20 on a terminal, else 0",
                     &arguments.top),
           {.name = "--output",
            .short_name = "-o",
            .value = "FILE",
            .kind = ValueKind::kFile,
            .meaning = "file to write; a name that ends in .json, .csv or .md "
                       "says the format",
            .fallback = "standard output",
            .group = "Output",
            .target = &arguments.output},
           FormatOption({"text", "json", "csv", "md", "fluid"},
                        &arguments.format)},
      .example_title = "which operators take the GPU's time?",
      .example = "stepscope summary job.sscap --views operator --sort GPUTotal",
      .run = [&arguments] { return RunSummary(arguments); }};
}

Command AdviseCommand(AdviseArguments& arguments) {
  return {.name = "advise",
          .group = kAnalyse,
          .summary = "name what slows the steps down, and what to try",
          .description =
              "Prints what slows the steps down, worst first: the evidence, "
              "what could be saved, and what to try.",
          .operands = {LatestOperand(&arguments.input)},
          .options = {StepsOption("settled", &arguments.steps),
                      UnprofiledOption(&arguments.unprofiled),
                      NoAlignOption(&arguments.no_align),
                      TopOption("findings", "0", &arguments.top),
                      FormatOption({"text", "json", "md"}, &arguments.format)},
          .example_title = "why is the training slow?",
          .example = "stepscope advise job.sscap",
          .run = [&arguments] { return RunAdvise(arguments); }};
}

Command WhatifCommand(WhatifArguments& arguments) {
  std::vector<Option> options = ChangeOptions(arguments);
  options.push_back(UnprofiledOption(&arguments.unprofiled));
  options.push_back(StepsOption("settled", &arguments.steps));
  options.push_back(FormatOption({"text", "json", "md"}, &arguments.format));
  return {
      .name = "whatif",
      .group = kAnalyse,
      .summary = "predict what a step would take after a change",
      .description =
          "Replays the steps with a change, such as kernels that take half "
          "the time or a loader that is never waited for, and prints what a "
          "step would then take. Several changes are answered one by one, "
          "then together. With --memory, replays torch's allocator and prints "
          "what it would reserve under other settings, and whether that fits "
          "a device.",
      .operands = {TraceOperand(&arguments.input)},
      .options = std::move(options),
      .more = DescribeChanges(),
      .example_title = "are CUDA graphs worth it?",
      .example =
          "stepscope whatif job.sscap --change graph --unprofiled 14.9ms",
      .run = [&arguments] { return RunWhatif(arguments); }};
}

Command CompareCommand(CompareArguments& arguments) {
  return {
      .name = "compare",
      .group = kAnalyse,
      .summary = "tell whether B is slower than A, where, and how sure that is",
      .description =
          "Compares two traces: whether the steps of B take longer than those "
          "of A, whether noise alone could explain it, and which operators "
          "and kernels changed.",
      .operands = {{.name = "A",
                    .meaning = "the trace to compare with; - for standard "
                               "input",
                    .target = &arguments.a},
                   {.name = "B",
                    .meaning = "the trace to judge",
                    .target = &arguments.b}},
      .options =
          {{.name = "--fail-if-slower",
            .value = "PCT",
            .kind = ValueKind::kNumber,
            .meaning = "exit with code 1 if a step of B is slower by "
                       "more than PCT percent, beyond doubt",
            .group = "Gate for CI",
            .target = &arguments.fail_if_slower},
           StepsOption("settled", &arguments.steps),
           {.name = "--kind",
            .value = "KIND",
            .kind = ValueKind::kChoice,
            .meaning = "compare a server's iterations of this kind, or "
                       "its requests, instead of steps",
            .choices = {"prefill", "decode", "mixed", "verify", "draft",
                        "capture", "idle", "unknown", "request"},
            .group = "Which steps",
            .target = &arguments.kind},
           BillOption("with --kind request: ", "Which steps", &arguments.bill),
           TopOption("rows of each table in text and md", "15", &arguments.top),
           FormatOption({"text", "json", "csv", "md"}, &arguments.format)},
      .example_title = "a gate in CI",
      .example = "stepscope compare main.sscap change.sscap --fail-if-slower 5",
      .run = [&arguments] { return RunCompare(arguments); }};
}

Option MomentOption(std::string name, std::string meaning,
                    std::string* target) {
  return {.name = std::move(name),
          .value = "DUR",
          .kind = ValueKind::kText,
          .meaning = std::move(meaning),
          .fallback = "one settled step, or the steps of --steps A:B",
          .group = "Timeline",
          .target = target};
}

Command ReportCommand(ReportArguments& arguments) {
  return {
      .name = "report",
      .group = kAnalyse,
      .summary = "write everything about a trace into one HTML file",
      .description =
          "Writes one HTML file that opens from disk and needs no network: the "
          "answer in a sentence, five figures, where a step goes, what to fix "
          "and what it saves, tables, memory and a timeline.",
      .operands = {TraceOperand(&arguments.input)},
      .options =
          {{.name = "--output",
            .short_name = "-o",
            .value = "FILE",
            .kind = ValueKind::kFile,
            .meaning = "file to write; - for standard output",
            .group = "Output",
            .required = true,
            .target = &arguments.output},
           {.name = "--redact",
            .meaning = "hide names, hosts and paths behind hashes, the same "
                       "name behind the same hash",
            .group = "Output",
            .target = &arguments.redact},
           TopOption("rows of each table", "30", &arguments.top),
           MomentOption("--from",
                        "where the timeline begins, counted from the start "
                        "of the recording, such as 120ms",
                        &arguments.from),
           MomentOption("--to", "where the timeline ends", &arguments.to),
           StepsOption("settled", &arguments.steps),
           UnprofiledOption(&arguments.unprofiled)},
      .example_title = "a report for somebody outside the company",
      .example = "stepscope report job.sscap -o report.html --redact",
      .run = [&arguments] { return RunReport(arguments); }};
}

Command InfoCommand(InfoOptions& options) {
  return {.name = "info",
          .group = kAnalyse,
          .summary = "show what a trace holds, what was lost, what was open",
          .description =
              "Prints what was recorded, by which process, whether it is "
              "complete, what was lost, and what each thread was doing when "
              "the recording ended.",
          .operands = {TraceOperand(&options.input)},
          .options = {FormatOption({"text", "json"}, &options.format)},
          .example_title = "what was a killed job doing?",
          .example = "stepscope info profiler_log/job.sscap",
          .run = [&options] { return RunInfo(options); }};
}

Command ConvertCommand(ConvertOptions& options) {
  return {
      .name = "convert",
      .group = kFiles,
      .summary = "write a trace in another format",
      .description =
          "Writes a trace in another format. Several traces become one "
          "timeline. The file appears when it is complete.",
      .operands = {{.name = "IN",
                    .meaning = "traces, or one folder of traces; - for "
                               "standard input",
                    .target = &options.inputs,
                    .many = true}},
      .options =
          {{.name = "--output",
            .short_name = "-o",
            .value = "FILE",
            .kind = ValueKind::kFile,
            .meaning = "file to write; compressed if it ends in .gz or .zst; - "
                       "for standard output",
            .group = "Output",
            .required = true,
            .target = &options.output},
           {.name = "--to",
            .value = "FORMAT",
            .kind = ValueKind::kChoice,
            .meaning = "format to write",
            .fallback = "by the name of the file, see below",
            .choices = ConvertFormats(),
            .group = "Output",
            .target = &options.to},
           {.name = "--no-dataflow",
            .meaning = "leave out the arrows",
            .group = "Content",
            .target = &options.no_dataflow},
           {.name = "--critical-path",
            .meaning = "add the critical path of the settled steps: a row, and "
                       "arrows along it",
            .group = "Content",
            .target = &options.critical_path},
           {.name = "--show-memory",
            .meaning = "add lifetimes of tensors and totals of allocators "
                       "(step statistics of TensorFlow only)",
            .group = "Content",
            .target = &options.show_memory},
           {.name = "--remove-live",
            .meaning = "with --to capture: remove the live files of killed "
                       "processes, which the new capture includes",
            .group = "Content",
            .target = &options.remove_live},
           BillOption("with --to otlp, and of tables: ", "Content",
                      &options.bill),
           {.name = "--no-commit",
            .meaning = "with --to parquet: write, and leave it to a later call "
                       "over all inputs to make it part of the dataset",
            .group = "Content",
            .target = &options.no_commit},
           {.name = "--mode",
            .value = "MODE",
            .kind = ValueKind::kChoice,
            .meaning = "with --to cuda-profile: how to write",
            .fallback = "csv",
            .choices = {"csv", "kvp"},
            .group = "Content",
            .target = &options.mode},
           {.name = "--config",
            .value = "FILE",
            .kind = ValueKind::kFile,
            .meaning = "with --to cuda-profile: a file with one option per "
                       "line",
            .group = "Content",
            .target = &options.config},
           NoAlignOption(&options.no_align)},
      .more = DescribeFormats(),
      .example_title = "a timeline for https://ui.perfetto.dev",
      .example = "stepscope convert job.sscap -o job.json.gz",
      .run = [&options] { return RunConvert(options); }};
}

Command TimelineCommand(TimelineOptions& options) {
  return {
      .name = "timeline",
      .group = kFiles,
      .summary = "merge trainers and parameter servers into one timeline",
      .description =
          "Writes the profiles of trainers and parameter servers as one "
          "timeline for chrome://tracing, with the flags of Paddle's "
          "tools/timeline.py.",
      .options = {{.name = "--profile_path",
                   .value = "[LABEL=]FILE,...",
                   .kind = ValueKind::kFile,
                   .meaning = "a trace, or several with labels, separated by "
                              "commas",
                   .fallback = "/tmp/profile",
                   .target = &options.profile_path},
                  {.name = "--timeline_path",
                   .value = "FILE",
                   .kind = ValueKind::kFile,
                   .meaning = "file to write",
                   .fallback = "/tmp/timeline",
                   .target = &options.timeline_path},
                  NoAlignOption(&options.no_align)},
      .example_title = "two trainers and a parameter server",
      .example =
          "stepscope timeline --profile_path t0=a,t1=b,ps0=c "
          "--timeline_path all.json",
      .run = [&options] { return RunTimeline(options); }};
}

Command CompletionCommand(CompletionArguments& arguments) {
  return {
      .name = "completion",
      .group = kShell,
      .summary = "print completion for bash, zsh or fish",
      .description =
          "Prints a script that makes the shell complete commands, options and "
          "values of stepscope. An installed stepscope has these scripts where "
          "the shells look for them.",
      .operands = {{.name = "SHELL",
                    .meaning = "bash, zsh or fish",
                    .kind = ValueKind::kChoice,
                    .target = &arguments.shell,
                    .choices = {"bash", "zsh", "fish"}}},
      .example_title = "completion in this bash",
      .example = "source <(stepscope completion bash)",
      .run = [&arguments] { return RunCompletion(arguments); }};
}

}  // namespace

namespace {

// Whatever reads traces can be told what a step is.
Command WithStepRange(std::string& range, Command command) {
  command.options.push_back(
      {.name = "--step-range",
       .value = "NAME",
       .kind = ValueKind::kText,
       .meaning = "ranges with this name are the steps; * matches any text",
       .fallback = "the steps that were recorded",
       .group = "Which steps",
       .target = &range});
  command.run = [&range, run = std::move(command.run)] {
    SetStepRange(range);
    return run();
  };
  return command;
}

}  // namespace

std::vector<Command> MakeCommands(Arguments& arguments) {
  const auto reads = [&](Command command) {
    return WithStepRange(arguments.step_range, std::move(command));
  };
  Command run = RunCommand(arguments.run, kRecord);
  AddFlightOptions(arguments.run, run);
  return {
      std::move(run),
      TriggerCommand(arguments.trigger, kRecord),
      DoctorCommand(arguments.doctor),
      reads(SummaryCommand(arguments.summary)),
      reads(AdviseCommand(arguments.advise)),
      reads(WhatifCommand(arguments.whatif)),
      reads(CompareCommand(arguments.compare)),
      reads(ViewCommand(arguments.view)),
      reads(ReportCommand(arguments.report)),
      reads(QueryCommand(arguments.query)),
      reads(MapCommand(arguments.map)),
      ReduceCommand(arguments.reduce, SummaryCommand(arguments.reduce.tables)),
      reads(InfoCommand(arguments.info)),
      reads(ConvertCommand(arguments.convert)),
      reads(TimelineCommand(arguments.timeline)),
      CompletionCommand(arguments.completion)};
}

}  // namespace stepscope
