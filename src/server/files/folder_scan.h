// SPDX-License-Identifier: Apache-2.0
//
// The files below a folder that may be traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace stepscope::server {

// Which file, and which state of it.
struct FileIdentity {
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t bytes = 0;
  int64_t changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

struct FoundFile {
  std::string folder;  // relative; empty: the folder itself
  std::string name;
  std::string path;  // without links
  FileIdentity identity;
};
// A file that is not shown, and why, in words that follow its name.
struct SkippedFile {
  std::string file;  // below the folder
  std::string why;   // "is empty"
  bool operator==(const SkippedFile&) const = default;
};
struct FolderScan {
  std::vector<SkippedFile> skipped;
  std::vector<FoundFile> files;  // by folder and name, numbers by value
  bool cut_short = false;        // there is more than is looked at
};

// Regular files, and links to such that lie in the folder. Hidden ones, linked
// folders and datasets are left out.
Result<FolderScan> ScanFolder(const std::string& root);

// Of a regular file, not following a link.
Result<FileIdentity> IdentityOf(const std::string& path);
// Whether a path, with links resolved, lies below the folder.
bool LiesBelow(const std::string& root, const std::string& path);

}  // namespace stepscope::server
