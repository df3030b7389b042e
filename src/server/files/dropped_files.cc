// SPDX-License-Identifier: Apache-2.0
#include "server/files/dropped_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "server/http/request_guard.h"

namespace stepscope::server {
namespace {

constexpr size_t kLongestName = 120;

Error Refused(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

bool IsPlain(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-' ||
         c == '+' || c == '=' || c == '(' || c == ')' || c == ' ';
}

// "a.json.gz" as "a (2).json.gz": readers look at endings.
std::string Numbered(const std::string& name, int copy) {
  const size_t dot = std::min(name.find('.', 1), name.size());
  return name.substr(0, dot) + " (" + std::to_string(copy) + ")" +
         name.substr(dot);
}

Status WriteAt(int fd, std::string_view bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t wrote =
        pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return FileError("the dropped file", errno);
    bytes.remove_prefix(static_cast<size_t>(wrote));
    at += static_cast<uint64_t>(wrote);
  }
  return Ok();
}

}  // namespace

std::string HarmlessName(std::string_view name) {
  const size_t slash = name.find_last_of("/\\");
  if (slash != name.npos) name.remove_prefix(slash + 1);
  std::string out;
  for (const char c : name)
    out += IsPlain(static_cast<unsigned char>(c)) ? c : '_';
  // A leading dot hides a file, and its end is what says the format.
  out.erase(0, out.find_first_not_of(". "));
  if (out.size() > kLongestName) out.erase(0, out.size() - kLongestName);
  out.erase(out.find_last_not_of(' ') + 1);
  return out.empty() ? "dropped" : out;
}

DroppedFiles::~DroppedFiles() {
  for (auto& [id, coming] : coming_) close(coming.fd);
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string DroppedFiles::folder() const {
  const std::lock_guard lock(mutex_);
  return folder_;
}

std::string DroppedFiles::PartPath(const std::string& id) const {
  return folder_ + "/." + id;  // hidden, so that no list has it
}

Status DroppedFiles::MakeFolder() {
  if (!folder_.empty()) return Ok();
  const char* const set = secure_getenv("TMPDIR");
  std::string folder = set == nullptr || set[0] == '\0' ? "/tmp" : set;
  folder += "/stepscope-dropped-XXXXXX";  // mkdtemp: for this user alone
  if (mkdtemp(folder.data()) == nullptr) return FileError(folder, errno);
  std::error_code error;
  const auto real = std::filesystem::canonical(folder, error);
  folder_ = error ? folder : real.string();
  return Ok();
}

Result<std::string> DroppedFiles::Begin(const DroppedPart& part) {
  const Clock::time_point now = Clock::now();
  std::vector<std::string> late;
  for (const auto& [id, coming] : coming_)
    if (now - coming.last > limits_.idle) late.push_back(id);
  for (const std::string& id : late) Abandon(id);
  if (part.total == 0) return Refused("the file is empty");
  if (coming_.size() >= limits_.at_once)
    return Refused("other files are on their way; wait until they are here");
  if (coming_.size() + whole_.size() >= limits_.files)
    return Refused("too many files were dropped; start the server anew");
  if (part.total > limits_.bytes - std::min(limits_.bytes, promised_))
    return Refused(
        "the file is too large to be dropped here; give it to stepscope view");
  STEPSCOPE_TRY(MakeFolder());
  struct statvfs disk = {};
  if (statvfs(folder_.c_str(), &disk) != 0) return FileError(folder_, errno);
  const uint64_t room = uint64_t{disk.f_bavail} * disk.f_frsize;
  if (room < limits_.free_bytes || part.total > room - limits_.free_bytes)
    return Refused("the disk of this server has too little room for the file");
  std::string id = MakeToken().substr(0, 32);
  if (id.empty())
    return Fail(ErrorCode::kIo, "the system gives no random numbers");
  const int fd = open(PartPath(id).c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      S_IRUSR | S_IWUSR);
  if (fd < 0) return FileError(PartPath(id), errno);
  coming_[id] = {HarmlessName(part.name), part.total, 0, fd, now};
  promised_ += part.total;
  return id;
}

void DroppedFiles::Abandon(const std::string& id) {
  const auto found = coming_.find(id);
  close(found->second.fd);
  unlink(PartPath(id).c_str());
  promised_ -= found->second.total;
  coming_.erase(found);
}

// The unfinished file appears under its name at once and whole.
Result<std::string> DroppedFiles::Finish(const std::string& id) {
  const Coming& coming = coming_.at(id);
  std::string path = folder_ + "/" + coming.name;
  for (int copy = 2; whole_.contains(path); ++copy)
    path = folder_ + "/" + Numbered(coming.name, copy);
  if (std::rename(PartPath(id).c_str(), path.c_str()) != 0)
    return FileError(path, errno);
  close(coming.fd);
  whole_[path] = coming.total;
  coming_.erase(id);
  return path;
}

Result<DroppedSoFar> DroppedFiles::Add(const DroppedPart& part) {
  const std::lock_guard lock(mutex_);
  std::string id = part.id;
  if (id.empty()) {
    STEPSCOPE_TRY_ASSIGN(id, Begin(part));
  }
  const auto found = coming_.find(id);
  if (found == coming_.end())
    return Fail(ErrorCode::kNotFound,
                "nothing comes under this id; drop the file again");
  Coming& coming = found->second;
  coming.last = Clock::now();
  if (part.at != coming.bytes || part.bytes.empty() ||
      part.bytes.size() > kMostPart ||
      part.bytes.size() > coming.total - coming.bytes) {
    Abandon(id);
    return Refused("a part of the file is missing; drop it again");
  }
  if (const Status wrote = WriteAt(coming.fd, part.bytes, part.at); !wrote) {
    Abandon(id);
    return wrote.error();
  }
  coming.bytes += part.bytes.size();
  DroppedSoFar so_far = {id, coming.bytes, {}};
  if (coming.bytes < coming.total) return so_far;
  Result<std::string> path = Finish(id);
  if (!path) {
    Abandon(id);
    return path.error();
  }
  so_far.path = *std::move(path);
  return so_far;
}

void DroppedFiles::Remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto found = whole_.find(path);
  if (found == whole_.end()) return;
  unlink(path.c_str());
  promised_ -= found->second;
  whole_.erase(found);
}

}  // namespace stepscope::server
