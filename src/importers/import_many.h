// SPDX-License-Identifier: Apache-2.0
//
// Several files, or all of a folder, as one Trace.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "importers/importer.h"
#include "trace/trace.h"

namespace stepscope {

// kInvalidArgument if more than one of them is standard input.
Status CheckStandardInput(std::span<const std::string> paths);

// Several files as processes of one Trace, in that order. Read at once, as
// far as the executor has threads. The first that fails, in that order, fails
// all.
Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options = {});

// A file, or a folder: every readable trace in it, as processes of one Trace
// keyed by (rank, pid), in the order of the file names, read as ImportFiles
// does. What cannot be read there becomes a note.
Result<std::shared_ptr<const Trace>> ImportPath(
    const std::string& path, const ImportOptions& options = {});

}  // namespace stepscope
