// SPDX-License-Identifier: Apache-2.0
#include "cli/folder_scan.h"

#include <map>
#include <mutex>
#include <utility>

#include "analysis/source_notes.h"
#include "base/file.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/load.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

// What is needed of each file.
MapOptions WhatToMap(const TableOptions& options) {
  MapOptions map;
  map.views = options.views;
  if (options.flops) map.views |= kFlopsView;
  map.sketch = false;
  return map;
}

}  // namespace

bool CanScanFolder(const std::string& input, const TableOptions& options) {
  return !(options.views & ~kExactPartialViews) && !options.steps &&
         !options.thread_sep && !options.group_digits && input != "-" &&
         IsDirectory(input);
}

std::unique_ptr<ReducedJob> ScanFolderOfJob(const std::string& input,
                                            const TableOptions& options,
                                            Alignment how, ExitCode& code) {
  const MapOptions what = WhatToMap(options);
  std::mutex mutex;
  std::map<uint32_t, PartialBody> mapped;  // by number of the file
  const Result<ScannedFolder> folder = [&] {
    Progress progress("reading " + input);
    ImportOptions import;
    import.progress = [&](uint64_t done, uint64_t total) {
      progress.Set(done, total);
  };
  return ScanFolder(input, import, [&](uint32_t number, const Trace& trace) {
    PartialBody body = MapTrace(trace, what);
    const std::lock_guard lock(mutex);
    mapped.emplace(number, std::move(body));
  });
}
();
if (!folder) {
  code = ComplainOfInput(folder.error());
  return nullptr;
}
if (folder->jobs.size() > 1) {
  std::vector<std::string> first_files;
  for (const ScannedFolder::Job& job : folder->jobs)
    first_files.push_back(job.files.front().path);
  code = ComplainOfJobs(input, first_files);
  return nullptr;
}
const ScannedFolder::Job& job = folder->jobs[0];
Reducer reducer;
for (const ScannedFolder::File& file : job.files)
  reducer.Add(std::move(mapped.at(file.number)));
Result<std::unique_ptr<ReducedJob>> reduced = reducer.Finish(options, how);
if (!reduced) {
  code = ComplainOfInput(reduced.error());
  return nullptr;
}
LeftOut left_out;
for (const TraceFolder::Skipped& file : folder->skipped)
  if (file.is_trace) left_out.skipped.push_back(file.reason);
for (const TraceFolder::Repeat& repeat : job.repeats)
  left_out.repeats.push_back(repeat.path + ": same window as " +
                             repeat.same_window_as + ", counted once");
left_out.of_job = job.notes;
AddNotes(left_out, options.views, **reduced);
return *std::move(reduced);
}

void AddNotes(const LeftOut& files, ViewSet views, ReducedJob& job) {
  std::vector<std::string>& notes = job.summary.notes;
  const RankJob& ranks = job.summary.ranks;
  const bool ranks_alone = !(views & ~kRankViews);
  if (ranks_alone) {
    // Of these tables only what is wrong with a file is worth a word.
    notes = NotesOfSources(*job.trace);
    if (!ranks.several())
      notes.push_back("There are not several ranks in this folder.");
  }
  notes.insert(notes.end(), files.skipped.begin(), files.skipped.end());
  notes.insert(notes.end(), files.repeats.begin(), files.repeats.end());
  notes.insert(notes.end(), files.of_job.begin(), files.of_job.end());
  if (ranks_alone)
    notes.insert(notes.end(), ranks.notes.begin(), ranks.notes.end());
}

ExitCode ComplainOfJobs(const std::string& input,
                        const std::vector<std::string>& first_files) {
  std::string names;
  for (const std::string& file : first_files) {
    if (names.size() > 200) break;
    names += (names.empty() ? "" : ", ") + file;
  }
  return Complain(kExitUsage,
                  input + ": " + std::to_string(first_files.size()) +
                      " jobs in this folder, expected one; they begin with " +
                      names,
                  "stepscope info " + input + " lists them");
}

}  // namespace stepscope
