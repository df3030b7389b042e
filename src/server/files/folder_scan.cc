// SPDX-License-Identifier: Apache-2.0
#include "server/files/folder_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "query/dataset.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

// A wrong folder (a home, a disk) must not hold the server up.
constexpr int kMostDepth = 8;
constexpr size_t kMostEntries = 100'000;
constexpr char kIsDataset[] =
    "is a dataset; show it by itself to ask it in SQL";

class Scanner {
 public:
  explicit Scanner(fs::path root) : root_(std::move(root)) {}

  void Look(const fs::path& folder, const std::string& relative, int depth) {
    // Its files are rows of tables, thousands of them.
    if (IsDataset(folder.string())) {
      if (depth > 0) scan_.skipped.push_back({relative, kIsDataset});
      return;
    }
    std::error_code error;
    fs::directory_iterator entry(
        folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      if (++entries_ > kMostEntries) {
        scan_.cut_short = true;
        return;
      }
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.')) continue;
      const fs::file_status status = entry->symlink_status(error);
      if (fs::is_directory(status)) {
        if (depth < kMostDepth)
          Look(entry->path(), relative.empty() ? name : relative + "/" + name,
               depth + 1);
        else
          scan_.cut_short = true;
      } else if (fs::is_regular_file(status)) {
        Add(entry->path(), relative, name);
      } else if (fs::is_symlink(status)) {
        std::error_code broken;
        const fs::path target = fs::canonical(entry->path(), broken);
        const char* why = broken ? "is a link to nothing"
                          : !LiesBelow(root_.string(), target.string())
                              ? "is a link that leads out of the folder"
                          : fs::is_directory(target, broken)
                              ? "is a link to a folder"
                              : nullptr;
        if (why == nullptr)
          Add(target, relative, name);
        else
          scan_.skipped.push_back(
              {relative.empty() ? name : relative + "/" + name, why});
      }
    }
  }

  FolderScan Take() {
    std::sort(scan_.files.begin(), scan_.files.end(),
              [](const FoundFile& a, const FoundFile& b) {
                if (a.folder != b.folder)
                  return NaturallyBefore(a.folder, b.folder);
                return NaturallyBefore(a.name, b.name);
              });
    std::sort(scan_.skipped.begin(), scan_.skipped.end(),
              [](const SkippedFile& a, const SkippedFile& b) {
                return NaturallyBefore(a.file, b.file);
              });
    return std::move(scan_);
  }

 private:
  void Add(const fs::path& path, const std::string& relative,
           const std::string& name) {
    Result<FileIdentity> identity = IdentityOf(path.string());
    if (identity)
      scan_.files.push_back({relative, name, path.string(), *identity});
  }

  const fs::path root_;
  size_t entries_ = 0;
  FolderScan scan_;
};

}  // namespace

Result<FileIdentity> IdentityOf(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) return FileError(path, errno);
  if (!S_ISREG(status.st_mode))
    return Fail(ErrorCode::kNotFound, path + ": not a regular file");
  return FileIdentity{
      static_cast<uint64_t>(status.st_dev),
      static_cast<uint64_t>(status.st_ino),
      static_cast<uint64_t>(status.st_size),
      int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec};
}

bool LiesBelow(const std::string& root, const std::string& path) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  if (error) return false;
  return root == "/" || (real.starts_with(root) && real.size() > root.size() &&
                         real[root.size()] == '/');
}

Result<FolderScan> ScanFolder(const std::string& root) {
  std::error_code error;
  const fs::path real = fs::canonical(root, error);
  if (error) return FileError(root, error.value());
  fs::directory_iterator readable(real, error);
  if (error) return FileError(root, error.value());
  Scanner scanner(real);
  scanner.Look(real, "", 0);
  return scanner.Take();
}

}  // namespace stepscope::server
