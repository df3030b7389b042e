// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/digest_cache.h"

#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"

namespace stepscope::server {
namespace {

std::string FileOf(const std::string& key) {
  return Format("%016llx.digest",
                static_cast<unsigned long long>(Hash64("digest\n" + key)));
}

// The whole of a small file.
std::optional<std::string> BytesOf(const File& file) {
  const Result<uint64_t> size = file.Size();
  if (!size) return std::nullopt;
  std::string bytes(*size, '\0');
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t read = pread(file.fd(), bytes.data() + at, bytes.size() - at,
                               static_cast<off_t>(at));
    if (read <= 0) return std::nullopt;
    at += static_cast<size_t>(read);
  }
  return bytes;
}

}  // namespace

const CacheFolder* DigestCache::Open(bool make) {
  if (path_.empty()) return nullptr;
  if (folder_) return &*folder_;
  if (!make && !FileExists(path_)) return nullptr;
  Result<CacheFolder> folder = CacheFolder::Open(path_, most_bytes_);
  if (!folder) {
    // The import cache says why.
    path_.clear();
    return nullptr;
  }
  folder_ = *std::move(folder);
  return &*folder_;
}

std::optional<std::string> DigestCache::Find(const std::string& key) {
  const CacheFolder* const folder = key.empty() ? nullptr : Open(false);
  if (folder == nullptr) return std::nullopt;
  const std::optional<File> file = folder->Find(FileOf(key));
  if (!file) return std::nullopt;
  std::optional<std::string> bytes = BytesOf(*file);
  if (!bytes || !bytes->starts_with(key)) return std::nullopt;
  return bytes->substr(key.size());
}

void DigestCache::Store(const std::string& key, const std::string& digest) {
  const CacheFolder* const folder = key.empty() ? nullptr : Open(true);
  if (folder == nullptr) return;
  const std::string bytes = key + digest;
  Result<CacheFolder::Fresh> fresh = folder->Create(FileOf(key), bytes.size());
  if (!fresh) return;  // too large for the limit
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written =
        write(fresh->fd(), bytes.data() + at, bytes.size() - at);
    if (written <= 0) return;
    at += static_cast<size_t>(written);
  }
  (void)folder->Keep(*std::move(fresh), FileOf(key));
}

}  // namespace stepscope::server
