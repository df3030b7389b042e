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

// Adds the file at `path`, which `importer` has recognised. Formats that are
// read by position are decompressed first.
Status ImportInto(const Importer& importer, const std::string& path,
                  const ImportOptions& options, TraceBuilder& builder);

Result<std::shared_ptr<const Trace>> ImportFile(
    const std::string& path, const ImportOptions& options = {});

}  // namespace stepscope
