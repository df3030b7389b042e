// SPDX-License-Identifier: Apache-2.0
#include "importers/import_many.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "importers/clock_placement.h"
#include "importers/registry.h"

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

struct FileImport {
  std::unique_ptr<TraceBuilder> builder;
  Status status = Ok();
};

// Adds up the progress of several files for one listener. Thread-safe.
class SharedProgress {
 public:
  SharedProgress(std::span<const std::string> paths,
                 const ImportOptions& options)
      : options_(options), done_(paths.size()), total_(0) {
    for (const std::string& path : paths) {
      std::error_code error;
      const uint64_t size = std::filesystem::file_size(path, error);
      if (!error) total_ += size;
    }
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
  uint64_t total_;
};

// Every file into a builder of its own, several at a time.
std::vector<FileImport> ImportAtOnce(
    std::span<const std::string> paths,
    std::span<const Importer* const> importers, const ImportOptions& options) {
  std::vector<FileImport> imports(paths.size());
  SharedProgress progress(paths, options);
  options.executor->ForEach(paths.size(), [&](size_t i) {
    imports[i].builder = std::make_unique<TraceBuilder>();
    imports[i].status =
        ImportInto(*importers[i], paths[i], progress.OptionsOf(i),
                   *imports[i].builder);
  });
  std::vector<FilePart> parts;
  for (size_t i = 0; i < paths.size(); ++i)
    if (imports[i].status)
      parts.push_back({paths[i], imports[i].builder.get()});
  PlaceUnknownClocks(parts);
  return imports;
}

}  // namespace

Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options) {
  std::vector<const Importer*> importers;
  for (const std::string& path : paths) {
    STEPSCOPE_TRY_ASSIGN(const Importer* importer, FindImporter(path));
    importers.push_back(importer);
  }
  std::vector<FileImport> imports = ImportAtOnce(paths, importers, options);
  TraceBuilder all;
  for (FileImport& one : imports) {
    STEPSCOPE_TRY(one.status);
    all.Merge(std::move(*one.builder));
    one.builder.reset();
  }
  return all.Finish();
}

Result<std::shared_ptr<const Trace>> ImportPath(const std::string& path,
                                                const ImportOptions& options) {
  if (!IsDirectory(path)) return ImportFile(path, options);
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> all_files,
                       FilesIn(path));
  std::vector<std::string> files;
  std::vector<const Importer*> importers;
  std::vector<std::string> unread;
  for (const std::string& file : all_files) {
    const Result<const Importer*> importer = FindImporter(file);
    if (!importer) {
      if (importer.error().code != ErrorCode::kUnsupported)
        unread.push_back(importer.error().message);
      continue;  // not a trace
    }
    files.push_back(file);
    importers.push_back(*importer);
  }
  std::vector<FileImport> imports = ImportAtOnce(files, importers, options);
  TraceBuilder builder;
  size_t read = 0;
  for (FileImport& one : imports) {
    if (one.status) {
      ++read;
      builder.Merge(std::move(*one.builder));
      one.builder.reset();
    } else if (one.status.error().code == ErrorCode::kCorrupt) {
      unread.push_back(one.status.error().message);
    } else {
      return one.status.error();
    }
  }
  if (read == 0)
    return Fail(ErrorCode::kNotFound,
                path + ": no readable trace in it" +
                    (unread.empty() ? "" : "; " + unread[0]));
  for (std::string& why : unread) builder.AddNote(std::move(why));
  return builder.Finish();
}

}  // namespace stepscope
