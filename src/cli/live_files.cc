// SPDX-License-Identifier: Apache-2.0
#include "cli/live_files.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/file.h"
#include "cli/output.h"
#include "format/live_file.h"

namespace stepscope {
namespace {

// The header of a live file; false: it is none, or not there.
bool ReadHeader(const std::string& path, format::LiveHeader* header) {
  const Result<File> file = File::OpenForReading(path);
  if (!file) return false;
  const Result<size_t> got = file->ReadAt(
      0, {reinterpret_cast<uint8_t*>(header), sizeof(*header)});
  return got && *got == sizeof(*header) &&
         std::memcmp(header->magic, format::kLiveMagic,
                     sizeof(header->magic)) == 0;
}

bool IsRunning(uint32_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

ExitCode Remove(const std::string& path, const std::string& capture) {
  format::LiveHeader header;
  if (path.empty() || !ReadHeader(path, &header)) return kExitOk;
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

ExitCode RemoveLiveFiles(const Trace& trace) {
  for (const Process& process : trace.processes()) {
    const std::string capture(trace.str(process.source));
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
