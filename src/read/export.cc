// SPDX-License-Identifier: Apache-2.0
#include "read/export.h"

#include <filesystem>
#include <memory>
#include <vector>

#include "analysis/stage_events.h"
#include "exporters/exporter.h"
#include "exporters/output_file.h"
#include "exporters/output_name.h"

namespace stepscope {
namespace {

Result<const Exporter*> ChooseExporter(const std::string& path,
                                       const std::string& format) {
  std::string names;
  for (const Exporter* exporter : AllExporters())
    names += (names.empty() ? "" : ", ") + std::string(exporter->name());
  if (!format.empty()) {
    if (const Exporter* const exporter = FindExporter(format)) return exporter;
    return Fail(
        ErrorCode::kInvalidArgument,
        "format: unknown format \"" + format + "\"; choose from " + names);
  }
  const KnownSuffix* const known = SuffixOf(path);
  if (known != nullptr) return FindExporter(known->format);
  if (!HasSuffix(path)) return FindExporter("chrome");
  return Fail(ErrorCode::kInvalidArgument,
              path + ": the suffix is no known format; give a format (" +
                  names + "), or end the name in " + SuffixList());
}

}  // namespace

Result<std::string> ExportTrace(const Trace& trace, ReadRequest& request) {
  const std::string path = request.Text("path").value_or("");
  STEPSCOPE_TRY_ASSIGN(
      const Exporter* const exporter,
      ChooseExporter(path, request.Text("format").value_or("")));
  STEPSCOPE_TRY(request.Finish());
  std::error_code ignored;
  for (const std::string& file : trace.files()) {
    if (std::filesystem::equivalent(file, path, ignored) && !ignored) {
      return Fail(ErrorCode::kInvalidArgument,
                  path + ": is the input as well; give another file");
    }
  }
  std::vector<std::string> notes;
  ExportOptions wanted;
  wanted.notes = &notes;
  wanted.path = path;
  std::shared_ptr<const Trace> with_stages;
  // Paddle's tools know a stage by its event only.
  if (exporter->name() == "paddle") {
    STEPSCOPE_TRY_ASSIGN(with_stages, AddStageEvents(trace));
  }
  STEPSCOPE_TRY_ASSIGN(const std::unique_ptr<Sink> sink, OpenOutput(path));
  STEPSCOPE_TRY(
      ExportTo(with_stages ? *with_stages : trace, *exporter, *sink, wanted));
  const std::string lost = LostContent(trace, *exporter);
  std::string said;
  if (!lost.empty()) {
    said = std::string(exporter->name()) +
           " has no place for what this trace also holds: " + lost + "\n";
  }
  for (const std::string& note : notes) said += note + "\n";
  return said;
}

}  // namespace stepscope
