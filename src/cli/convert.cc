// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>

#include "analysis/replay/path_marks.h"
#include "analysis/stage_events.h"
#include "base/file.h"
#include "base/terminal.h"
#include "cli/convert_otlp.h"
#include "cli/dataset/convert_dataset.h"
#include "cli/frame/help.h"
#include "cli/frame/output.h"
#include "cli/frame/output_file.h"
#include "cli/frame/progress.h"
#include "cli/frame/usage.h"
#include "cli/frame/verbs.h"
#include "cli/load.h"
#include "cli/record/live_files.h"
#include "exporters/exporter.h"
#include "exporters/output_file.h"
#include "exporters/output_name.h"
#include "importers/tensorflow/tensorflow_importer.h"
#include "importers/xplane/xplane_importer.h"

namespace stepscope {
namespace {

std::string KnownFormats() {
  std::string list;
  for (const Exporter* exporter : AllExporters()) {
    if (!list.empty()) list += ", ";
    list += exporter->name();
  }
  return list + ", " + kParquet + ", " + kOtlp;
}

bool IsText(std::string_view format) {
  for (const KnownSuffix& known : KnownSuffixes())
    if (known.format == format && known.is_text) return true;
  return false;
}

// By --to, else by the name; a name without a suffix is Chrome's JSON. Null:
// what was wrong has been said.
const Exporter* ChooseExporter(const ConvertOptions& options) {
  if (!options.to.empty()) {
    const Exporter* const exporter = FindExporter(options.to);
    if (exporter == nullptr)
      Complain(kExitUsage, "--to: unknown format \"" + options.to + "\"",
               "choose from " + KnownFormats());
    return exporter;
  }
  // Which only that format has.
  if (!options.mode.empty() || !options.config.empty())
    return FindExporter("cuda-profile");
  const KnownSuffix* const known = SuffixOf(options.output);
  if (known != nullptr) return FindExporter(known->format);
  if (!HasSuffix(options.output)) return FindExporter("chrome");
  Complain(kExitUsage, options.output + ": the suffix is no known format",
           "give --to FORMAT, or end the name in " + SuffixList() +
               ", then .gz or .zst to compress");
  return nullptr;
}

// A file of CSV with no format said: what people expect in it is the tables.
bool NamesTables(const ConvertOptions& options) {
  return options.to.empty() && options.mode.empty() && options.config.empty() &&
         options.inputs.size() == 1 && SuffixOf(options.output) == nullptr &&
         WithoutCompression(options.output).ends_with(".csv");
}

bool SameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

Result<std::vector<std::string>> ReadLines(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const std::string text, ReadFile(path));
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

ExitCode WriteConverted(const Trace& trace, const Exporter& exporter,
                        const ConvertOptions& options) {
  std::vector<std::string> notes;
  ExportOptions wanted;
  wanted.dataflow = !options.no_dataflow;
  wanted.cuda_mode = options.mode;
  wanted.notes = &notes;
  if (!options.config.empty()) {
    auto config = ReadLines(options.config);
    if (!config)
      return Complain(kExitUnreadable, config.error().message,
                      "check --config");
    wanted.cuda_config = *std::move(config);
  }
  wanted.path = options.output;
  const Status status = [&]() -> Status {
    const Progress progress("writing " + options.output);
    std::shared_ptr<const Trace> with_stages;
    // Paddle's tools know a stage by its event only.
    if (exporter.name() == "paddle") {
      STEPSCOPE_TRY_ASSIGN(with_stages, AddStageEvents(trace));
    }
    STEPSCOPE_TRY_ASSIGN(auto sink, OpenOutput(options.output));
    return ExportTo(with_stages ? *with_stages : trace, exporter, *sink,
                    wanted);
  }();
  if (!status) {
    if (status.error().code == ErrorCode::kInvalidArgument)
      return Complain(kExitUsage, status.error().message,
                      "see stepscope convert --help");
    return ComplainOfOutput(status.error());
  }
  const std::string lost = LostContent(trace, exporter);
  if (!lost.empty())
    PrintError("note: " + std::string(exporter.name()) +
               " has no place for what this trace also holds: " + lost);
  for (const std::string& note : notes) PrintError("note: " + note);
  return kExitOk;
}

// The trace with its critical path; null: what was wrong has been said.
std::shared_ptr<const Trace> DrawCriticalPath(
    std::shared_ptr<const Trace> trace) {
  const Progress progress("finding the critical path");
  auto marked = AddCriticalPath(*trace, StepChoice::Settled());
  if (marked) return *std::move(marked);
  Complain(kExitUnreadable, marked.error().message,
           "leave out --critical-path");
  return nullptr;
}

}  // namespace

std::string DescribeFormats() {
  constexpr size_t kIndent = 16;
  constexpr size_t kWidth = 80;
  std::string text = "Formats, their suffixes, and what each cannot hold:\n";
  for (const Exporter* exporter : AllExporters()) {
    std::string name(exporter->name());
    name.resize(kIndent - 2, ' ');
    std::string suffixes;
    for (const KnownSuffix& known : KnownSuffixes())
      if (known.format == exporter->name())
        suffixes += (suffixes.empty() ? "" : ", ") + std::string(known.suffix);
    const std::string lost = ContentNames(kAllContent & ~exporter->carries());
    text += "  " + name + suffixes + "\n";
    if (!lost.empty())
      text += std::string(kIndent, ' ') +
              WrapText("not: " + lost, kIndent, kWidth) + "\n";
  }
  text +=
      "  otlp          the requests of a server, for OpenTelemetry; give --to "
      "otlp;\n                .json, or .pb and .bin for protobuf\n"
      "  parquet       a folder, for SQL engines; give --to parquet";
  return text;
}

ExitCode RunConvert(const ConvertOptions& options) {
  if (NamesTables(options)) {
    SummaryArguments tables;
    tables.input = options.inputs.front();
    tables.output = options.output;
    tables.no_align = options.no_align;
    if (!options.bill.empty()) tables.bill = options.bill;
    return RunSummary(tables);
  }
  if (!options.bill.empty() && options.to != kOtlp)
    return Complain(kExitUsage, "--bill: works with --to otlp and tables only",
                    "leave it out: other formats have no shares of requests");
  if (options.to == kParquet) {
    if (!options.no_align) return RunConvertDataset(options);
    return Complain(kExitUsage, "--no-align: not for --to parquet",
                    "leave it out: a dataset has times as recorded, and what "
                    "aligns them in its table ranks");
  }
  const bool to_otlp = options.to == kOtlp;
  const Exporter* const exporter = to_otlp ? nullptr : ChooseExporter(options);
  if (exporter == nullptr && !to_otlp) return kExitUsage;
  if (const Status once = CheckStandardInputOnce(options.inputs); !once) {
    PrintError(once.error().message);
    return kExitUsage;
  }
  const bool to_output = options.output == "-";
  if (exporter != nullptr && to_output && IsTerminal(STDOUT_FILENO) &&
      !IsText(exporter->name())) {
    return Complain(kExitUsage,
                    "-o -: " + std::string(exporter->name()) +
                        " is binary, and standard output is a terminal",
                    "give a file, or pipe it: stepscope convert ... | COMMAND");
  }
  for (const std::string& input : options.inputs) {
    if (!to_output && SameFile(input, options.output)) {
      return Complain(kExitUsage, options.output + ": is the input as well",
                      "give another file to -o");
    }
  }
  if (options.remove_live &&
      (exporter == nullptr || exporter->name() != "capture"))
    return Complain(kExitUsage, "--remove-live: works with --to capture only",
                    "write a capture, which holds all that the live file had");
  if (options.no_commit)
    return Complain(kExitUsage, "--no-commit: works with --to parquet only",
                    "leave it out");
  if (to_otlp) return RunConvertOtlp(options);
  ExitCode code = CheckOutput(options.output);
  if (code != kExitOk) return code;
  ImportOptions import;
  import.formats.Set(TensorflowOptions{.dataflow = !options.no_dataflow,
                                       .show_memory = options.show_memory});
  import.formats.Set(XPlaneOptions{.dataflow = !options.no_dataflow});
  std::shared_ptr<const Trace> trace =
      LoadTrace(options.inputs, code, import, AlignmentOf(options.no_align));
  if (trace == nullptr) return code;
  if (options.critical_path) {
    trace = DrawCriticalPath(std::move(trace));
    if (trace == nullptr) return kExitUnreadable;
  }
  code = WriteConverted(*trace, *exporter, options);
  if (code == kExitOk && options.remove_live)
    return RemoveLiveFiles(*trace, options.inputs);
  return code;
}

}  // namespace stepscope
