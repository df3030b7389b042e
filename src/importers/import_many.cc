// SPDX-License-Identifier: Apache-2.0
#include "importers/import_many.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "importers/registry.h"
#include "trace/jobs.h"

namespace stepscope {
namespace {

Result<std::vector<std::string>> FilesIn(const std::string& folder) {
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
  std::sort(files.begin(), files.end(), NaturallyBefore);
  return files;
}

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
  uint64_t total_;  // 0: not known
};

// A file that was recognised. What can be opened once only stays open.
struct Recognised {
  const Importer* importer = nullptr;
  std::unique_ptr<InputSource> pipe;
};

Result<Recognised> Recognise(const std::string& path,
                             const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(auto input, OpenInput(path, options));
  Recognised file;
  STEPSCOPE_TRY_ASSIGN(file.importer, FindImporter(*input));
  if (input->is_pipe()) file.pipe = std::move(input);
  return file;
}

FileImport ImportOne(const Recognised& file, const std::string& path,
                     const ImportOptions& options) {
  // On a thread of its own, where nobody else would catch it.
  try {
    TraceBuilder builder;
    if (file.pipe != nullptr) {
      STEPSCOPE_TRY(ImportInto(*file.importer, *file.pipe, options, builder));
    } else {
      STEPSCOPE_TRY(ImportInto(*file.importer, path, options, builder));
    }
    return builder.Finish();
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kIo, path + ": not enough memory to read it");
  }
}

// Every file as a trace of its own, several at a time.
std::vector<FileImport> ImportAtOnce(std::span<const std::string> paths,
                                     std::span<const Recognised> files,
                                     const ImportOptions& options) {
  std::vector<FileImport> imports(paths.size(),
                                  std::shared_ptr<const Trace>());
  SharedProgress progress(paths, options);
  options.executor->ForEach(paths.size(), [&](size_t i) {
    imports[i] = ImportOne(files[i], paths[i], progress.OptionsOf(i));
  });
  return imports;
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

// The files that some importer knows.
struct KnownFiles {
  std::vector<std::string> paths;
  std::vector<Recognised> files;
  std::vector<TraceFolder::Skipped> skipped;

  // A file that could not be read. False: that stops everything.
  bool Skip(size_t file, const Error& error) {
    if (error.code != ErrorCode::kCorrupt) return false;
    skipped.push_back({paths[file], error.message, true});
    return true;
  }
};

KnownFiles FindKnownFiles(std::span<const std::string> all_files,
                          const ImportOptions& options) {
  KnownFiles known;
  for (const std::string& file : all_files) {
    Result<Recognised> one = Recognise(file, options);
    if (one) {
      known.paths.push_back(file);
      known.files.push_back(*std::move(one));
    } else if (!IsLiveFile(file, all_files)) {
      known.skipped.push_back({file, one.error().message,
                               one.error().code != ErrorCode::kUnsupported});
    }
  }
  return known;
}

Error NoTraceIn(const std::string& path,
                const std::vector<TraceFolder::Skipped>& skipped) {
  std::string why;
  for (const TraceFolder::Skipped& file : skipped)
    if (why.empty() && file.is_trace) why = "; " + file.reason;
  return Fail(ErrorCode::kNotFound, path + ": no readable trace in it" + why);
}

// `where` is where they lie, for the message.
Result<FolderTraces> ReadFiles(std::span<const std::string> files,
                               const std::string& where,
                               const ImportOptions& options) {
  KnownFiles known = FindKnownFiles(files, options);
  FolderTraces folder;
  std::vector<FileImport> imports =
      ImportAtOnce(known.paths, known.files, options);
  for (size_t i = 0; i < imports.size(); ++i) {
    if (imports[i]) {
      folder.facts.push_back(FactsOf(**imports[i], known.paths[i],
                                     known.files[i].importer->format()));
      folder.traces.push_back(*std::move(imports[i]));
    } else if (!known.Skip(i, imports[i].error())) {
      return imports[i].error();
    }
  }
  folder.skipped = std::move(known.skipped);
  if (folder.traces.empty()) return NoTraceIn(where, folder.skipped);
  return folder;
}

Result<FolderTraces> ReadFolder(const std::string& path,
                                const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files, FilesIn(path));
  return ReadFiles(files, path, options);
}

// What was not read although it is a trace.
void AddNotes(const std::vector<TraceFolder::Skipped>& skipped,
              TraceSet& set) {
  for (const TraceFolder::Skipped& file : skipped)
    if (file.is_trace) set.AddNote(file.reason);
}

}  // namespace

Status CheckStandardInput(std::span<const std::string> paths) {
  if (std::count_if(paths.begin(), paths.end(), IsStandardInput) < 2)
    return Ok();
  return Fail(ErrorCode::kInvalidArgument,
              "standard input is given twice and can be read only once");
}

Result<TraceSet> ImportSet(std::span<const std::string> paths,
                           const ImportOptions& options) {
  STEPSCOPE_TRY(CheckStandardInput(paths));
  std::vector<Recognised> files;
  for (const std::string& path : paths) {
    STEPSCOPE_TRY_ASSIGN(Recognised file, Recognise(path, options));
    files.push_back(std::move(file));
  }
  std::vector<std::shared_ptr<const Trace>> traces;
  for (FileImport& one : ImportAtOnce(paths, files, options)) {
    if (!one) return one.error();
    traces.push_back(*std::move(one));
  }
  return TraceSet(std::move(traces));
}

Result<TraceFolder> ImportFolder(const std::string& path,
                                 const ImportOptions& options) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files, FilesIn(path));
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
                         job.repeats.back().same_window_as +
                         ", counted once");
    }
    for (const std::string& note : found.notes) job.traces.AddNote(note);
    folder.jobs.push_back(std::move(job));
  }
  if (folder.jobs.size() == 1)
    AddNotes(folder.skipped, folder.jobs[0].traces);
  return folder;
}

Result<ScannedFolder> ScanFolder(const std::string& path,
                                 const ImportOptions& options,
                                 const VisitTrace& visit) {
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> files, FilesIn(path));
  KnownFiles known = FindKnownFiles(files, options);
  const size_t count = known.paths.size();
  std::vector<std::optional<FileFacts>> seen(count);
  std::vector<Status> states(count, Ok());
  SharedProgress progress(known.paths, options);
  options.executor->ForEach(count, [&](size_t i) {
    const FileImport one =
        ImportOne(known.files[i], known.paths[i], progress.OptionsOf(i));
    if (!one) {
      states[i] = one.error();
      return;
    }
    seen[i] = FactsOf(**one, known.paths[i],
                      known.files[i].importer->format());
    visit(static_cast<uint32_t>(i), **one);
  });
  std::vector<FileFacts> facts;
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < count; ++i) {
    if (seen[i]) {
      facts.push_back(*std::move(seen[i]));
      numbers.push_back(static_cast<uint32_t>(i));
    } else if (!known.Skip(i, states[i].error())) {
      return states[i].error();
    }
  }
  ScannedFolder folder;
  folder.skipped = std::move(known.skipped);
  if (facts.empty()) return NoTraceIn(path, folder.skipped);
  for (const Job& found : FindJobs(facts)) {
    ScannedFolder::Job job;
    for (const uint32_t file : found.files)
      job.files.push_back({numbers[file], facts[file].path});
    for (const SameWindow& repeat : found.repeats)
      job.repeats.push_back(
          {facts[repeat.file].path, facts[repeat.of].path});
    job.notes = found.notes;
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
