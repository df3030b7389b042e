// SPDX-License-Identifier: Apache-2.0
#include "exporters/file_sink.h"

#include <string_view>

#include "exporters/gzip_sink.h"
#include "exporters/pipelined_sink.h"

namespace stepscope {

Result<std::unique_ptr<Sink>> OpenFileSink(const std::string& path,
                                           int gzip_level) {
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenPlainFileSink(path));
  if (std::string_view(path).ends_with(".gz")) {
    STEPSCOPE_TRY_ASSIGN(sink, MakeGzipSink(std::move(sink), gzip_level));
  }
  return MakePipelinedSink(std::move(sink));
}

}  // namespace stepscope
