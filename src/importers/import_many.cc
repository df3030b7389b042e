// SPDX-License-Identifier: Apache-2.0
#include "importers/import_many.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "importers/registry.h"
#include "trace/job/jobs.h"

namespace stepscope {
namespace {

using FileImport = Result<std::shared_ptr<const Trace>>;

// Adds up the progress of several files for one listener. Thread-safe.
class SharedProgress {
 public:
  SharedProgress(std::span<const std::string> paths,
                 const ImportOptions& options)
      : options_(options), done_(paths.size()), total_(0) {
    bool known = true;
    for (const std::string& path : paths) {
      std::error_code error;
      const uint64_t size = std::filesystem::file_size(path, error);
      known &= !error;
      if (!error) total_ += size;
    }
    if (!known) total_ = 0;
  }

  ImportOptions OptionsOf(size_t file) {
    ImportOptions options = options_;
    if (options.progress)
      options.progress = [this, file](uint64_t done, uint64_t) {
        const std::lock_guard lock(mutex_);
        done_[file] = done;
        options_.progress(
            std::accumulate(done_.begin(), done_.end(), uint64_t{0}), total_);
      };
    return options;
  }

 private:
  const ImportOptions& options_;
  std::mutex mutex_;
  std::vector<uint64_t> done_;  // by file
  uint64_t total_;              // 0: not known
};

// One file, opened once: finding out what it is and reading it.
struct FileRead {
  const Importer* importer = nullptr;  // null: none knows it
  FileImport trace = std::shared_ptr<const Trace>();
};

FileRead ReadOne(const std::string& path, const ImportOptions& options) {
  FileRead file;
  // On a thread of its own, where nobody else would catch it.
  try {
    file.trace = [&]() -> FileImport {
      STEPSCOPE_TRY_ASSIGN(const auto input, OpenInput(path, options));
      STEPSCOPE_TRY_ASSIGN(file.importer, FindImporter(*input));
      TraceBuilder builder;
      STEPSCOPE_TRY(ImportInto(*file.importer, *input, options, builder));
      return builder.Finish();
    }();
  } catch (const std::bad_alloc&) {
    file.trace = Fail(ErrorCode::kIo, path + ": not enough memory to read it");
  }
  return file;
}

// Every file as a trace of its own, several at a time; `visit` gets each as
// soon as it is read, on whatever thread that is.
template <typename Visit>
void ReadAtOnce(std::span<const std::string> paths,
                const ImportOptions& options, const Visit& visit) {
  SharedProgress progress(paths, options);
  options.executor->ForEach(paths.size(), [&](size_t i) {
    visit(i, ReadOne(paths[i], progress.OptionsOf(i)));
  });
}

// The traces of a folder, one for each file that could be read.
struct FolderTraces {
  std::vector<std::shared_ptr<const Trace>> traces;
  std::vector<FileFacts> facts;
  std::vector<TraceFolder::Skipped> skipped;
};

// The ring of a process is read with its capture.
bool IsLiveFile(const std::string& path, std::span<const std::string> files) {
  constexpr std::string_view kLive = ".live";
  return path.ends_with(kLive) &&
         std::find(files.begin(), files.end(),
                   path.substr(0, path.size() - kLive.size())) != files.end();
}

// What is wrong with files that could not be read: first those that nobody
// knows, then those that are damaged. An error that stops everything fails.
Result<std::vector<TraceFolder::Skipped>> SkippedOf(
    std::span<const std::string> paths, std::span<const FileRead> files) {
  std::vector<TraceFolder::Skipped> skipped;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (files[i].importer != nullptr || files[i].trace) continue;
    const Error& error = files[i].trace.error();
    if (!IsLiveFile(paths[i], paths))
      skipped.push_back(
          {paths[i], error.message, error.code != ErrorCode::kUnsupported});
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    if (files[i].importer == nullptr || files[i].trace) continue;
    const Error& error = files[i].trace.error();
    if (error.code != ErrorCode::kCorrupt) return error;
    skipped.push_back({paths[i], error.message, true});
  }
  return skipped;
}

// Folders in this one by name, then those in them, and so on.
std::vector<std::string> FoldersBelow(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr size_t kMostFolders = 32;
  constexpr size_t kMostEntries = 4096;  // of one folder: it may hold a disk
  std::vector<std::string> found;
  for (size_t next = 0; next <= found.size() && found.size() < kMostFolders;
       ++next) {
    std::vector<std::string> inside;
    std::error_code error;
    size_t entries = 0;
    const std::string folder = next == 0 ? path : found[next - 1];
    for (fs::directory_iterator it(folder, error), end;
         !error && it != end && ++entries <= kMostEntries; it.increment(error))
      if (it->is_directory(error) && !it->is_symlink(error))
        inside.push_back(it->path().string());
    std::sort(inside.begin(), inside.end(), NaturallyBefore);
    found.insert(found.end(), inside.begin(), inside.end());
  }
  if (found.size() > kMostFolders) found.resize(kMostFolders);
  return found;
}

// Files in a folder below this one that are traces, as the snapshots of memory
// that a process left, or what TensorFlow and JAX put into plugins/profile/.
std::string TracesBelow(const std::string& path) {
  constexpr size_t kMostFiles = 64;
  for (const std::string& folder : FoldersBelow(path)) {
    Result<std::vector<std::string>> files = FilesOfFolder(folder);
    if (!files) continue;
    if (files->size() > kMostFiles) files->resize(kMostFiles);
    std::erase_if(*files, [](const std::string& file) {
      return !FindImporter(file, {}).has_value();
    });
    if (files->empty()) continue;
    return "; " + folder + " has " + CountText(files->size(), "file") +
           " that can be read" + (files->size() > 1 ? ", such as " : ": ") +
           files->front();
  }
  return {};
}

Error NoTraceIn(const std::string& path,
                const std::vector<TraceFolder::Skipped>& skipped) {
  std::string why;
  for (const TraceFolder::Skipped& file : skipped)
    if (why.empty() && file.is_trace) why = "; " + file.reason;
  if (why.empty()) why = TracesBelow(path);
  return Fail(ErrorCode::kNotFound, path + ": no readable trace in it" + why);
}

// `where` is where they lie, for the message.
Result<FolderTraces> ReadFiles(std::span<const std::string> paths,
                               const std::string& where,
                               const ImportOptions& options) {
  std::vector<FileRead> files(paths.size());
  ImportOptions found = options;
  found.found = true;
  ReadAtOnce(paths, found,
             [&](size_t i, FileRead file) { files[i] = std::move(file); });
  FolderTraces folder;
  STEPSCOPE_TRY_ASSIGN(folder.skipped, SkippedOf(paths, files));
  for (size_t i = 0; i < files.size(); ++i) {
    if (!files[i].trace) continue;
    folder.facts.push_back(
        FactsOf(**files[i].trace, paths[i], files[i].importer->format()));
    folder.traces.push_back(*std::move(files[i].trace));
  }
  if (folder.traces.empty()) return NoTraceIn(where, folder.skipped);
  return folder;
}

Result<FolderTraces> ReadFolder(const std::string& path,
                                const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files,
                       FilesOfFolder(path));
  return ReadFiles(files, path, options);
}

// What was not read although it is a trace.
void AddNotes(const std::vector<TraceFolder::Skipped>& skipped, TraceSet& set) {
  for (const TraceFolder::Skipped& file : skipped)
    if (file.is_trace) set.AddNote(file.reason);
}

}  // namespace

Result<std::vector<std::string>> FilesOfFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator it(folder, error);
  if (error) return FileError(folder, error.value());
  for (; it != fs::directory_iterator(); it.increment(error)) {
    if (error) return FileError(folder, error.value());
    // Links count as what they lead to.
    if (it->is_regular_file(error)) files.push_back(it->path().string());
  }
  // X.part beside X: a process was killed while it wrote X anew. It holds less.
  const std::set<std::string> all(files.begin(), files.end());
  std::erase_if(files, [&](const std::string& file) {
    constexpr std::string_view kPart = ".part";
    return file.ends_with(kPart) &&
           all.contains(file.substr(0, file.size() - kPart.size()));
  });
  std::sort(files.begin(), files.end(), NaturallyBefore);
  return files;
}

Status CheckStandardInput(std::span<const std::string> paths) {
  if (std::count_if(paths.begin(), paths.end(), IsStandardInput) < 2)
    return Ok();
  return Fail(ErrorCode::kInvalidArgument,
              "standard input is given twice and can be read only once");
}

Result<TraceSet> ImportSet(std::span<const std::string> paths,
                           const ImportOptions& options) {
  STEPSCOPE_TRY(CheckStandardInput(paths));
  // A name that is spelled wrong is found before minutes are spent on the
  // others. What can be opened once only is not looked at.
  for (const std::string& path : paths) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    const bool absent = !std::filesystem::exists(status);
    if (path != "-" && (absent || std::filesystem::is_regular_file(status)))
      STEPSCOPE_TRY(FindImporter(path, options));
  }
  std::vector<FileRead> files(paths.size());
  ReadAtOnce(paths, options,
             [&](size_t i, FileRead file) { files[i] = std::move(file); });
  std::vector<std::shared_ptr<const Trace>> traces;
  for (FileRead& file : files) {
    if (!file.trace) return file.trace.error();
    traces.push_back(*std::move(file.trace));
  }
  return TraceSet(std::move(traces));
}

Result<TraceFolder> ImportFolder(const std::string& path,
                                 const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files,
                       FilesOfFolder(path));
  return ImportJobs(files, path, options);
}

Result<TraceFolder> ImportJobs(std::span<const std::string> files,
                               const std::string& where,
                               const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(FolderTraces read, ReadFiles(files, where, options));
  TraceFolder folder;
  folder.skipped = std::move(read.skipped);
  for (const Job& found : FindJobs(read.facts)) {
    TraceFolder::Job job;
    std::vector<std::shared_ptr<const Trace>> traces;
    for (const uint32_t file : found.files) {
      job.files.push_back(read.facts[file].path);
      traces.push_back(std::move(read.traces[file]));
    }
    job.traces = TraceSet(std::move(traces));
    for (const SameWindow& repeat : found.repeats) {
      job.repeats.push_back(
          {read.facts[repeat.file].path, read.facts[repeat.of].path});
      job.traces.AddNote(job.repeats.back().path + ": same window as " +
                         job.repeats.back().same_window_as + ", counted once");
    }
    for (const std::string& note : found.notes) job.traces.AddNote(note);
    folder.jobs.push_back(std::move(job));
  }
  if (folder.jobs.size() == 1) AddNotes(folder.skipped, folder.jobs[0].traces);
  return folder;
}

Result<ScannedFolder> ScanFolder(const std::string& path,
                                 const ImportOptions& options,
                                 const VisitTrace& visit) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files,
                       FilesOfFolder(path));
  std::vector<FileRead> reads(files.size());
  std::vector<std::optional<FileFacts>> seen(files.size());
  ImportOptions found = options;
  found.found = true;
  ReadAtOnce(files, found, [&](size_t i, FileRead file) {
    if (file.trace) {
      const Trace& trace = **file.trace;
      seen[i] = FactsOf(trace, files[i], file.importer->format());
      visit(static_cast<uint32_t>(i), trace);
      file.trace = std::shared_ptr<const Trace>();
    }
    reads[i] = std::move(file);
  });
  ScannedFolder folder;
  STEPSCOPE_TRY_ASSIGN(folder.skipped, SkippedOf(files, reads));
  std::vector<FileFacts> facts;
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) continue;
    facts.push_back(*std::move(seen[i]));
    numbers.push_back(static_cast<uint32_t>(i));
  }
  if (facts.empty()) return NoTraceIn(path, folder.skipped);
  for (const Job& found_job : FindJobs(facts)) {
    ScannedFolder::Job job;
    for (const uint32_t file : found_job.files)
      job.files.push_back({numbers[file], facts[file].path});
    for (const SameWindow& repeat : found_job.repeats)
      job.repeats.push_back({facts[repeat.file].path, facts[repeat.of].path});
    job.notes = found_job.notes;
    folder.jobs.push_back(std::move(job));
  }
  return folder;
}

Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(TraceSet set, ImportSet(paths, options));
  return TraceSet::Merge(std::move(set));
}

Result<std::shared_ptr<const Trace>> ImportPath(const std::string& path,
                                                const ImportOptions& options) {
  if (path == "-" || !IsDirectory(path)) return ImportFile(path, options);
  STEPSCOPE_TRY_ASSIGN(FolderTraces read, ReadFolder(path, options));
  TraceSet set(std::move(read.traces));
  AddNotes(read.skipped, set);
  return TraceSet::Merge(std::move(set));
}

}  // namespace stepscope
