// SPDX-License-Identifier: Apache-2.0
//
// DroppedFiles: traces that a reader drops on the page. They come in parts and
// lie in a folder of this server alone, which is made for the first of them,
// is closed to all other users, and goes with the object. Names are made
// harmless, and all of it is bounded. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"

namespace stepscope::server {

struct DropLimits {
  uint64_t bytes = uint64_t{4} << 30;       // of all files together
  uint64_t free_bytes = uint64_t{1} << 30;  // that the disk keeps
  size_t files = 100;
  size_t at_once = 4;                      // that are on their way
  std::chrono::milliseconds idle{60'000};  // then what came is thrown away
};

// What one request brings.
struct DroppedPart {
  std::string id;      // as answered to the first part; empty: that is this
  std::string name;    // as the reader's machine has it
  uint64_t total = 0;  // bytes of the file
  uint64_t at = 0;     // where these go: where the last part ended
  std::string_view bytes;
};

struct DroppedSoFar {
  std::string id;
  uint64_t bytes = 0;
  std::string path;  // once all of it is there
};

class DroppedFiles {
 public:
  static constexpr size_t kMostPart = 1 << 20;

  explicit DroppedFiles(DropLimits limits = {}) : limits_(limits) {}
  ~DroppedFiles();
  DroppedFiles(const DroppedFiles&) = delete;
  DroppedFiles& operator=(const DroppedFiles&) = delete;

  Result<DroppedSoFar> Add(const DroppedPart& part);
  // A whole file that turned out to be no trace.
  void Remove(const std::string& path);
  // Empty until something was dropped.
  std::string folder() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Coming {
    std::string name;
    uint64_t total = 0;
    uint64_t bytes = 0;
    int fd = -1;
    Clock::time_point last{};
  };

  Result<std::string> Begin(const DroppedPart& part);
  Status MakeFolder();
  Result<std::string> Finish(const std::string& id);
  void Abandon(const std::string& id);
  std::string PartPath(const std::string& id) const;

  const DropLimits limits_;
  mutable std::mutex mutex_;
  std::string folder_;
  std::map<std::string, Coming> coming_;   // by id
  std::map<std::string, uint64_t> whole_;  // bytes by path
  uint64_t promised_ = 0;                  // bytes of all of these
};

// The last part of a path, without what a file system or a screen could take
// amiss; never empty, hidden or long.
std::string HarmlessName(std::string_view name);

}  // namespace stepscope::server
