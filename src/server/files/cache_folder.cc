// SPDX-License-Identifier: Apache-2.0
#include "server/files/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.h"

namespace stepscope::server {
namespace {

constexpr std::string_view kKept = ".trace";
constexpr std::string_view kFresh = ".new";
constexpr uint64_t kUsualMost = uint64_t{10} << 30;

// Only what has such a name was made here, and may be removed.
bool IsEntry(std::string_view name) {
  return name.ends_with(kKept) || name.ends_with(kFresh);
}

bool IsPrivate(const struct stat& status) {
  return status.st_uid == geteuid() && (status.st_mode & 077) == 0;
}

// With those above it, as the XDG rules want them.
int MakeFolders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != path.npos;
       at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
  return mkdir(path.c_str(), 0700);
}

struct Entry {
  std::string name;
  uint64_t bytes = 0;
  int64_t used_ns = 0;     // its time of reading
  int64_t written_ns = 0;  // nobody but its writer changes that
};

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::vector<Entry> EntriesOf(int folder) {
  std::vector<Entry> entries;
  const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> all(fdopendir(fd), closedir);
  if (all == nullptr) {
    close(fd);
    return entries;
  }
  while (const dirent* const found = readdir(all.get())) {
    struct stat status = {};
    if (!IsEntry(found->d_name) ||
        fstatat(folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(status.st_mode))
      continue;
    entries.push_back(
        {found->d_name, static_cast<uint64_t>(status.st_blocks) * 512,
         Nanoseconds(status.st_atim), Nanoseconds(status.st_mtim)});
  }
  return entries;
}

// Who writes a file has it locked, soon after it is made, and a lock ends with
// its process.
bool IsLeftOver(int folder, const std::string& name, int64_t written_ns) {
  constexpr int64_t kSoon = 60'000'000'000;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  if (Nanoseconds(now) - written_ns < kSoon) return false;
  const int fd = openat(folder, name.c_str(),
                        O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno == ELOOP;
  const bool left = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return left;
}

uint64_t FreeBytes(int folder) {
  struct statvfs status = {};
  if (fstatvfs(folder, &status) != 0) return 0;
  return uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace

std::string UsualCacheFolder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  // The rules: a relative path does not count.
  if (cache != nullptr && cache[0] == '/')
    return std::string(cache) + "/stepscope/traces";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::string(home) + "/.cache/stepscope/traces";
}

Result<CacheFolder> CacheFolder::Open(const std::string& path,
                                      uint64_t most_bytes) {
  if (MakeFolders(path) != 0 && errno != EEXIST) return FileError(path, errno);
  const int fd =
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return FileError(path, errno);
  CacheFolder folder;
  folder.folder_ = File::FromDescriptor(fd, path);
  struct stat status = {};
  if (fstat(fd, &status) != 0) return FileError(path, errno);
  if (!IsPrivate(status))
    return Fail(ErrorCode::kInvalidArgument,
                path +
                    ": this folder is not yours alone; run chmod 700 on "
                    "it, or choose another");
  folder.most_bytes_ = most_bytes;
  if (most_bytes == 0) {
    uint64_t bytes = FreeBytes(fd);
    for (const Entry& entry : EntriesOf(fd)) bytes += entry.bytes;
    folder.most_bytes_ = std::min(kUsualMost, bytes / 10);
  }
  return folder;
}

std::optional<File> CacheFolder::Find(const std::string& name) const {
  const std::string kept = name + std::string(kKept);
  Result<File> file = File::OpenRegularAt(
      folder_.fd(), kept, folder_.path() + "/" + kept, O_RDONLY);
  struct stat status = {};
  if (!file || fstat(file->fd(), &status) != 0 || !IsPrivate(status) ||
      status.st_nlink != 1)
    return std::nullopt;
  const timespec used[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  futimens(file->fd(), used);
  return *std::move(file);
}

CacheFolder::Fresh::Fresh(Fresh&& other) noexcept
    : file_(std::move(other.file_)),
      name_(std::exchange(other.name_, {})),
      folder_(other.folder_) {}

CacheFolder::Fresh::~Fresh() {
  if (!name_.empty()) unlinkat(folder_, name_.c_str(), 0);
}

Result<CacheFolder::Fresh> CacheFolder::Create(const std::string& name,
                                               uint64_t bytes) const {
  if (bytes > most_bytes_)
    return Fail(ErrorCode::kUnsupported,
                folder_.path() + ": larger than the limit of the cache");
  MakeRoom(bytes);
  // Others need the disk more.
  if (bytes > FreeBytes(folder_.fd()) / 2)
    return FileError(folder_.path(), ENOSPC);
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    return FileError(folder_.path(), errno);
  Fresh fresh;
  const std::string unique =
      name + Format(".%016llx", static_cast<unsigned long long>(number)) +
      std::string(kFresh);
  const int fd =
      openat(folder_.fd(), unique.c_str(),
             O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return FileError(folder_.path() + "/" + unique, errno);
  flock(fd, LOCK_EX | LOCK_NB);
  fresh.file_ = File::FromDescriptor(fd, folder_.path() + "/" + unique);
  fresh.name_ = unique;
  fresh.folder_ = folder_.fd();
  return fresh;
}

Status CacheFolder::Keep(Fresh fresh, const std::string& name) const {
  const std::string kept = name + std::string(kKept);
  if (renameat(folder_.fd(), fresh.name_.c_str(), folder_.fd(), kept.c_str()) !=
      0)
    return FileError(folder_.path() + "/" + kept, errno);
  fresh.name_.clear();
  MakeRoom(0);  // it may be larger than it was thought to be
  return Ok();
}

void CacheFolder::Remove(const std::string& name) const {
  unlinkat(folder_.fd(), (name + std::string(kKept)).c_str(), 0);
}

void CacheFolder::MakeRoom(uint64_t bytes) const {
  std::vector<Entry> entries = EntriesOf(folder_.fd());
  uint64_t sum = 0;
  std::erase_if(entries, [&](const Entry& entry) {
    const bool fresh = entry.name.ends_with(kFresh);
    if (fresh && IsLeftOver(folder_.fd(), entry.name, entry.written_ns)) {
      unlinkat(folder_.fd(), entry.name.c_str(), 0);
      return true;
    }
    sum += entry.bytes;
    return fresh;  // somebody writes it
  });
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used_ns < b.used_ns;
  });
  for (const Entry& entry : entries) {
    if (sum <= most_bytes_ && bytes <= most_bytes_ - sum) return;
    unlinkat(folder_.fd(), entry.name.c_str(), 0);
    sum -= entry.bytes;
  }
}

}  // namespace stepscope::server
