// SPDX-License-Identifier: Apache-2.0
#include "exporters/output_file.h"

#include <unistd.h>

#include "exporters/file_sink.h"
#include "exporters/output_name.h"
#include "exporters/pipelined_sink.h"
#include "exporters/zstd_sink.h"

namespace stepscope {

Result<std::unique_ptr<Sink>> OpenOutput(const std::string& path) {
  if (path == "-")
    return MakePipelinedSink(
        MakeOpenFileSink(STDOUT_FILENO, "standard output"));
  if (CompressionOf(path) != Compression::kZstd) return OpenFileSink(path);
  STEPSCOPE_TRY_ASSIGN(auto file, OpenPlainFileSink(path));
  STEPSCOPE_TRY_ASSIGN(auto sink, MakeZstdSink(std::move(file)));
  return MakePipelinedSink(std::move(sink));
}

Status WriteOutputFile(const std::string& path, const std::string& text) {
  STEPSCOPE_TRY_ASSIGN(auto sink, OpenOutput(path));
  Block block(text.size());
  text.copy(block.data.get(), text.size());
  block.size = text.size();
  STEPSCOPE_TRY(sink->Write(block));
  return sink->Close();
}

}  // namespace stepscope
