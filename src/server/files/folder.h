// SPDX-License-Identifier: Apache-2.0
//
// Folder: what can be opened. A run is a folder with traces in it, a worker is
// a process (or what the names of files say is one), a window is one file. All
// are known by ids that say nothing of where they lie: no request ever names
// a path. Links that lead out of the folder are left out.
//
// Looked through again when somebody asks and the last look is a second old;
// so it also works where the system does not report changes (NFS). Bounded in
// depth and entries. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/files/folder_paths.h"

namespace stepscope::server {

struct Window {
  std::string id;
  std::string name;
  std::string file;    // below the folder
  std::string path;    // where it is opened; never sent
  std::string format;  // of the importer
  FileIdentity identity;
  bool recording = false;  // a process still records into it
};
struct Worker {
  std::string id;
  std::string name;
  std::optional<int64_t> rank;  // as the name of the file has it
  std::vector<Window> windows;
};
struct Run {
  std::string id;
  std::string name;
  std::vector<Worker> workers;
  std::string all;  // the id of all workers together; empty: there is one
};
struct Listing {
  uint64_t generation = 0;
  std::string name;       // of the folder
  std::string problem;    // one line; empty: none
  bool one_file = false;  // that was named: no other will come
  std::string dataset;    // the id of the folder, which is one; empty: none
  std::vector<Run> runs;
  std::vector<SkippedFile> skipped;  // files that are in no run, and why
};

// The id of several windows of one run together.
std::string SeveralId(std::span<const std::string> windows);

// What an id stands for.
struct Target {
  std::string name;
  std::vector<Window> windows;  // one, some of a run, or all of it
};

class Folder {
 public:
  // A folder or one file, or several of these.
  explicit Folder(std::string path);
  explicit Folder(std::vector<std::string> paths);

  std::shared_ptr<const Listing> List();
  // Until the generation is another than `known`, the time is over or Stop().
  uint64_t WaitForChange(uint64_t known, std::chrono::milliseconds time);
  void Stop() { stop_ = true; }
  // A file that was named alone and is not a trace, and why; empty: none.
  std::string WrongFile();
  // Shows what lies in that folder, too, from now on.
  void ShowDropped(const std::string& folder);
  // Looks again at once, not when the last look is old.
  void LookNow();
  // The id of the window with this path; empty: there is none.
  std::string IdOfPath(const std::string& path);
  // As last listed.
  std::optional<Target> Find(const std::string& id);
  // The folder of the dataset with this id; empty: there is none.
  std::string FindDataset(const std::string& id);
  // Whether the file of a window is still the one that was listed, and lies
  // in the folder.
  Status Check(const Window& window) const;

 private:
  struct Known {
    FileIdentity identity;
    std::string format;  // empty: not a trace
    std::string why;     // it is none
  };

  void Look();
  const Known& Recognise(const std::string& path, const FileIdentity& identity);

  FolderPaths paths() const;

  mutable std::mutex paths_mutex_;
  FolderPaths paths_;  // under paths_mutex_
  bool dropped_ = false;
  std::mutex mutex_;
  std::map<std::string, Known> known_;  // by path
  std::shared_ptr<const Listing> listing_;
  std::chrono::steady_clock::time_point looked_{};
  std::atomic<bool> stop_{false};
};

}  // namespace stepscope::server
