// SPDX-License-Identifier: Apache-2.0
#include "cli/rank_scan.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/ranks/file_digest.h"
#include "base/file.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "importers/import_many.h"

namespace stepscope {
namespace {

// What is left of a file once it has been read.
struct Kept {
  FileDigest digest;
  std::vector<Source> sources;
};

ExitCode ComplainOfJobs(const std::string& input,
                        const ScannedFolder& folder) {
  std::string names;
  for (const ScannedFolder::Job& job : folder.jobs) {
    if (names.size() > 200) break;
    names += (names.empty() ? "" : ", ") + job.files.front().path;
  }
  return Complain(kExitUsage,
                  input + ": " + std::to_string(folder.jobs.size()) +
                      " jobs in this folder, expected one; they begin with " +
                      names,
                  "stepscope info " + input + " lists them");
}

// Says where the tables come from.
std::shared_ptr<const Trace> WithoutEvents(
    const ScannedFolder::Job& job, std::map<uint32_t, Kept>& kept) {
  TraceBuilder builder;
  for (const ScannedFolder::File& file : job.files) {
    for (Source& source : kept.at(file.number).sources) {
      builder.AddSource(source.format, source.path);
      builder.source() = std::move(source);
    }
  }
  const Result<std::shared_ptr<const Trace>> trace = builder.Finish();
  return trace ? *trace : nullptr;
}

}  // namespace

bool CanScanRanks(const std::string& input, uint32_t views) {
  return views != 0 && (views & ~uint32_t{kRankViews}) == 0 && input != "-" &&
         IsDirectory(input);
}

std::unique_ptr<ScannedRanks> ScanRanks(const std::string& input,
                                        Alignment how, ExitCode& code) {
  std::mutex mutex;
  std::map<uint32_t, Kept> kept;
  Result<ScannedFolder> folder = [&] {
    Progress progress("reading " + input);
    ImportOptions options;
    options.progress = [&](uint64_t done, uint64_t total) {
      progress.Set(done, total);
    };
    return ScanFolder(input, options,
                      [&](uint32_t number, const Trace& trace) {
                        Kept one{DigestFile(trace), trace.sources()};
                        const std::lock_guard lock(mutex);
                        kept.emplace(number, std::move(one));
                      });
  }();
  if (!folder) {
    code = ComplainOfInput(folder.error());
    return nullptr;
  }
  if (folder->jobs.size() > 1) {
    code = ComplainOfJobs(input, *folder);
    return nullptr;
  }
  const ScannedFolder::Job& job = folder->jobs[0];
  auto result = std::make_unique<ScannedRanks>();
  std::vector<FileDigest> digests;
  for (const ScannedFolder::File& file : job.files)
    digests.push_back(std::move(kept.at(file.number).digest));
  result->trace = WithoutEvents(job, kept);
  if (result->trace == nullptr) {
    code = ComplainOfInput(Fail(ErrorCode::kIo, "not enough memory"));
    return nullptr;
  }
  Summary& summary = result->summary;
  summary.trace = result->trace.get();
  summary.ranks = AnalyseFiles(std::move(digests), how);
  if (!summary.ranks.several())
    summary.notes.push_back("There are not several ranks in this folder.");
  for (const TraceFolder::Skipped& file : folder->skipped)
    if (file.is_trace) summary.notes.push_back(file.reason);
  for (const TraceFolder::Repeat& repeat : job.repeats)
    summary.notes.push_back(repeat.path + ": same window as " +
                            repeat.same_window_as + ", counted once");
  for (const std::string& note : job.notes) summary.notes.push_back(note);
  for (const std::string& note : summary.ranks.notes)
    summary.notes.push_back(note);
  return result;
}

}  // namespace stepscope
