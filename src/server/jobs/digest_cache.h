// SPDX-License-Identifier: Apache-2.0
//
// DigestCache: digests of traces as files beside the import cache, so that a
// folder that was looked through once is not read again. Where nothing can be
// kept, there is none. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "server/files/cache_folder.h"
#include "server/files/import_cache.h"

namespace stepscope::server {

class DigestCache {
 public:
  explicit DigestCache(const CacheOptions& options)
      : path_(options.folder), most_bytes_(options.most_bytes) {}

  // `key`: which build read which file; empty: nothing is found or kept.
  std::optional<std::string> Find(const std::string& key);
  void Store(const std::string& key, const std::string& digest);

 private:
  const CacheFolder* Open(bool make);

  std::string path_;  // empty: nothing is kept
  const uint64_t most_bytes_;
  std::optional<CacheFolder> folder_;
};

}  // namespace stepscope::server
