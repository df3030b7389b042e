// SPDX-License-Identifier: Apache-2.0
//
// What a Folder shows: one folder, one file, or several of these as one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/folder_scan.h"

namespace stepscope::server {

// Where dropped files stand in a list. No folder below another begins so.
inline constexpr char kDroppedLabel[] = "/Dropped files";

class FolderPaths {
 public:
  // The first is looked at alone unless there are more.
  explicit FolderPaths(std::vector<std::string> paths);

  // The same with one more folder, which changes no id of the others.
  FolderPaths WithDropped(const std::string& folder) const;

  // What a reader knows it by: "profiler_log", "a.json and 2 more".
  std::string Name() const;
  bool is_one_file() const { return named() == 1 && !roots_[0].folder; }
  // The one folder that was named, if it is a dataset; else empty.
  std::string Dataset() const;
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
  // Those that were named when the server began.
  size_t named() const;

  std::vector<Root> roots_;
};

}  // namespace stepscope::server
