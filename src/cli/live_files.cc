// SPDX-License-Identifier: Apache-2.0
#include "cli/live_files.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/file.h"
#include "cli/output.h"
#include "format/block.h"
#include "format/live_file.h"

namespace stepscope {
namespace {

// The beginning of a file; false: it is shorter, or not there.
template <typename T>
bool ReadHeader(const std::string& path, T* header) {
  const Result<File> file = File::OpenForReading(path);
  if (!file) return false;
  const Result<size_t> got = file->ReadAt(
      0, {reinterpret_cast<uint8_t*>(header), sizeof(*header)});
  return got && *got == sizeof(*header);
}

// Whether the file is the ring that the capture was recorded into: only then
// was it read.
bool IsLiveOf(const std::string& path, const std::string& capture,
              format::LiveHeader* live) {
  format::FileHeader header;
  return ReadHeader(path, live) && ReadHeader(capture, &header) &&
         std::memcmp(live->magic, format::kLiveMagic, sizeof(live->magic)) ==
             0 &&
         std::memcmp(live->ring_id, header.ring_id, sizeof(live->ring_id)) ==
             0;
}

bool IsRunning(uint32_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

ExitCode Remove(const std::string& path, const std::string& capture) {
  format::LiveHeader header;
  if (path.empty() || !IsLiveOf(path, capture, &header)) return kExitOk;
  if (IsRunning(header.pid)) {
    PrintError("note: " + path + ": kept, process " +
               std::to_string(header.pid) + " still runs");
    return kExitOk;
  }
  // `X.sscap.live` may be a link to a file in memory.
  if (unlink(path.c_str()) != 0)
    return Complain(kExitIo, FileError(path, errno).message,
                    "remove it by hand");
  unlink((capture + ".live").c_str());
  PrintError("note: " + path + ": removed, the process is gone");
  return kExitOk;
}

}  // namespace

ExitCode RemoveLiveFiles(const Trace& trace,
                         const std::vector<std::string>& inputs) {
  for (const Process& process : trace.processes()) {
    const std::string& capture = trace.source_of(process).path;
    // What came through another capture may be older than the live file.
    const bool read = std::any_of(
        inputs.begin(), inputs.end(), [&](const std::string& input) {
          return capture == input || capture.starts_with(input + "/");
        });
    if (!read) continue;
    std::string live;
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == "live_path") live = trace.str(value);
    for (const std::string& path : {live, capture + ".live"})
      if (const ExitCode code = Remove(path, capture); code != kExitOk)
        return code;
  }
  return kExitOk;
}

}  // namespace stepscope
