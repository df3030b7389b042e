// SPDX-License-Identifier: Apache-2.0
//
// What a Folder shows: one folder, one file, or several of these as one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/folder_scan.h"

namespace stepscope::server {

class FolderPaths {
 public:
  // The first is looked at alone unless there are more.
  explicit FolderPaths(std::vector<std::string> paths);

  // What a reader knows it by: "profiler_log", "a.json and 2 more".
  std::string Name() const;
  bool is_one_file() const { return roots_.size() == 1 && !roots_[0].folder; }
  // All files. Of several paths, what cannot be read is left out unless
  // nothing can.
  Result<FolderScan> Scan() const;
  // Whether a path, with links resolved, is one of these or lies below one.
  bool Holds(const std::string& path) const;

 private:
  struct Root {
    std::string path;  // without links
    bool folder = false;
    std::string label;  // the folder that it is shown as; empty: the top
  };
  void Label();

  std::vector<Root> roots_;
};

}  // namespace stepscope::server
