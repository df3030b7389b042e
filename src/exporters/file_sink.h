// SPDX-License-Identifier: Apache-2.0
//
// A file that appears whole or not at all: bytes go to a temporary file in the
// same folder, which Close() renames. A path that names a device, a pipe or a
// socket is written in place, since renaming would replace it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "exporters/sink.h"

namespace stepscope {

// The sink for `path`: gzip if the name ends in ".gz". A thread of its own
// writes in the background once there is enough to write.
// gzip_level: 1 (fast) to 9 (small). A name that ends in ".zst" is refused:
// who wants zstd puts zstd_sink.h around the plain file.
Result<std::unique_ptr<Sink>> OpenFileSink(const std::string& path,
                                           int gzip_level = 1);

// The plain file alone, written by the calling thread.
Result<std::unique_ptr<Sink>> OpenPlainFileSink(const std::string& path);

// A file, pipe or terminal that is open already, and stays so. Errors name
// `name`.
std::unique_ptr<Sink> MakeOpenFileSink(int fd, const std::string& name);

}  // namespace stepscope
