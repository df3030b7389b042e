// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/file.h"
#include "cli/live_files.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "exporters/exporter.h"
#include "importers/tensorflow/tensorflow_importer.h"
#include "importers/xplane/xplane_importer.h"

namespace stepscope {
namespace {

struct Ending {
  std::string_view ending;
  std::string_view format;
};
// The first that fits; everything else is chrome.
constexpr Ending kEndings[] = {
    {".sscap", "capture"},           {".pftrace", "perfetto"},
    {".perfetto-trace", "perfetto"}, {".paddle_trace.json", "paddle"},
    {".pb", "paddle"},               {".csv", "cuda-profile"},
};

std::string_view FormatByName(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  for (const Ending& known : kEndings)
    if (path.ends_with(known.ending)) return known.format;
  return "chrome";
}

std::string KnownFormats() {
  std::string list;
  for (const Exporter* exporter : AllExporters()) {
    if (!list.empty()) list += ", ";
    list += exporter->name();
  }
  return list;
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

ExitCode Write(const Trace& trace, const Exporter& exporter,
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
  const Status status = [&] {
    const Progress progress("writing " + options.output);
    return ExportFile(trace, exporter, options.output, wanted);
  }();
  if (!status) {
    if (status.error().code == ErrorCode::kInvalidArgument)
      return Complain(kExitUsage, status.error().message,
                      "see stepscope convert --help");
    return Complain(kExitIo, status.error().message,
                    "check the folder and the space left");
  }
  const std::string lost = LostContent(trace, exporter);
  if (!lost.empty())
    PrintError("note: " + std::string(exporter.name()) +
               " has no place for what this trace also holds: " + lost);
  for (const std::string& note : notes) PrintError("note: " + note);
  return kExitOk;
}

}  // namespace

std::string DescribeFormats() {
  std::string text = "Formats, and what each has no place for:\n";
  for (const Exporter* exporter : AllExporters()) {
    std::string name(exporter->name());
    name.resize(13, ' ');
    const std::string lost = ContentNames(kAllContent & ~exporter->carries());
    text += "  " + name + (lost.empty() ? "loses nothing" : lost) + "\n";
  }
  return text;
}

ExitCode RunConvert(const ConvertOptions& options) {
  const std::string to = options.to.empty()
                             ? std::string(FormatByName(options.output))
                             : options.to;
  const Exporter* const exporter = FindExporter(to);
  if (exporter == nullptr) {
    return Complain(kExitUsage, "--to: there is no format \"" + to + "\"",
                    "choose from " + KnownFormats());
  }
  for (const std::string& input : options.inputs) {
    if (SameFile(input, options.output)) {
      return Complain(kExitUsage, options.output + ": is the input as well",
                      "give another file to -o");
    }
  }
  if (options.remove_live && to != "capture")
    return Complain(kExitUsage, "--remove-live: goes with --to capture only",
                    "write a capture, which holds all that the live file had");
  ImportOptions import;
  import.formats.Set(TensorflowOptions{.dataflow = !options.no_dataflow,
                                       .show_memory = options.show_memory});
  import.formats.Set(XPlaneOptions{.dataflow = !options.no_dataflow});
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace =
      LoadTrace(options.inputs, code, import);
  if (trace == nullptr) return code;
  code = Write(*trace, *exporter, options);
  if (code == kExitOk && options.remove_live)
    return RemoveLiveFiles(*trace, options.inputs);
  return code;
}

}  // namespace stepscope
