// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_captures.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "base/file.h"
#include "cli/record/run_fold.h"
#include "cli/record/run_watch.h"
#include "format/live_file.h"
#include "importers/capture/live_place.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCaptureEnding = ".sscap";
constexpr std::string_view kLiveEnding = ".live";

// Nothing if it is no live file, or none yet.
std::optional<format::LiveHeader> ReadHeader(const fs::path& live) {
  const Result<File> file =
      File::OpenRegularAt(AT_FDCWD, live.string(), live.string(), O_RDONLY);
  format::LiveHeader header;
  const Result<size_t> got =
      file ? file->ReadAt(0,
                          {reinterpret_cast<uint8_t*>(&header), sizeof(header)})
           : Result<size_t>(0);
  if (!got || *got < sizeof(header) ||
      std::memcmp(header.magic, format::kLiveMagic, sizeof(header.magic)) != 0)
    return std::nullopt;
  return header;
}

// Who records into the live file; 0 if it is none.
pid_t PidOfLive(const fs::path& live) {
  const std::optional<format::LiveHeader> header = ReadHeader(live);
  return header ? static_cast<pid_t>(header->pid) : 0;
}

// The kernel grants this to the only one who has a file open.
bool IsOpenElsewhere(const fs::path& path) {
  const Result<File> file =
      File::OpenRegularAt(AT_FDCWD, path.string(), path.string(), O_RDWR);
  // The lease goes with the file.
  return !file || fcntl(file->fd(), F_SETLEASE, F_WRLCK) != 0;
}

// The number may belong to another program by now, or to another process.
bool IsMappedBy(const fs::path& live, pid_t pid) {
  const Result<std::string> maps =
      ReadFile("/proc/" + std::to_string(pid) + "/maps");
  return !maps || maps->empty() || maps->find(live.string()) != maps->npos;
}

std::string CommandOf(pid_t pid) {
  const Result<std::string> text =
      ReadFile("/proc/" + std::to_string(pid) + "/cmdline");
  std::string command = text ? *text : "";
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::replace(command.begin(), command.end(), '\0', ' ');
  return command;
}

// The captures of the folder by the live file that they are recorded into: one
// process may have several.
std::map<fs::path, std::vector<std::string>> LiveFilesIn(
    const std::string& folder) {
  std::map<fs::path, std::vector<std::string>> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = it->path().string();
    if (!path.ends_with(std::string(kCaptureEnding) + std::string(kLiveEnding)))
      continue;
    const std::string capture =
        path.substr(0, path.size() - kLiveEnding.size());
    // A link that leads nowhere is what is left to remove.
    const std::string live = capture::LiveBeside(capture);
    std::error_code ignored;
    if (!live.empty())
      found[live].push_back(capture);
    else if (it->is_symlink(ignored) && !FileExists(path))
      found[path].push_back(capture);
  }
  return found;
}

}  // namespace

std::vector<CaptureFileInfo> CapturesIn(const std::string& folder) {
  std::vector<CaptureFileInfo> captures;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (!it->path().string().ends_with(kCaptureEnding) ||
        !it->is_regular_file(ignored))
      continue;
    captures.push_back(
        {it->path().filename().string(), it->file_size(ignored)});
  }
  std::sort(captures.begin(), captures.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return captures;
}

int RemoveEmptyLiveFiles(const std::string& live_folder) {
  return RemoveEmptyLiveFiles(live_folder,
                              [](pid_t pid) { return IsRunning(pid); });
}

int RemoveEmptyLiveFiles(const std::string& live_folder,
                         const std::function<bool(pid_t)>& runs) {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator it(live_folder, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with("stepscope-") || !name.ends_with(".sscap.live"))
      continue;
    // What is in it is asked last, when nobody can add to it any more: a
    // process may begin, record and end while we look.
    if (IsOpenElsewhere(it->path())) continue;
    if (runs(PidOfLive(it->path()))) continue;
    // No event is recorded before its name.
    const std::optional<format::LiveHeader> header = ReadHeader(it->path());
    if (header && header->names_used != 0) continue;
    if (unlink(it->path().c_str()) == 0) ++removed;
  }
  return removed;
}

LiveCaptures FoldLiveFiles(const std::string& folder, const std::string& run_id,
                           const std::function<std::string(pid_t)>& ended) {
  LiveCaptures result;
  for (const auto& [live, captures] : LiveFilesIn(folder)) {
    if (FactOfCapture(captures[0], "run") != run_id) continue;
    std::error_code ignored;
    const bool there = fs::is_regular_file(fs::symlink_status(live, ignored));
    const pid_t pid = there ? PidOfLive(live)
                            : PidOfCapture(fs::path(captures[0]).filename());
    if (pid <= 0) continue;  // not made yet, or nothing of ours
    const bool running = IsRunning(pid);
    if (running && (!there || IsMappedBy(live, pid))) {
      if (there) result.running.push_back({pid, CommandOf(pid), live.string()});
      continue;
    }
    bool all = true;
    for (const std::string& capture : captures) {
      CaptureEnding ending = {pid, "", running ? "exec" : ended(pid), ""};
      if (there) {
        ending.command = FactOfCapture(capture, "command");
        const Result<uint64_t> folded =
            FoldLiveFile(capture, live.string(), ending.ended);
        if (!folded) ending.error = folded.error().message;
      }
      all = all && ending.error.empty();
      // Beside the capture it is the live file itself.
      const std::string beside = capture + std::string(kLiveEnding);
      if (ending.error.empty() && (live != beside || !there))
        unlink(beside.c_str());
      if (there) result.ended.push_back(std::move(ending));
    }
    if (all && there) unlink(live.c_str());
  }
  return result;
}

}  // namespace stepscope
