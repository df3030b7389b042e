// SPDX-License-Identifier: Apache-2.0
//
// Several files, or all of a folder: as the jobs that they belong to, or as
// one Trace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "importers/importer.h"
#include "trace/job/trace_folder.h"
#include "trace/job/trace_set.h"
#include "trace/trace.h"

namespace stepscope {

// kInvalidArgument if more than one of them is standard input.
Status CheckStandardInput(std::span<const std::string> paths);

// Its plain files and links to such, in natural order. Without X.part where X
// is there: what a killed process left of it.
Result<std::vector<std::string>> FilesOfFolder(const std::string& folder);

// Several files as one set, in that order. Read at once, as far as the
// executor has threads. The first that fails, in that order, fails all.
Result<TraceSet> ImportSet(std::span<const std::string> paths,
                           const ImportOptions& options = {});

// Every readable trace of a folder, put into jobs as trace/job/jobs.h says,
// read as ImportSet does. Fails if there is none.
Result<TraceFolder> ImportFolder(const std::string& path,
                                 const ImportOptions& options = {});

// The same without keeping any trace: each is handed to `visit`, with a number
// that is its own, and then let go. Called on several threads at once, so
// memory is that of as many files as the executor has threads.
struct ScannedFolder {
  struct File {
    uint32_t number = 0;  // as `visit` had it
    std::string path;
  };
  struct Job {
    std::vector<File> files;  // that count, in the order of their names
    std::vector<TraceFolder::Repeat> repeats;
    std::vector<std::string> notes;  // one sentence each
  };
  std::vector<Job> jobs;
  std::vector<TraceFolder::Skipped> skipped;
};
using VisitTrace = std::function<void(uint32_t number, const Trace& trace)>;
Result<ScannedFolder> ScanFolder(const std::string& path,
                                 const ImportOptions& options,
                                 const VisitTrace& visit);

// The same of these files. `where` is what messages call them together.
Result<TraceFolder> ImportJobs(std::span<const std::string> files,
                               const std::string& where,
                               const ImportOptions& options = {});

// The same as one Trace, whatever job a file belongs to. What cannot be read
// in a folder becomes a note.
Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options = {});
Result<std::shared_ptr<const Trace>> ImportPath(
    const std::string& path, const ImportOptions& options = {});

}  // namespace stepscope
