// SPDX-License-Identifier: Apache-2.0
#include "cli/load.h"

#include <cstdio>

#include "base/file.h"
#include "base/text.h"
#include "cli/job_info.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "importers/import_many.h"
#include "importers/registry.h"

namespace stepscope {
namespace {

std::string Remedy(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return "check the path";
    case ErrorCode::kUnsupported: {
      std::string formats;
      for (const Importer* importer : Importers()) {
        if (!formats.empty()) formats += ", ";
        formats += importer->format();
      }
      return "this build reads: " + formats;
    }
    case ErrorCode::kCorrupt:
      return "nothing in it can be read, record it again";
    case ErrorCode::kIo:
      return "check that it is readable";
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kCancelled:
      break;
  }
  return "see stepscope --help";
}

// The inputs as jobs. Files that are named are one job because the user says
// so.
Result<TraceFolder> ImportAll(const std::vector<std::string>& inputs,
                              const ImportOptions& options) {
  if (inputs.size() == 1 && inputs[0] != "-" && IsDirectory(inputs[0]))
    return ImportFolder(inputs[0], options);
  for (const std::string& input : inputs) {
    if (input != "-" && IsDirectory(input)) {
      return Fail(ErrorCode::kInvalidArgument,
                  input + ": give one folder, or files only");
    }
  }
  TraceFolder files;
  files.jobs.resize(1);
  files.jobs[0].files = inputs;
  STEPSCOPE_TRY_ASSIGN(files.jobs[0].traces, ImportSet(inputs, options));
  return files;
}

Result<TraceFolder> ImportWithProgress(const std::vector<std::string>& inputs,
                                       const ImportOptions& options) {
  Progress progress("reading " + ShownPath(inputs.front()));
  ImportOptions with_progress = options;
  with_progress.progress = [&](uint64_t done, uint64_t total) {
    progress.Set(done, total);
  };
  return ImportAll(inputs, with_progress);
}

// All jobs together.
TraceSet Together(TraceFolder folder) {
  if (folder.jobs.size() == 1) return std::move(folder.jobs[0].traces);
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const TraceFolder::Job& job : folder.jobs)
    for (const TraceSet::Member& member : job.traces.members())
      traces.push_back(member.trace);
  return TraceSet(std::move(traces));
}

// Damaged, and not one record of it could be used. A capture that is cut short
// is whole as far as it goes: its process may have recorded nothing yet.
bool NothingIsLeft(const Trace& trace) {
  const Ledger& ledger = trace.ledger();
  if (ledger.kept() > 0 || !ledger.repaired().empty()) return false;
  return !ledger.rejected().empty() ||
         (!trace.complete() && trace.format() != "capture");
}

// What the reader has to say about it: the first rejection, else a note.
std::string WhatIsWrong(const Trace& trace, const std::string& input) {
  for (const auto& [reason, bin] : trace.ledger().rejected()) {
    std::string where;
    if (!bin.examples.empty())
      where = Format("byte %llu: ", static_cast<unsigned long long>(
                                        bin.examples[0].offset));
    return input + ": " + where + reason;
  }
  return trace.notes().empty() ? input + ": cut short"
                               : trace.notes().front();
}

// Puts the ranks of the only job on one clock, and notes what there is to say.
SetClocks Align(TraceFolder& folder) {
  if (folder.jobs.size() != 1) return {};
  TraceSet& set = folder.jobs[0].traces;
  SetClocks clocks = AlignSet(set);
  for (const std::string& note : clocks.notes) set.AddNote(note);
  return clocks;
}

// Null: what was wrong has been said.
std::shared_ptr<const Trace> MergeAndCheck(TraceFolder folder,
                                           const std::string& input,
                                           ExitCode& code) {
  Result<std::shared_ptr<const Trace>> trace =
      TraceSet::Merge(Together(std::move(folder)));
  if (trace && !NothingIsLeft(**trace)) return *std::move(trace);
  code = ComplainOfInput(trace ? Fail(ErrorCode::kCorrupt,
                                      WhatIsWrong(**trace, ShownPath(input)))
                               : trace.error());
  return nullptr;
}

}  // namespace

std::shared_ptr<const Trace> LoadTrace(const std::vector<std::string>& inputs,
                                       ExitCode& code,
                                       const ImportOptions& options) {
  Result<TraceFolder> folder = ImportWithProgress(inputs, options);
  if (!folder) {
    code = ComplainOfInput(folder.error());
    return nullptr;
  }
  if (folder->jobs.size() > 1) {
    code = Complain(kExitUsage,
                    inputs.front() + ": " +
                        std::to_string(folder->jobs.size()) +
                        " jobs in this folder, expected one",
                    "name one file, or join the files of one job with "
                    "stepscope convert FILE... -o job.sscap");
    std::fputs(JobLines(DescribeJobs(*folder)).c_str(), stderr);
    return nullptr;
  }
  Align(*folder);
  return MergeAndCheck(*std::move(folder), inputs.front(), code);
}

bool LoadForInfo(const std::string& input, LoadedInput& loaded,
                 ExitCode& code) {
  Result<TraceFolder> folder = ImportWithProgress({input}, {});
  if (!folder) {
    code = ComplainOfInput(folder.error());
    return false;
  }
  loaded.is_folder = input != "-" && IsDirectory(input);
  loaded.jobs = DescribeJobs(*folder);
  loaded.skipped = folder->skipped;
  loaded.clocks = Align(*folder);
  loaded.trace = MergeAndCheck(*std::move(folder), input, code);
  return loaded.trace != nullptr;
}

ExitCode ComplainOfInput(const Error& error) {
  return Complain(error.code == ErrorCode::kInvalidArgument ? kExitUsage
                                                            : kExitUnreadable,
                  error.message, Remedy(error.code));
}

}  // namespace stepscope
