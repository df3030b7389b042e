// SPDX-License-Identifier: Apache-2.0
#include "cli/record/live_files.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "cli/frame/output.h"
#include "format/block.h"
#include "format/live_file.h"
#include "importers/capture/live_place.h"

namespace stepscope {
namespace {

template <typename T>
bool ReadHeader(const File& file, T* header) {
  const Result<size_t> got =
      file.ReadAt(0, {reinterpret_cast<uint8_t*>(header), sizeof(*header)});
  return got && *got == sizeof(*header);
}

// The ring that the capture was recorded into: only then was it read.
std::optional<File> LiveOf(const std::string& path, std::string_view stated) {
  const Result<File> capture = File::OpenRegular(path);
  format::FileHeader header;
  if (!capture || !ReadHeader(*capture, &header)) return std::nullopt;
  return capture::OpenLive(*capture, header, capture::LivePlaces(path, stated));
}

bool IsRunning(uint32_t pid) {
  return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
}

ExitCode Remove(const File& live, const std::string& capture) {
  const std::string& path = live.path();
  format::LiveHeader header;
  if (!ReadHeader(live, &header)) return kExitOk;
  if (IsRunning(header.pid)) {
    PrintError("note: " + path + ": kept, process " +
               std::to_string(header.pid) + " still runs");
    return kExitOk;
  }
  if (unlink(path.c_str()) != 0)
    return Complain(kExitIo, FileError(path, errno).message,
                    "remove it by hand");
  // The link to it, where it is elsewhere.
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
    std::string stated;
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == "live_path") stated = trace.str(value);
    if (const std::optional<File> live = LiveOf(capture, stated); live)
      if (const ExitCode code = Remove(*live, capture); code != kExitOk)
        return code;
  }
  return kExitOk;
}

}  // namespace stepscope
