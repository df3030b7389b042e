// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/convert_dataset.h"

#include <string>

#include "base/text.h"
#include "cli/frame/output.h"
#include "cli/frame/progress.h"
#include "cli/load.h"
#include "importers/load_inputs.h"
#include "query/dataset_import.h"
#include "query/duckdb_library.h"

namespace stepscope {
namespace {

// The line about a file that is left out.
std::string NoteOf(const SkippedFile& file) {
  std::string note = file.error.message + "; left out";
  if (!file.named) return note;
  const std::string remedy = InputRemedy(file.error);
  return remedy.empty() ? note : note + "; " + remedy;
}

}  // namespace

ExitCode NeedDuckdb() {
  const auto library = duckdb::LoadLibrary();
  if (library) return kExitOk;
  PrintError(library.error().message);
  return kExitMissing;
}

namespace {

ExitCode ComplainOfDataset(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnsupported:
    case ErrorCode::kInvalidArgument:
      PrintError(error.message);
      return kExitUsage;
    default:
      return Complain(kExitIo, error.message,
                      "check the folder and the room on its disk, then run "
                      "the same command again: it goes on where it stopped");
  }
}

void TellChanges(const DatasetChanges& changes, size_t already) {
  for (const DatasetChanges::Source& source : changes.sources) {
    if (!source.same_window_as.empty())
      PrintError("note: " + source.path + ": same window as " +
                 source.same_window_as + ", counted once");
    else if (source.replaced)
      PrintError("note: " + source.path +
                 ": has changed, its older rows are replaced");
  }
  for (const std::string& note : changes.notes) PrintError("note: " + note);
  if (already > 0)
    PrintError("note: " + CountText(already, "file") +
               (already == 1 ? " is" : " are") + " in the dataset already");
}

DatasetImport ImportDataset(const ConvertOptions& options) {
  Progress progress("writing the dataset");
  DatasetImportOptions how;
  how.commit = !options.no_commit;
  how.progress = [&progress](uint64_t done, uint64_t total) {
    progress.Set(done, total);
  };
  return ImportIntoDataset(options.inputs, options.output, how);
}

}  // namespace

ExitCode RunConvertDataset(const ConvertOptions& options) {
  for (const std::string& input : options.inputs) {
    if (input == "-")
      return Complain(kExitUsage, "-: --to parquet reads files only",
                      "save it to a file first");
  }
  if (options.output == "-")
    return Complain(kExitUsage, "-o -: a dataset is a folder",
                    "give a folder to -o");
  if (const ExitCode code = NeedDuckdb(); code != kExitOk) return code;
  const DatasetImport done = ImportDataset(options);
  if (!done.inputs) return ComplainOfInput(done.inputs.error());
  for (const SkippedFile& file : done.skipped) PrintError(NoteOf(file));
  if (!done.output) return ComplainOfDataset(done.output.error());
  if (done.nothing_read()) {
    if (done.skipped.empty())
      return Complain(kExitUnreadable,
                      options.inputs.front() + ": no readable trace in it",
                      "stepscope info FILE says what a file is");
    return kExitUnreadable;
  }
  TellChanges(done.changes, done.already);
  return done.named_file_failed() ? kExitUnreadable : kExitOk;
}

}  // namespace stepscope
