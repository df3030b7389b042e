// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_dataset.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/human.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "importers/load_inputs.h"
#include "importers/registry.h"
#include "query/dataset_writer.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

struct Input {
  std::string path;
  bool named = false;  // by the user, not found in a folder
  uint64_t bytes = 0;
};

// The ring of a process is read with its capture.
bool IsLiveFile(const std::string& path) {
  constexpr std::string_view kLive = ".live";
  return path.ends_with(kLive) &&
         FileExists(path.substr(0, path.size() - kLive.size()));
}

Result<std::vector<Input>> ListInputs(const std::vector<std::string>& inputs) {
  std::vector<Input> files;
  for (const std::string& input : inputs) {
    if (!IsDirectory(input)) {
      files.push_back({input, true, 0});
      continue;
    }
    std::vector<std::string> found;
    std::error_code error;
    for (fs::directory_iterator it(input, error), end; !error && it != end;
         it.increment(error))
      if (it->is_regular_file(error) && !IsLiveFile(it->path().string()))
        found.push_back(it->path().string());
    if (error) return FileError(input, error.value());
    std::sort(found.begin(), found.end(), NaturallyBefore);
    for (std::string& path : found)
      files.push_back({std::move(path), false, 0});
  }
  for (Input& file : files) {
    std::error_code error;
    const uint64_t size = fs::file_size(file.path, error);
    if (!error) file.bytes = size;
  }
  return files;
}

std::string Absolute(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

// Reads and writes files, several at once. Memory is that of as many traces as
// the executor has threads.
class Conversion {
 public:
  Conversion(DatasetWriter& writer, const std::vector<Input>& files)
      : writer_(writer), files_(files), progress_("writing the dataset") {
    for (const Input& file : files) total_ += file.bytes;
  }

  void Run() {
    Executor::Shared().ForEach(files_.size(), [this](size_t i) {
      if (!failed_) Convert(files_[i]);
      done_ += files_[i].bytes;
      progress_.Set(done_, total_);
    });
  }

  // What went wrong with the output; then nothing more was written.
  const Status& output() const { return output_; }
  const std::vector<std::string>& notes() const { return notes_; }
  size_t read() const { return read_; }
  size_t already() const { return already_; }
  bool named_file_failed() const { return named_failed_; }

 private:
  void Convert(const Input& file) {
    const Result<Fingerprint> print = FingerprintOf(file.path);
    if (!print) return Skip(file, print.error());
    switch (writer_.Claim(*print)) {
      case DatasetWriter::Known::kInDataset:
        ++already_;
        return;
      case DatasetWriter::Known::kWritten:
        ++read_;
        return;
      case DatasetWriter::Known::kNo:
        break;
    }
    const Result<const Importer*> importer = FindImporter(file.path);
    if (!importer) return Skip(file, importer.error());
    Result<std::shared_ptr<const Trace>> trace = ImportFile(file.path);
    if (!trace) return Skip(file, trace.error());
    if (const Status content = CheckContent(**trace, file.path); !content)
      return Skip(file, content.error());
    const SourceFile source = {Absolute(file.path),
                               std::string((*importer)->format()), *print};
    const Status written = writer_.Add(*std::move(trace), source);
    const std::lock_guard lock(mutex_);
    if (!written) {
      if (output_) output_ = written;
      failed_ = true;
      return;
    }
    ++read_;
  }

  // A file of a folder that is no trace is none of our business.
  void Skip(const Input& file, const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!file.named && error.code == ErrorCode::kUnsupported) return;
    std::string note = error.message + "; left out";
    if (file.named) {
      named_failed_ = true;
      const std::string remedy = InputRemedy(error.code);
      if (!remedy.empty()) note += "; " + remedy;
    }
    notes_.push_back(std::move(note));
  }

  DatasetWriter& writer_;
  const std::vector<Input>& files_;
  Progress progress_;
  uint64_t total_ = 0;
  std::atomic<uint64_t> done_ = 0;
  std::atomic<bool> failed_ = false;
  std::atomic<size_t> read_ = 0;
  std::atomic<size_t> already_ = 0;
  std::mutex mutex_;
  Status output_ = Ok();
  std::vector<std::string> notes_;
  bool named_failed_ = false;
};

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
  if (already > 0)
    PrintError("note: " + HumanCount(already, "file") +
               (already == 1 ? " is" : " are") + " in the dataset already");
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
  Result<std::vector<Input>> files = ListInputs(options.inputs);
  if (!files) return ComplainOfInput(files.error());
  Result<std::unique_ptr<DatasetWriter>> writer =
      DatasetWriter::Open(options.output);
  if (!writer) return ComplainOfDataset(writer.error());
  Status output = Ok();
  std::vector<std::string> notes;
  size_t read = 0;
  size_t already = 0;
  bool named_failed = false;
  {
    Conversion conversion(**writer, *files);
    conversion.Run();
    output = conversion.output();
    notes = conversion.notes();
    read = conversion.read();
    already = conversion.already();
    named_failed = conversion.named_file_failed();
  }
  std::sort(notes.begin(), notes.end());
  for (const std::string& note : notes) PrintError(note);
  if (!output) return ComplainOfDataset(output.error());
  if (read + already == 0) {
    if (notes.empty())
      return Complain(kExitUnreadable,
                      options.inputs.front() + ": no readable trace in it",
                      "stepscope info FILE says what a file is");
    return kExitUnreadable;
  }
  const bool all_named = std::all_of(files->begin(), files->end(),
                                     [](const Input& f) { return f.named; });
  const Result<DatasetChanges> changes = (*writer)->Commit(all_named);
  if (!changes) return ComplainOfDataset(changes.error());
  TellChanges(*changes, already);
  return named_failed ? kExitUnreadable : kExitOk;
}

}  // namespace stepscope
