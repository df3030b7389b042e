// SPDX-License-Identifier: Apache-2.0
#include "cli/load.h"

#include <cstdio>

#include "base/file.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/latest_run.h"
#include "importers/input/input_source.h"
#include "importers/load_inputs.h"
#include "report/info/job_info.h"

namespace stepscope {
namespace {

Result<TraceFolder> ImportWithProgress(const std::vector<std::string>& inputs,
                                       const ImportOptions& options) {
  Progress progress("reading " + ShownPath(inputs.front()));
  ImportOptions with_progress = options;
  with_progress.progress = [&](uint64_t done, uint64_t total) {
    progress.Set(done, total);
  };
  return ImportInputs(inputs, with_progress);
}

// Puts the ranks of the only job on one clock, and notes what there is to say.
SetClocks AlignFolder(TraceFolder& folder, Alignment how) {
  if (folder.jobs.size() != 1) return {};
  TraceSet& set = folder.jobs[0].traces;
  SetClocks clocks = AlignSet(set, how);
  for (const std::string& note : clocks.notes) set.AddNote(note);
  return clocks;
}

// Null: what was wrong has been said.
std::shared_ptr<const Trace> MergeAndCheck(TraceFolder folder,
                                           const std::string& input,
                                           ExitCode& code) {
  Result<std::shared_ptr<const Trace>> trace =
      JoinInputs(std::move(folder), input);
  if (trace) return *std::move(trace);
  code = ComplainOfInput(trace.error());
  return nullptr;
}

}  // namespace

bool NameInput(std::string& input, ExitCode& code) {
  Result<std::string> named = ResolveRun(input);
  if (!named) {
    code = Complain(kExitUsage, named.error().message,
                    "name a trace, or record one with stepscope run");
    return false;
  }
  input = *std::move(named);
  return true;
}

std::shared_ptr<const Trace> LoadTrace(const std::vector<std::string>& given,
                                       ExitCode& code,
                                       const ImportOptions& options,
                                       Alignment how) {
  std::vector<std::string> inputs = given;
  if (inputs.size() == 1 && !NameInput(inputs[0], code)) return nullptr;
  Result<TraceFolder> folder = ImportWithProgress(inputs, options);
  if (!folder) {
    code = ComplainOfInput(folder.error());
    return nullptr;
  }
  if (folder->jobs.size() > 1) {
    code =
        Complain(kExitUsage,
                 inputs.front() + ": " + std::to_string(folder->jobs.size()) +
                     " jobs in this folder, expected one",
                 "name one file, or join the files of one job with "
                 "stepscope convert FILE... -o job.sscap");
    std::fputs(JobLines(DescribeJobs(*folder)).c_str(), stderr);
    return nullptr;
  }
  AlignFolder(*folder, how);
  return MergeAndCheck(*std::move(folder), inputs.front(), code);
}

bool LoadForInfo(const std::string& given, TraceInfo& loaded, ExitCode& code) {
  std::string input = given;
  if (!NameInput(input, code)) return false;
  Result<TraceFolder> folder = ImportWithProgress({input}, {});
  if (!folder) {
    code = ComplainOfInput(folder.error());
    return false;
  }
  loaded.is_folder = input != "-" && IsDirectory(input);
  loaded.jobs = DescribeJobs(*folder);
  loaded.skipped = folder->skipped;
  loaded.clocks = AlignFolder(*folder, Alignment::kByEvents);
  loaded.trace = MergeAndCheck(*std::move(folder), input, code);
  return loaded.trace != nullptr;
}

ExitCode ComplainOfInput(const Error& error) {
  const std::string remedy = InputRemedy(error);
  if (remedy.empty() && error.code == ErrorCode::kUnsupported) {
    PrintError(error.message);  // says what to do itself
    return kExitUnreadable;
  }
  return Complain(
      error.code == ErrorCode::kInvalidArgument ? kExitUsage : kExitUnreadable,
      error.message, remedy.empty() ? "see stepscope --help" : remedy);
}

}  // namespace stepscope
