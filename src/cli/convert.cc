// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "exporters/exporter.h"

namespace stepscope {
namespace {

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

}  // namespace

ExitCode RunConvert(const ConvertOptions& options) {
  const Exporter* const exporter = FindExporter(options.to);
  if (exporter == nullptr) {
    return Complain(kExitUsage,
                    "--to: there is no format \"" + options.to + "\"",
                    "choose from " + KnownFormats());
  }
  for (const std::string& input : options.inputs) {
    if (SameFile(input, options.output)) {
      return Complain(kExitUsage, options.output + ": is the input as well",
                      "give another file to -o");
    }
  }
  ExitCode code = kExitOk;
  const std::shared_ptr<const Trace> trace = LoadTrace(options.inputs, code);
  if (trace == nullptr) return code;
  ExportOptions wanted;
  wanted.memory = options.show_memory;
  wanted.dataflow = !options.no_dataflow;
  const Status status = [&] {
    const Progress progress("writing " + options.output);
    return ExportFile(*trace, *exporter, options.output, wanted);
  }();
  if (status) return kExitOk;
  return Complain(kExitIo, status.error().message,
                  "check the folder and the space left");
}

}  // namespace stepscope
