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

Result<Recognised> Recognise(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(auto input, InputSource::Open(path));
  Recognised file;
  STEPSCOPE_TRY_ASSIGN(file.importer, FindImporter(*input));
  if (input->is_pipe()) file.pipe = std::move(input);
  return file;
}

// Every file into a builder of its own, several at a time.
std::vector<FileImport> ImportAtOnce(std::span<const std::string> paths,
                                     std::span<const Recognised> files,
                                     const ImportOptions& options) {
  std::vector<FileImport> imports(paths.size());
  SharedProgress progress(paths, options);
  options.executor->ForEach(paths.size(), [&](size_t i) {
    imports[i].builder = std::make_unique<TraceBuilder>();
    const Importer& importer = *files[i].importer;
    const ImportOptions own = progress.OptionsOf(i);
    imports[i].status =
        files[i].pipe != nullptr
            ? ImportInto(importer, *files[i].pipe, own, *imports[i].builder)
            : ImportInto(importer, paths[i], own, *imports[i].builder);
  });
  std::vector<FilePart> parts;
  for (size_t i = 0; i < paths.size(); ++i)
    if (imports[i].status)
      parts.push_back({paths[i], imports[i].builder.get()});
  PlaceUnknownClocks(parts);
  return imports;
}

}  // namespace

Status CheckStandardInput(std::span<const std::string> paths) {
  if (std::count_if(paths.begin(), paths.end(), IsStandardInput) < 2)
    return Ok();
  return Fail(ErrorCode::kInvalidArgument,
              "standard input is given twice and can be read only once");
}

Result<std::shared_ptr<const Trace>> ImportFiles(
    std::span<const std::string> paths, const ImportOptions& options) {
  STEPSCOPE_TRY(CheckStandardInput(paths));
  std::vector<Recognised> files;
  for (const std::string& path : paths) {
    STEPSCOPE_TRY_ASSIGN(Recognised file, Recognise(path));
    files.push_back(std::move(file));
  }
  std::vector<FileImport> imports = ImportAtOnce(paths, files, options);
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
  if (path == "-" || !IsDirectory(path)) return ImportFile(path, options);
  STEPSCOPE_TRY_ASSIGN(const std::vector<std::string> all_files,
                       FilesIn(path));
  std::vector<std::string> files;
  std::vector<Recognised> recognised;
  std::vector<std::string> unread;
  for (const std::string& file : all_files) {
    Result<Recognised> one = Recognise(file);
    if (!one) {
      if (one.error().code != ErrorCode::kUnsupported)
        unread.push_back(one.error().message);
      continue;  // not a trace
    }
    files.push_back(file);
    recognised.push_back(*std::move(one));
  }
  std::vector<FileImport> imports = ImportAtOnce(files, recognised, options);
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
