// SPDX-License-Identifier: Apache-2.0
//
// The command line. The only file that includes CLI11, which costs seconds to
// compile: it fills the options of a verb and calls it.
#include <CLI/CLI.hpp>
#include <exception>
#include <sstream>
#include <string_view>

#include "cli/doctor.h"
#include "cli/output.h"
#include "cli/run.h"
#include "cli/verbs.h"

namespace stepscope {
namespace {

void AddInfo(CLI::App& app, InfoOptions& options, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "info",
      "What was recorded, by whom, whether it is complete, what was lost, and "
      "what each thread was doing at the end");
  verb->add_option("TRACE", options.input, "A trace, or a folder of traces")
      ->required()
      ->type_name("");
  verb->add_option("--format", options.format, "text or json")
      ->capture_default_str();
  verb->footer(
      "Example: what was a killed job doing?\n"
      "  stepscope info profiler_log/job.sscap");
  verb->callback([&] { code = RunInfo(options); });
}

void AddSummary(CLI::App& app, SummaryArguments& arguments, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "summary", "Tables: devices, event types, stages, operators, kernels, "
                 "memory, your own events");
  verb->add_option("TRACE", arguments.input, "A trace, or a folder of traces")
      ->required()
      ->type_name("");
  verb->add_option("--views", arguments.views,
                   "Tables to print, by comma: device, overview, model, "
                   "distribution, operator, kernel, memory_manipulation, "
                   "user_defined, memory (together: paddle), percentiles, "
                   "waterfall, idle, launch, flops, outliers, memory_life, "
                   "advice, or all. Without: paddle as text and md, else all")
      ->type_name("LIST");
  verb->add_option("--sort", arguments.sort,
                   "CPUTotal (the default), CPUAvg, CPUMax, CPUMin, GPUTotal, "
                   "GPUAvg, GPUMax or GPUMin; of fluid: calls, total, max, min "
                   "or ave");
  verb->add_option("--unit", arguments.unit, "s, ms, us or ns (text, md)")
      ->capture_default_str();
  verb->add_flag("--no-op-detail", arguments.no_op_detail,
                 "Leave out what is inside operators");
  verb->add_flag("--thread-sep", arguments.thread_sep,
                 "Operators and your own events for each thread by itself");
  verb->add_flag("--flops", arguments.flops,
                 "A column of FLOPs in the table of operators (text)");
  verb->add_option("--format", arguments.format,
                   "text, json, csv, md, or fluid: the report of the older "
                   "fluid.profiler")
      ->capture_default_str();
  verb->footer(
      "Example: which operators take the GPU's time?\n"
      "  stepscope summary job.sscap --views operator --sort GPUTotal");
  verb->callback([&] { code = RunSummary(arguments); });
}

void AddAdvise(CLI::App& app, AdviseArguments& arguments, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "advise", "What holds the steps up, worst first: evidence, what could "
                "be saved, what to try");
  verb->add_option("TRACE", arguments.input, "A trace, or a folder of traces")
      ->required()
      ->type_name("");
  verb->add_option("--format", arguments.format, "text or json")
      ->capture_default_str();
  verb->footer(
      "Example: why is the training slow?\n"
      "  stepscope advise job.sscap");
  verb->callback([&] { code = RunAdvise(arguments); });
}

void AddCompare(CLI::App& app, CompareArguments& arguments, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "compare", "Is B slower than A, where, and is that more than noise?");
  verb->add_option("A", arguments.a, "The trace to compare with")
      ->required()
      ->type_name("");
  verb->add_option("B", arguments.b, "The trace to judge")
      ->required()
      ->type_name("");
  verb->add_option("--fail-if-slower", arguments.fail_if_slower,
                   "Exit code 1 if a step of B takes longer by more than "
                   "PCT percent and by more than noise")
      ->type_name("PCT")
      ->check(CLI::NonNegativeNumber);
  verb->add_option("--format", arguments.format, "text, json, csv or md")
      ->capture_default_str();
  verb->footer(
      "Example: a gate in CI\n"
      "  stepscope compare main.sscap change.sscap --fail-if-slower 5");
  verb->callback([&] { code = RunCompare(arguments); });
}

void AddConvert(CLI::App& app, ConvertOptions& options, ExitCode& code) {
  CLI::App* verb =
      app.add_subcommand("convert", "The same trace in another format");
  verb->add_option("IN", options.inputs,
                   "Traces, or one folder; several become one timeline")
      ->required()
      ->type_name("");
  verb->add_option("-o,--output", options.output,
                   "File to write; compressed if it ends in .gz")
      ->required()
      ->type_name("FILE");
  verb->add_option("--to", options.to,
                   "chrome, perfetto, paddle, capture or cuda-profile; "
                   "without: by the name of the file (.sscap, .pftrace, "
                   ".paddle_trace.json, .pb, .csv), else chrome")
      ->type_name("FORMAT");
  verb->add_flag("--show-memory", options.show_memory,
                 "Of TensorFlow's step statistics: tensor lifetimes and "
                 "allocator totals as well");
  verb->add_flag("--no-dataflow", options.no_dataflow, "No arrows");
  verb->add_flag("--remove-live", options.remove_live,
                 "With --to capture: remove the live files of killed "
                 "processes, which the capture then holds");
  verb->add_option("--mode", options.mode,
                   "Of cuda-profile: csv (the default) or kvp");
  verb->add_option("--config", options.config,
                   "Of cuda-profile: a file with one option a line")
      ->type_name("FILE");
  verb->footer(
      DescribeFormats() +
      "Example: a timeline for https://ui.perfetto.dev\n"
      "  stepscope convert job.sscap -o job.json.gz --to chrome");
  verb->callback([&] { code = RunConvert(options); });
}

void AddRun(CLI::App& app, RunOptions& options, int& code) {
  CLI::App* verb = app.add_subcommand(
      "run",
      "Profile a program as it is, with the processes it starts; the command "
      "comes last, after --");
  verb->add_option("--out", options.out,
                   "Folder for the captures, one a process; default: a fresh "
                   "one in profiler_log")
      ->type_name("DIR");
  verb->add_option("--steps", options.steps, "Record the steps [A, B) only")
      ->type_name("A:B");
  verb->add_option("--step-range", options.step_range,
                   "Ranges of this name are the steps; * stands for anything")
      ->type_name("NAME");
  verb->add_option("--start-after", options.start_after_s,
                   "Begin so long after the command started")
      ->type_name("SECONDS");
  verb->add_option("--start-at", options.start_at,
                   "Begin when a range of this name does; * stands for "
                   "anything")
      ->type_name("NAME");
  verb->add_flag("--no-gpu", options.no_gpu, "Record the host alone");
  verb->add_flag("--nvtx", options.nvtx,
                 "Take NVTX ranges even where another NVTX tool is set");
  verb->add_flag("--no-torch", options.no_torch,
                 "Do not observe torch's operators");
  verb->add_flag("--shapes", options.shapes,
                 "Operators with the shapes and types of their inputs");
  verb->add_flag("--quiet", options.quiet, "Say nothing but errors");
  verb->footer(
      "The exit code is the command's.\n"
      "Example: three steps of a training script, after its warm-up\n"
      "  stepscope run --steps 10:13 -- python train.py --epochs 1");
  verb->allow_extras();  // so that run itself can say what is missing
  verb->callback([&, verb] {
    options.stray = verb->remaining();
    code = RunRun(options);
  });
}

void AddDoctor(CLI::App& app, DoctorOptions& options, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "doctor",
      "What can be recorded on this machine, why not the rest, and the remedy "
      "for each");
  verb->add_option("--out", options.out,
                   "Folder that captures would be written to")
      ->type_name("DIR")
      ->capture_default_str();
  verb->add_option("--python", options.python, "The Python that has torch")
      ->type_name("PROGRAM")
      ->capture_default_str();
  verb->add_option("--format", options.format, "text or json")
      ->capture_default_str();
  verb->footer(
      "Exit code 0 if the host can be recorded, else 1.\n"
      "Example: may this container record its GPU?\n"
      "  stepscope doctor");
  verb->callback([&] { code = RunDoctor(options); });
}

// Takes "-- COMMAND..." off the end: what follows is not ours to understand.
// Returns how many arguments are left.
int TakeCommand(int argc, char** argv, RunOptions& options) {
  if (argc < 2 || std::string_view(argv[1]) != "run") return argc;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    options.command.assign(argv + i + 1, argv + argc);
    return i;
  }
  return argc;
}

void AddTimeline(CLI::App& app, TimelineOptions& options, ExitCode& code) {
  CLI::App* verb = app.add_subcommand(
      "timeline",
      "Profiles of trainers and parameter servers as one timeline for "
      "chrome://tracing, as Paddle's tools/timeline.py made it");
  verb->add_option("--profile_path", options.profile_path,
                   "A trace, or several with labels; default: /tmp/profile")
      ->type_name("[LABEL=]FILE[,LABEL=FILE]...");
  verb->add_option("--timeline_path", options.timeline_path,
                   "File to write; default: /tmp/timeline")
      ->type_name("OUT");
  verb->footer(
      "Example: two trainers and a parameter server\n"
      "  stepscope timeline --profile_path "
      "trainer0=a,trainer1=b,pserver0=c --timeline_path dist.timeline");
  verb->callback([&] { code = RunTimeline(options); });
}

// Says so if the first word is no verb; CLI11 would only say that one is
// missing.
bool HasUnknownVerb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  std::string verbs;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == argv[1]) return false;
    if (!verbs.empty()) verbs += ", ";
    verbs += verb->get_name();
  }
  Complain(kExitUsage, "there is no verb \"" + std::string(argv[1]) + "\"",
           "choose from " + verbs);
  return true;
}

int Main(int argc, char** argv) {
  CLI::App app("stepscope: where the time of a deep-learning program goes",
               "stepscope");
  app.require_subcommand(1);
  app.set_version_flag("--version", "stepscope " STEPSCOPE_VERSION);
  app.footer("stepscope VERB --help says more and has an example.");
  ExitCode code = kExitOk;
  InfoOptions info;
  SummaryArguments summary;
  AdviseArguments advise;
  CompareArguments compare;
  ConvertOptions convert;
  AddInfo(app, info, code);
  AddSummary(app, summary, code);
  AddAdvise(app, advise, code);
  AddCompare(app, compare, code);
  AddConvert(app, convert, code);
  TimelineOptions timeline;
  AddTimeline(app, timeline, code);
  DoctorOptions doctor;
  AddDoctor(app, doctor, code);
  RunOptions run;
  int run_code = 0;  // any that a command may have
  AddRun(app, run, run_code);
  argc = TakeCommand(argc, argv, run);
  if (HasUnknownVerb(app, argc, argv)) return kExitUsage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream unused;
    // Asking for help or the version is an "error" of code 0.
    if (app.exit(error, out, unused) == 0) return WriteOutput(out.str());
    return Complain(kExitUsage, error.what(), "see stepscope --help");
  }
  return run_code != 0 ? run_code : code;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  try {
    return stepscope::Main(argc, argv);
  } catch (const std::exception& error) {
    // Memory, in practice: everything else is a Result.
    return stepscope::Complain(stepscope::kExitIo, error.what(),
                               "give the program more memory");
  }
}
