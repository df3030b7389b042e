// SPDX-License-Identifier: Apache-2.0
#include "query/dataset_import.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "base/file.h"
#include "base/text.h"
#include "importers/load_inputs.h"
#include "importers/registry.h"

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
  Conversion(DatasetWriter& writer, const std::vector<Input>& files,
             const DatasetImportOptions& options, DatasetImport& outcome)
      : writer_(writer), files_(files), options_(options), outcome_(outcome) {
    for (const Input& file : files) total_ += file.bytes;
  }

  void Run() {
    Executor::Shared().ForEach(files_.size(), [this](size_t i) {
      uint64_t told = 0;
      if (!failed_) Convert(files_[i], told);
      Tell(files_[i], files_[i].bytes, told);
    });
  }

 private:
  // That `done` bytes of a file are done, of which `told` are told already.
  void Tell(const Input& file, uint64_t done, uint64_t& told) {
    done = std::min(done, file.bytes);  // it may have grown since
    if (!options_.progress || done <= told) return;
    const uint64_t more = done - std::exchange(told, done);
    options_.progress(done_ += more, total_);
  }

  void Convert(const Input& file, uint64_t& told) {
    const std::string path = Absolute(file.path);
    const std::string state = StateOf(path);
    if (writer_.ClaimUnread(path, state)) return Count(outcome_.read);
    const Result<Fingerprint> print = FingerprintOf(file.path);
    if (!print) return Skip(file, print.error());
    switch (writer_.Claim(*print)) {
      case DatasetWriter::Known::kInDataset:
        return Count(outcome_.already);
      case DatasetWriter::Known::kWritten:
        return Count(outcome_.read);
      case DatasetWriter::Known::kNo:
        break;
    }
    ImportOptions import;
    import.found = !file.named;
    import.step_range = options_.step_range;
    const Result<const Importer*> importer = FindImporter(file.path, import);
    if (!importer) return Skip(file, importer.error());
    import.cancel = options_.cancel;
    import.progress = [&](uint64_t done, uint64_t) { Tell(file, done, told);
  };
  Result<std::shared_ptr<const Trace>> trace = ImportFile(file.path, import);
  if (!trace) return Skip(file, trace.error());
  if (const Status content = CheckContent(**trace, file.path); !content)
    return Skip(file, content.error());
  if (import.cancelled()) return Stop(Cancelled(file.path));
  const SourceFile source = {path, std::string((*importer)->format()), *print,
                             state};
  if (const Status written = writer_.Add(*std::move(trace), source); !written)
    return Stop(written.error());
  Count(outcome_.read);
}

  void Count(size_t& number) {
  const std::lock_guard lock(mutex_);
  ++number;
}

// No more files are begun.
void Stop(const Error& error) {
  const std::lock_guard lock(mutex_);
  if (outcome_.output) outcome_.output = error;
  failed_ = true;
}

// A file of a folder that is no trace is none of our business.
void Skip(const Input& file, const Error& error) {
  if (error.code == ErrorCode::kCancelled) return Stop(error);
  if (!file.named && error.code == ErrorCode::kUnsupported) return;
  const std::lock_guard lock(mutex_);
  outcome_.skipped.push_back({error, file.named});
}

DatasetWriter& writer_;
const std::vector<Input>& files_;
const DatasetImportOptions& options_;
DatasetImport& outcome_;  // guarded by mutex_
uint64_t total_ = 0;
std::atomic<uint64_t> done_ = 0;
std::atomic<bool> failed_ = false;
std::mutex mutex_;
};  // namespace

}  // namespace stepscope

bool DatasetImport::named_file_failed() const {
  return std::any_of(skipped.begin(), skipped.end(),
                     [](const SkippedFile& file) { return file.named; });
}

DatasetImport ImportIntoDataset(const std::vector<std::string>& inputs,
                                const std::string& folder,
                                const DatasetImportOptions& options) {
  DatasetImport outcome;
  const Result<std::vector<Input>> files = ListInputs(inputs);
  if (!files) {
    outcome.inputs = files.error();
    return outcome;
  }
  Result<std::unique_ptr<DatasetWriter>> writer = DatasetWriter::Open(folder);
  if (!writer) {
    outcome.output = writer.error();
    return outcome;
  }
  Conversion(**writer, *files, options, outcome).Run();
  std::sort(outcome.skipped.begin(), outcome.skipped.end(),
            [](const SkippedFile& a, const SkippedFile& b) {
              return a.error.message < b.error.message;
            });
  if (!outcome.output || outcome.nothing_read() || !options.commit)
    return outcome;
  const bool all_named = std::all_of(files->begin(), files->end(),
                                     [](const Input& f) { return f.named; });
  Result<DatasetChanges> changes = (*writer)->Commit(all_named);
  if (changes)
    outcome.changes = *std::move(changes);
  else
    outcome.output = changes.error();
  return outcome;
}

}  // namespace stepscope
