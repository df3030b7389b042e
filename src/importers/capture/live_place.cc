// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/live_place.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "format/live_file.h"

namespace stepscope::capture {
namespace {

constexpr std::string_view kEnding = ".live";
constexpr const char* kMemory = "/dev/shm/";

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// What the link at `path` leads to; "" if it is not a link.
std::string TargetOf(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t n = readlink(path.c_str(), target, sizeof(target));
  return std::string(target, n > 0 ? static_cast<size_t>(n) : 0);
}

bool IsOfRing(const File& live, const format::FileHeader& capture) {
  format::LiveHeader header;
  const Result<size_t> got =
      live.ReadAt(0, {reinterpret_cast<uint8_t*>(&header), sizeof(header)});
  return got && *got == sizeof(header) &&
         std::memcmp(header.magic, format::kLiveMagic, sizeof(header.magic)) ==
             0 &&
         header.version == format::kLiveVersion &&
         std::memcmp(header.ring_id, capture.ring_id, sizeof(header.ring_id)) ==
             0;
}

}  // namespace

std::vector<std::string> LivePlaces(const std::string& capture,
                                    std::string_view stated) {
  std::vector<std::string> places;
  std::string link;
  if (!capture.empty()) {
    places.push_back(capture + std::string(kEnding));
    link = TargetOf(places[0]);
  }
  for (const std::string_view path : {std::string_view(link), stated}) {
    const std::string name(NameOf(path));
    if (!name.ends_with(kEnding) || name.find('\0') != name.npos) continue;
    if (!capture.empty())
      places.push_back(capture.substr(0, capture.rfind('/') + 1) + name);
    const char* const chosen = secure_getenv("STEPSCOPE_LIVE_DIR");
    if (chosen != nullptr && chosen[0] != '\0')
      places.push_back(std::string(chosen) + "/" + name);
    places.push_back(kMemory + name);
  }
  return places;
}

std::string LiveBeside(const std::string& capture) {
  for (const std::string& place : LivePlaces(capture, "")) {
    struct stat status = {};
    if (lstat(place.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      return place;
  }
  return "";
}

std::optional<File> OpenLive(const File& capture,
                             const format::FileHeader& header,
                             std::span<const std::string> places,
                             bool confined) {
  struct stat own = {};
  if (fstat(capture.fd(), &own) != 0) return std::nullopt;
  for (const std::string& place : places) {
    Result<File> live =
        confined ? File::OpenWithoutLinks(place)
                 : File::OpenRegularAt(AT_FDCWD, place, place, O_RDONLY);
    struct stat status = {};
    if (!live || fstat(live->fd(), &status) != 0) continue;
    const bool ours = status.st_uid == own.st_uid || status.st_uid == geteuid();
    if (ours && IsOfRing(*live, header)) return *std::move(live);
  }
  return std::nullopt;
}

bool IsBeingRecorded(const File& live) {
  format::LiveHeader header;
  const Result<size_t> got =
      live.ReadAt(0, {reinterpret_cast<uint8_t*>(&header), sizeof(header)});
  if (!got || *got != sizeof(header)) return false;
  const auto pid = static_cast<pid_t>(header.pid);
  if (pid <= 0 || (kill(pid, 0) != 0 && errno != EPERM)) return false;
  // The number may be another program's by now. Of other people's processes,
  // no more is known.
  const Result<std::string> maps =
      ReadFile("/proc/" + std::to_string(pid) + "/maps");
  return !maps || maps->find(live.path()) != maps->npos;
}

bool IsBeingRecorded(const std::string& path) {
  struct stat beside = {};
  if (lstat((path + std::string(kEnding)).c_str(), &beside) != 0) return false;
  const Result<File> capture = File::OpenWithoutLinks(path);
  format::FileHeader header;
  if (!capture) return false;
  const Result<size_t> got =
      capture->ReadAt(0, {reinterpret_cast<uint8_t*>(&header), sizeof(header)});
  if (!got || *got != sizeof(header)) return false;
  const std::optional<File> live =
      OpenLive(*capture, header, LivePlaces(path, ""), /*confined=*/true);
  return live && IsBeingRecorded(*live);
}

}  // namespace stepscope::capture
