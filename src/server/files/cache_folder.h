// SPDX-License-Identifier: Apache-2.0
//
// CacheFolder: files that can be made again, in a folder of the user's own.
// Nobody else may look into it, since it holds what traces hold. Those that
// were not used for longest go when there are too many bytes.
//
// Files appear by a rename and are never changed afterwards; who has one open
// keeps it when it is removed. So any number of processes may share a folder.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/result.h"

namespace stepscope::server {

class CacheFolder {
 public:
  // Made if it is not there. Fails unless it is a folder of this user that is
  // closed to all others. `most_bytes` 0: 10 GiB, or a tenth of what the disk
  // has to give if that is less.
  static Result<CacheFolder> Open(const std::string& path, uint64_t most_bytes);

  // A file that is being written: it has no name of its own yet, and is gone
  // with the object.
  class Fresh {
   public:
    ~Fresh();
    Fresh(Fresh&& other) noexcept;
    Fresh& operator=(Fresh&&) = delete;
    int fd() const { return file_.fd(); }
    const std::string& path() const { return file_.path(); }

   private:
    friend class CacheFolder;
    Fresh() = default;
    File file_;
    std::string name_;  // empty: it was kept, or never was
    int folder_ = -1;
  };

  // Nothing: there is none, or it is not this user's alone. Counts as use.
  std::optional<File> Find(const std::string& name) const;
  // Room is made for `bytes`; fails where they are too many.
  Result<Fresh> Create(const std::string& name, uint64_t bytes) const;
  // Takes the place of what had that name.
  Status Keep(Fresh fresh, const std::string& name) const;
  void Remove(const std::string& name) const;

  uint64_t most_bytes() const { return most_bytes_; }

 private:
  CacheFolder() = default;
  // Removes old files until `bytes` more fit, and what writers left that are
  // no more.
  void MakeRoom(uint64_t bytes) const;

  File folder_;
  uint64_t most_bytes_ = 0;
};

// ${XDG_CACHE_HOME:-~/.cache}/stepscope/traces; empty: neither is set.
std::string UsualCacheFolder();

}  // namespace stepscope::server
