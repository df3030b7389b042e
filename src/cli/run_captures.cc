// SPDX-License-Identifier: Apache-2.0
#include "cli/run_captures.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/file.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLiveEnding = ".sscap.live";
constexpr size_t kBlock = 64 * 1024;

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// "…/stepscope-<pid>-<number>.sscap.live"; 0 if it is named otherwise.
pid_t PidOf(const fs::path& live) {
  const std::string name = live.filename().string();
  constexpr std::string_view kStart = "stepscope-";
  pid_t pid = 0;
  if (name.compare(0, kStart.size(), kStart) == 0)
    std::from_chars(name.data() + kStart.size(), name.data() + name.size(),
                    pid);
  return pid;
}

// True unless it is certain that the process is gone or is another one now.
bool IsInUse(const fs::path& live) {
  const pid_t pid = PidOf(live);
  if (pid <= 0) return true;
  if (kill(pid, 0) != 0 && errno == ESRCH) return false;
  const Result<std::string> maps =
      ReadFile("/proc/" + std::to_string(pid) + "/maps");
  return !maps || maps->empty() || maps->find(live.string()) != maps->npos;
}

bool IsEmpty(std::span<const uint8_t> block) {
  return std::all_of(block.begin(), block.end(),
                     [](uint8_t byte) { return byte == 0; });
}

// A copy of `from` that appears whole at `to` and has holes for zeros.
bool CopySparsely(const std::string& from, const std::string& to) {
  const Result<File> source = File::OpenForReading(from);
  if (!source) return false;
  const Result<uint64_t> size = source->Size();
  const std::string part = to + ".part";
  const int fd =
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0 || !size) return false;
  std::vector<uint8_t> block(kBlock);
  bool good = ftruncate(fd, static_cast<off_t>(*size)) == 0;
  for (uint64_t at = 0; good && at < *size; at += kBlock) {
    const Result<size_t> got = source->ReadAt(at, block);
    good = static_cast<bool>(got);
    if (!good || IsEmpty({block.data(), *got})) continue;
    good = pwrite(fd, block.data(), *got, static_cast<off_t>(at)) ==
           static_cast<ssize_t>(*got);
  }
  good = close(fd) == 0 && good;
  if (good) good = rename(part.c_str(), to.c_str()) == 0;
  if (!good) unlink(part.c_str());
  return good;
}

}  // namespace

std::vector<CaptureFileInfo> CapturesIn(const std::string& folder) {
  std::vector<CaptureFileInfo> captures;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (!EndsWith(path, ".sscap") || !it->is_regular_file(error)) continue;
    CaptureFileInfo info;
    info.name = it->path().filename().string();
    info.bytes = it->file_size(error);
    info.live = fs::is_symlink(path + ".live", error);
    captures.push_back(info);
  }
  std::sort(captures.begin(), captures.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return captures;
}

int AdoptLiveFiles(const std::string& folder) {
  // Captures of one process share a live file.
  std::map<fs::path, std::vector<std::string>> links;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (!EndsWith(path, kLiveEnding) || !it->is_symlink(error)) continue;
    const fs::path target = fs::read_symlink(path, error);
    if (!error && FileExists(target.string()) && !IsInUse(target))
      links[target].push_back(path);
  }
  int moved = 0;
  for (const auto& [target, paths] : links) {
    bool all = true;
    for (const std::string& path : paths) {
      if (CopySparsely(target.string(), path)) {
        ++moved;
      } else {
        all = false;
      }
    }
    if (all) unlink(target.c_str());
  }
  return moved;
}

}  // namespace stepscope
