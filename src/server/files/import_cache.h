// SPDX-License-Identifier: Apache-2.0
//
// ImportCache: traces that took long to read, with their pyramids, as files
// that are mapped the next time. A file that is damaged, of another build or
// not this user's alone is as good as none. Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "server/files/cache_folder.h"
#include "server/files/open_trace.h"
#include "snapshot/snapshot_file.h"

namespace stepscope::server {

struct CacheOptions {
  std::string folder;       // empty: nothing is kept
  uint64_t most_bytes = 0;  // 0: the usual, see CacheFolder
  // What was read faster than this, or is smaller, is not worth its place.
  std::chrono::milliseconds worth_time{300};
  uint64_t worth_bytes = uint64_t{8} << 20;
  // Told once why nothing is kept, one line; on any thread.
  std::function<void(const std::string&)> note;
};

class ImportCache {
 public:
  explicit ImportCache(CacheOptions options);
  // Gives up what is being written.
  ~ImportCache();

  // Null: there is none. A file that somebody has written to since it was
  // finished is checked to the last byte first. One that nobody has is checked
  // while it is in use: should the disk have lost some of it, it is removed,
  // and the trace says that it is damaged.
  std::shared_ptr<const OpenTrace> Find(const std::string& key,
                                        const CancelToken& cancel);
  // Writes it on a thread of its own, if it is still open when its turn comes.
  // Then the memory of its tables is that of the file.
  void StoreLater(std::string key, std::weak_ptr<const OpenTrace> open,
                  std::chrono::steady_clock::duration took);
  bool on() const;
  // Returns when nothing waits to be written.
  void WaitUntilIdle();
  // How many traces were found and written, and how many checked while in use.
  uint64_t found() const;
  uint64_t stored() const;
  uint64_t checked() const;

 private:
  struct Job {
    std::string key;
    std::weak_ptr<const OpenTrace> open;
    // That it was read from, to be checked; null: it is to be written.
    std::shared_ptr<const SnapshotFile> read_from;
  };

  void Work();
  void AddJob(Job job);
  Status Store(const Job& job);
  void Check(const Job& job);
  Result<std::shared_ptr<const OpenTrace>> Read(const std::string& key,
                                                File file,
                                                const CancelToken& cancel);
  // Null: nothing is kept. The folder is made for who wants to write.
  const CacheFolder* Folder(bool make);
  void TurnOff(const std::string& why);

  const CacheOptions options_;
  CancelToken stop_;
  std::mutex folder_mutex_;
  std::optional<CacheFolder> folder_;
  mutable std::mutex mutex_;
  std::condition_variable change_;
  std::deque<Job> jobs_;
  bool busy_ = false;
  bool off_ = false;
  uint64_t found_ = 0;
  uint64_t stored_ = 0;
  uint64_t checked_ = 0;
  std::thread writer_;
};

}  // namespace stepscope::server
