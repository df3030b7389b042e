// SPDX-License-Identifier: Apache-2.0
#include "query/staging.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "/_lock";
constexpr const char* kSource = "/source";
constexpr size_t kHashDigits = 16;

// Of two writers in one process, too.
std::string OwnSuffix() {
  static std::atomic<uint32_t> count = 0;
  return "." + std::to_string(getpid()) + "." + std::to_string(count++);
}

}  // namespace

Result<FileLock> FileLock::Wait(const std::string& path) {
  STEPSCOPE_TRY_ASSIGN(File file, File::OpenRegularAt(AT_FDCWD, path, path,
                                                      O_RDWR | O_CREAT, 0666));
  while (flock(file.fd(), LOCK_EX) != 0)
    if (errno != EINTR) return FileError(path, errno);
  return FileLock(std::move(file));
}

FileLock FileLock::Try(const std::string& path) {
  Result<File> file =
      File::OpenRegularAt(AT_FDCWD, path, path, O_RDWR | O_CREAT, 0666);
  if (!file || flock(file->fd(), LOCK_EX | LOCK_NB) != 0)
    return FileLock(File());
  return FileLock(*std::move(file));
}

Staging::Staging(const std::string& dataset)
    : dataset_(dataset),
      folder_(dataset + "/_staging"),
      sources_(ReadSources()) {}

// A line with the state; the rest is the path.
std::map<std::pair<std::string, std::string>, std::string>
Staging::ReadSources() const {
  std::map<std::pair<std::string, std::string>, std::string> sources;
  for (const std::string& hash : Written()) {
    const Result<std::string> text = ReadRegularFile(FolderOf(hash) + kSource);
    if (!text) continue;
    const size_t end = text->find('\n');
    if (end == std::string::npos || end == 0) continue;
    sources[{text->substr(end + 1), text->substr(0, end)}] = hash;
  }
  return sources;
}

std::string Staging::MadeOf(const std::string& path,
                            const std::string& state) const {
  const auto found = sources_.find({path, state});
  return found == sources_.end() || !Has(found->second) ? "" : found->second;
}

Result<FileLock> Staging::LockAll() const {
  return FileLock::Wait(dataset_ + kLock);
}

std::string Staging::FolderOf(const std::string& hash) const {
  return folder_ + "/" + hash;
}

bool Staging::Has(const std::string& hash) const {
  return IsDirectory(FolderOf(hash));
}

std::vector<std::string> Staging::Written() const {
  std::vector<std::string> hashes;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.size() == kHashDigits) hashes.push_back(name);
  }
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

// Nobody cleans up between the making and the lock.
Result<FileLock> Staging::MakeLocked(const std::string& path) const {
  STEPSCOPE_TRY_ASSIGN(const FileLock all, LockAll());
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return FileError(path, error.value());
  return FileLock::Wait(path + kLock);
}

Status Staging::Write(std::shared_ptr<const Trace> trace,
                      const SourceFile& source) {
  const std::string hash = source.fingerprint.hex();
  const std::string own = FolderOf(hash) + OwnSuffix();
  std::error_code error;
  STEPSCOPE_TRY_ASSIGN(const FileLock lock, MakeLocked(own));
  Status status = WriteParts(std::move(trace), source, own);
  if (status)
    status = ReplaceFile(own + kSource, source.state + "\n" + source.path);
  if (status) {
    fs::rename(own, FolderOf(hash), error);
    if (!error) return Ok();
    // Another writer was first with the same source.
    if (!Has(hash)) return FileError(FolderOf(hash), error.value());
  }
  fs::remove_all(own, error);
  return status;
}

void Staging::Remove(const std::string& hash) const {
  std::error_code error;
  fs::remove_all(FolderOf(hash), error);
}

void Staging::Clean() const {
  std::error_code error;
  std::vector<fs::path> half;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end;
       it.increment(error))
    if (it->path().filename().string().size() != kHashDigits)
      half.push_back(it->path());
  for (const fs::path& path : half) {
    const FileLock lock = FileLock::Try(path.string() + kLock);
    if (lock.held()) fs::remove_all(path, error);
  }
  fs::remove(folder_, error);  // fails unless it is empty
}

}  // namespace stepscope
