// SPDX-License-Identifier: Apache-2.0
#include "exporters/file_sink.h"

#include "exporters/gzip_sink.h"
#include "exporters/output_name.h"
#include "exporters/pipelined_sink.h"

namespace stepscope {

Result<std::unique_ptr<Sink>> OpenFileSink(const std::string& path,
                                           int gzip_level) {
  const Compression compression = CompressionOf(path);
  if (compression == Compression::kZstd)
    return Fail(ErrorCode::kInvalidArgument,
                path + ": zstd is not written here; use .gz");
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenPlainFileSink(path));
  if (compression == Compression::kGzip) {
    STEPSCOPE_TRY_ASSIGN(sink, MakeGzipSink(std::move(sink), gzip_level));
  }
  return MakePipelinedSink(std::move(sink));
}

}  // namespace stepscope
