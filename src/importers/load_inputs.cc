// SPDX-License-Identifier: Apache-2.0
#include "importers/load_inputs.h"

#include "base/file.h"
#include "base/text.h"
#include "importers/foreign_formats.h"
#include "importers/registry.h"

namespace stepscope {
namespace {

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
      where = Format("byte %llu: ",
                     static_cast<unsigned long long>(bin.examples[0].offset));
    return input + ": " + where + reason;
  }
  return trace.notes().empty() ? input + ": cut short" : trace.notes().front();
}

}  // namespace

Result<TraceFolder> ImportInputs(const std::vector<std::string>& inputs,
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

Result<std::shared_ptr<const Trace>> JoinInputs(TraceFolder folder,
                                                const std::string& input) {
  STEPSCOPE_TRY_ASSIGN(auto trace,
                       TraceSet::Merge(Together(std::move(folder))));
  STEPSCOPE_TRY(CheckContent(*trace, ShownPath(input)));
  return trace;
}

Status CheckContent(const Trace& trace, const std::string& input) {
  if (!NothingIsLeft(trace)) return Ok();
  return Fail(ErrorCode::kCorrupt, WhatIsWrong(trace, input));
}

std::string InputRemedy(const Error& error) {
  switch (error.code) {
    case ErrorCode::kNotFound:
      return "check the path";
    case ErrorCode::kUnsupported: {
      // What the file is was said, and what to do with it.
      if (error.message.find(kUnknownFormat) == error.message.npos) return "";
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
  return "";
}

}  // namespace stepscope
