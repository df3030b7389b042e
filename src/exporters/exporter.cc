// SPDX-License-Identifier: Apache-2.0
#include "exporters/exporter.h"

#include <new>

#include "exporters/capture/capture.h"
#include "exporters/chrome/chrome.h"
#include "exporters/cuda_profile/cuda_profile.h"
#include "exporters/file_sink.h"
#include "exporters/fluid/fluid.h"
#include "exporters/kineto/kineto.h"
#include "exporters/paddle/paddle.h"
#include "exporters/perfetto/perfetto.h"

namespace stepscope {

std::span<const Exporter* const> AllExporters() {
  static const Exporter* const kAll[] = {
      &ChromeExporter(),     &CaptureExporter(), &KinetoExporter(),
      &PerfettoExporter(),   &PaddleExporter(),  &FluidExporter(),
      &CudaProfileExporter()};
  return kAll;
}

std::string LostContent(const Trace& trace, const Exporter& exporter) {
  return ContentNames(ContentOf(trace) & ~exporter.carries());
}

const Exporter* FindExporter(std::string_view name) {
  for (const Exporter* exporter : AllExporters())
    if (exporter->name() == name) return exporter;
  return nullptr;
}

Status ExportTo(const Trace& trace, const Exporter& exporter, Sink& sink,
                const ExportOptions& options) {
  try {
    STEPSCOPE_TRY(exporter.Export(trace, options, sink));
    return sink.Close();
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, options.path + ": not enough memory");
  }
}

Status ExportFile(const Trace& trace, const Exporter& exporter,
                  const std::string& path, const ExportOptions& options) {
  try {
    ExportOptions with_path = options;
    with_path.path = path;
    STEPSCOPE_TRY_ASSIGN(auto sink, OpenFileSink(path, options.gzip_level));
    return ExportTo(trace, exporter, *sink, with_path);
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, path + ": not enough memory");
  }
}

}  // namespace stepscope
