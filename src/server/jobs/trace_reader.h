// SPDX-License-Identifier: Apache-2.0
//
// TraceReader: reads the traces of the folder one after the other, the newest
// first, and keeps a digest of each, on a thread that gives way to others.
// What would take long is read when somebody asks for it: files beyond a size,
// and what lies beyond the first so many. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "server/files/folder.h"
#include "server/jobs/digest_cache.h"
#include "server/jobs/trace_digest.h"

namespace stepscope::server {

class Sessions;

enum class CardState : uint8_t {
  kWaiting,  // its turn comes
  kReading,
  kRead,
  kUnread,  // not without being asked for
  kFailed,
};

struct ListedTrace {
  Window window;
  std::string run;
  std::string worker;
  CardState state = CardState::kWaiting;
  TraceCard card;   // of what was read
  std::string why;  // it failed
  // What says which job it is of; null: not read.
  std::shared_ptr<const FileFacts> facts;
};

struct ReadLimits {
  uint64_t file_bytes = uint64_t{256} << 20;  // of one file
  uint64_t all_bytes = uint64_t{2} << 30;     // of all together
  size_t files = 200;
  // Digests in memory; what is beyond is read from the cache, or anew.
  uint64_t kept_bytes = uint64_t{512} << 20;
};

// Whether to keep what is left of a trace that took so long to read, one of
// so many: all of a folder are read together.
bool IsWorthKeeping(std::chrono::nanoseconds took, size_t files);

class TraceReader {
 public:
  TraceReader(Folder& folder, Sessions& sessions, const CacheOptions& cache,
              ReadLimits limits = {});
  // Gives up what is being read.
  ~TraceReader();

  // Of all traces, by time of the last change, newest first. Starts reading
  // what is not read.
  std::vector<ListedTrace> List();
  // Reads these windows of the folder, however large, before all others.
  void Want(const std::vector<Window>& windows);
  // Of a trace that was read. On the caller's thread, of which several may
  // ask; it may take as long as reading it anew.
  Result<TraceDigest> Fetch(const Window& window);
  // Counts up with each trace that was read.
  uint64_t change();
  // Files that were read, not found in the cache.
  uint64_t reads() const { return reads_; }

 private:
  struct Entry {
    FileIdentity identity;
    CardState state = CardState::kWaiting;
    TraceCard card;
    std::string why;
    std::shared_ptr<const FileFacts> facts;
    std::shared_ptr<const std::string> digest;  // null: not in memory
  };

  // Under mutex_, these three.
  Entry& EntryOf(const Window& window);
  void Forget(const std::vector<ListedTrace>& list);  // what is not in it
  std::optional<Window> Next();
  void Work();
  void ReadOne(const Window& window);
  // A digest, encoded: from the cache or from the file.
  Result<std::string> Read(const Window& window);
  Result<std::string> ReadFile(const Window& window);
  Result<TraceDigest> ReadTrace(const Window& window);

  Folder& folder_;
  Sessions& sessions_;
  const ReadLimits limits_;
  CancelToken stop_;
  std::mutex file_mutex_;  // one trace at a time is in memory
  std::mutex cache_mutex_;
  DigestCache cache_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::map<std::string, Entry> entries_;  // by id of the window
  std::vector<Window> listed_;            // newest first
  std::set<std::string> wanted_;          // ids
  uint64_t kept_bytes_ = 0;
  uint64_t changes_ = 0;
  std::atomic<uint64_t> reads_{0};
  std::thread thread_;
};

}  // namespace stepscope::server
