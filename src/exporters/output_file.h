// SPDX-License-Identifier: Apache-2.0
//
// The file that somebody is told to write: "-" is standard output, and the
// name says the compression.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "exporters/sink.h"

namespace stepscope {

// Compressed if the name ends in ".gz" or ".zst". The file appears whole or not
// at all.
Result<std::unique_ptr<Sink>> OpenOutput(const std::string& path);

// All of `text` into such a file.
Status WriteOutputFile(const std::string& path, const std::string& text);

}  // namespace stepscope
