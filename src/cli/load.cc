// SPDX-License-Identifier: Apache-2.0
#include "cli/load.h"

#include "base/file.h"
#include "base/text.h"
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

Result<std::shared_ptr<const Trace>> ImportAll(
    const std::vector<std::string>& inputs, const ImportOptions& options) {
  if (inputs.size() == 1) return ImportPath(inputs[0], options);
  for (const std::string& input : inputs) {
    if (input != "-" && IsDirectory(input)) {
      return Fail(ErrorCode::kInvalidArgument,
                  input + ": give one folder, or files only");
    }
  }
  return ImportFiles(inputs, options);
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

}  // namespace

std::shared_ptr<const Trace> LoadTrace(const std::vector<std::string>& inputs,
                                       ExitCode& code,
                                       const ImportOptions& options) {
  const Result<std::shared_ptr<const Trace>> trace = [&] {
    Progress progress("reading " + ShownPath(inputs.front()));
    ImportOptions with_progress = options;
    with_progress.progress = [&](uint64_t done, uint64_t total) {
      progress.Set(done, total);
    };
    return ImportAll(inputs, with_progress);
  }();
  if (!trace) {
    code = ComplainOfInput(trace.error());
    return nullptr;
  }
  if (NothingIsLeft(**trace)) {
    code = ComplainOfInput(
        Fail(ErrorCode::kCorrupt,
             WhatIsWrong(**trace, ShownPath(inputs.front()))));
    return nullptr;
  }
  return *trace;
}

ExitCode ComplainOfInput(const Error& error) {
  return Complain(error.code == ErrorCode::kInvalidArgument ? kExitUsage
                                                            : kExitUnreadable,
                  error.message, Remedy(error.code));
}

}  // namespace stepscope
