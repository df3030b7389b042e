// SPDX-License-Identifier: Apache-2.0
#include "cli/dataset/partial_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "importers/capture/live_place.h"

namespace stepscope {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

struct SizeAndTime {
  uint64_t bytes = 0;
  int64_t changed_ns = 0;
};

std::optional<SizeAndTime> Look(const std::string& path) {
  struct stat file = {};
  if (stat(path.c_str(), &file) != 0) return {};
  return SizeAndTime{
      static_cast<uint64_t>(file.st_size),
      int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec};
}

SizeAndTime LookAtBoth(const std::string& path, const SizeAndTime& own) {
  // What a process that still runs, or was killed, left beside its capture.
  const std::optional<SizeAndTime> live = Look(capture::LiveBeside(path));
  if (!live) return own;
  return {own.bytes + live->bytes, std::max(own.changed_ns, live->changed_ns)};
}

Status AddHash(const std::string& path, uint64_t& hash) {
  STEPSCOPE_TRY_ASSIGN(const File file, File::OpenRegular(path));
  std::vector<uint8_t> chunk(kChunk);
  for (uint64_t at = 0;;) {
    STEPSCOPE_TRY_ASSIGN(const size_t size, file.ReadAt(at, chunk));
    const std::string_view text(reinterpret_cast<const char*>(chunk.data()),
                                size);
    hash = MixHash(hash ^ Hash64(text), 0x9e3779b97f4a7c15u) + size;
    at += size;
    if (size < kChunk) return Ok();
  }
}

Result<uint64_t> HashOf(const std::string& path) {
  uint64_t hash = 0;
  STEPSCOPE_TRY(AddHash(path, hash));
  if (const std::string live = capture::LiveBeside(path); !live.empty())
    STEPSCOPE_TRY(AddHash(live, hash));
  return hash;
}

}  // namespace

Result<TraceStamp> StampOf(const std::string& trace_path) {
  const std::optional<SizeAndTime> own = Look(trace_path);
  if (!own) return FileError(trace_path, errno);
  const SizeAndTime both = LookAtBoth(trace_path, *own);
  TraceStamp stamp;
  stamp.name = std::filesystem::path(trace_path).filename().string();
  stamp.bytes = both.bytes;
  stamp.changed_ns = both.changed_ns;
  STEPSCOPE_TRY_ASSIGN(stamp.hash, HashOf(trace_path));
  return stamp;
}

bool HasChanged(const std::string& path, const TraceStamp& stamp) {
  const std::optional<SizeAndTime> own = Look(path);
  if (!own) return false;
  const SizeAndTime now = LookAtBoth(path, *own);
  if (now.bytes != stamp.bytes) return true;
  if (now.changed_ns == stamp.changed_ns) return false;
  const Result<uint64_t> hash = HashOf(path);
  return !hash || *hash != stamp.hash;
}

std::string PartialPathOf(const std::string& trace_path) {
  return trace_path + std::string(kPartialSuffix);
}

}  // namespace stepscope
