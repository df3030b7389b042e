// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/capture_file.h"

#include <utility>

#include "importers/capture/capture_reader.h"
#include "importers/capture/table_reader.h"

namespace stepscope {
namespace capture {

Status ReadCapture(File file, std::string path, const ImportOptions& options,
                   TraceBuilder& builder) {
  STEPSCOPE_TRY_ASSIGN(const bool tables, IsTableCapture(file));
  if (tables) return TableReader(std::move(file), options).Read(builder);
  return CaptureReader(std::move(file), std::move(path), options, builder)
      .Read();
}

}  // namespace capture

Result<std::shared_ptr<const Trace>> ImportCapture(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(File file, File::OpenForReading(path));
  TraceBuilder builder;
  STEPSCOPE_TRY(capture::ReadCapture(std::move(file), path, {}, builder));
  return builder.Finish();
}

}  // namespace stepscope
