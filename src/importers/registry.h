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
#include "importers/input/input_source.h"
#include "trace/trace.h"

namespace stepscope {

std::span<const Importer* const> Importers();

// The importer for what `input` holds, of which nothing is used up by it;
// kUnsupported if there is none.
Result<const Importer*> FindImporter(InputSource& input);
// The same for a file. A pipe is used up by it.
Result<const Importer*> FindImporter(const std::string& path,
                                     const ImportOptions& options = {});
// What a path leads to, as far as `options` let it.
Result<std::unique_ptr<InputSource>> OpenInput(const std::string& path,
                                               const ImportOptions& options);

// Adds what `importer` has recognised.
Status ImportInto(const Importer& importer, InputSource& input,
                  const ImportOptions& options, TraceBuilder& builder);
Status ImportInto(const Importer& importer, const std::string& path,
                  const ImportOptions& options, TraceBuilder& builder);

Result<std::shared_ptr<const Trace>> ImportSource(
    InputSource& input, const ImportOptions& options = {});
// A file, a pipe, or "-" for standard input: InputSource::Open().
Result<std::shared_ptr<const Trace>> ImportFile(
    const std::string& path, const ImportOptions& options = {});

}  // namespace stepscope
