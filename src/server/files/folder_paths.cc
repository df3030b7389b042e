// SPDX-License-Identifier: Apache-2.0
#include "server/files/folder_paths.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "query/dataset.h"

namespace stepscope::server {
namespace {

namespace fs = std::filesystem;

std::string Canonical(const std::string& path) {
  std::error_code error;
  const std::string real = fs::canonical(path, error).string();
  return error ? path : real;
}

std::string LastPart(const std::string& path) {
  return fs::path(path).filename().string();
}

Result<FolderScan> ScanFile(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(const FileIdentity identity, IdentityOf(path));
  FolderScan scan;
  scan.files.push_back({"", LastPart(path), path, identity});
  return scan;
}

}  // namespace

FolderPaths::FolderPaths(std::vector<std::string> paths) {
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::string real = Canonical(path);
    const bool folder = IsDirectory(real);
    if (seen.insert(real).second)
      roots_.push_back({std::move(real), folder, {}});
  }
  if (roots_.size() > 1) Label();
}

// So that no two files have the same place: folders by their names, files at
// the top if their names differ and else by the folders that they lie in.
void FolderPaths::Label() {
  std::set<std::string> names;
  bool differ = true;
  for (const Root& root : roots_)
    if (!root.folder) differ &= names.insert(LastPart(root.path)).second;
  std::map<std::string, std::string> labels;  // by path
  std::set<std::string> used;
  for (Root& root : roots_) {
    if (!root.folder && differ) continue;
    const std::string folder =
        root.folder ? root.path : fs::path(root.path).parent_path().string();
    // A file of a folder that is shown as a whole is kept apart from it.
    std::string& label = labels[(root.folder ? "d" : "f") + folder];
    const std::string name = LastPart(folder).empty() ? "/" : LastPart(folder);
    for (int copy = 1; label.empty(); ++copy) {
      const std::string tried = copy == 1 ? name : name + Format(" (%d)", copy);
      if (used.insert(tried).second) label = tried;
    }
    root.label = label;
  }
}

FolderPaths FolderPaths::WithDropped(const std::string& folder) const {
  FolderPaths all = *this;
  all.roots_.push_back({Canonical(folder), true, kDroppedLabel});
  return all;
}

size_t FolderPaths::named() const {
  const bool dropped = !roots_.empty() && roots_.back().label == kDroppedLabel;
  return roots_.size() - (dropped ? 1 : 0);
}

std::string FolderPaths::Name() const {
  if (roots_.empty()) return {};
  std::string name = LastPart(roots_[0].path);
  if (named() > 1) name += Format(" and %zu more", named() - 1);
  return name;
}

std::string FolderPaths::Dataset() const {
  return named() == 1 && IsDataset(roots_[0].path) ? roots_[0].path : "";
}

Result<FolderScan> FolderPaths::Scan() const {
  FolderScan all;
  std::string problem;
  bool any = false;
  for (const Root& root : roots_) {
    Result<FolderScan> scan =
        root.folder ? ScanFolder(root.path) : ScanFile(root.path);
    if (!scan) {
      if (problem.empty()) problem = scan.error().message;
      all.skipped.push_back({LastPart(root.path), "cannot be read"});
      continue;
    }
    any = true;
    all.cut_short |= scan->cut_short;
    for (SkippedFile& file : scan->skipped) {
      if (!root.label.empty()) file.file = root.label + "/" + file.file;
      all.skipped.push_back(std::move(file));
    }
    for (FoundFile& file : scan->files) {
      if (!root.label.empty())
        file.folder =
            file.folder.empty() ? root.label : root.label + "/" + file.folder;
      all.files.push_back(std::move(file));
    }
  }
  if (!any) return Fail(ErrorCode::kIo, std::move(problem));
  if (roots_.size() > 1)
    StableSort(all.files.begin(), all.files.end(),
               [](const FoundFile& a, const FoundFile& b) {
                 return NaturallyBefore(a.folder, b.folder);
               });
  return all;
}

bool FolderPaths::Holds(const std::string& path) const {
  return std::any_of(roots_.begin(), roots_.end(), [&](const Root& root) {
    return root.folder ? LiesBelow(root.path, path)
                       : Canonical(path) == root.path;
  });
}

}  // namespace stepscope::server
