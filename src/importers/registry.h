// SPDX-License-Identifier: Apache-2.0
//
// The importers of this build, chosen by what a file holds, not by its name.
// A new format: one folder beside capture/, one line in registry.cc.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "importers/importer.h"
#include "trace/trace.h"

namespace stepscope {

std::span<const Importer* const> Importers();

// The importer for the file at `path`; kUnsupported if there is none.
Result<const Importer*> FindImporter(const std::string& path);

Result<std::shared_ptr<const Trace>> ImportFile(
    const std::string& path, const ImportOptions& options = {});

// Several files as processes of one Trace, in that order. Read at once, on as
// many threads as there are processors. The first that fails, in that order,
// fails all.
Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options = {});

// A file, or a folder: every readable trace in it, as processes of one Trace
// keyed by (rank, pid), in the order of the file names, read as ImportFiles
// does. What cannot be read there becomes a note.
Result<std::shared_ptr<const Trace>> ImportPath(
    const std::string& path, const ImportOptions& options = {});

}  // namespace stepscope
