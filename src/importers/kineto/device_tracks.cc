// SPDX-License-Identifier: Apache-2.0
#include "importers/kineto/device_tracks.h"

#include <stepscope/c.h>

#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace stepscope::json {
namespace {

struct Device {
  StringId type;
  int64_t number = 0;
};

// "/device:GPU:0", also with a core of the chip behind it.
std::optional<Device> DeviceOf(std::string_view process,
                               TraceBuilder& builder) {
  constexpr std::string_view kPrefix = "/device:";
  if (!process.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = process.substr(kPrefix.size());
  const size_t colon = rest.find(':');
  if (colon == 0 || colon == rest.npos) return std::nullopt;
  Device device;
  const char* const last = rest.data() + rest.size();
  if (std::from_chars(rest.data() + colon + 1, last, device.number).ec !=
      std::errc())
    return std::nullopt;
  // A copy: interning may move what the view is of.
  device.type = builder.Intern(std::string(rest.substr(0, colon)));
  return device;
}

// Steps and what is concluded from the streams lie over them, and are no work
// of their own. Only GPUs have streams to conclude operations from.
bool IsStream(std::string_view thread, std::string_view device_type) {
  if (thread == "XLA Ops") return device_type != "GPU";
  return thread.empty() || thread.starts_with("Stream #") ||
         thread.starts_with("stream ");
}

uint16_t WorkType(std::string_view name) {
  if (name.starts_with("Memcpy")) return STEPSCOPE_MEMCPY;
  if (name.starts_with("Memset")) return STEPSCOPE_MEMSET;
  return STEPSCOPE_KERNEL;
}

// The one process that has rows and is no device; none: there are several, or
// nothing was recorded on the host.
std::optional<uint32_t> OnlyHost(
    const std::vector<std::optional<Device>>& devices, TraceBuilder& builder) {
  std::optional<uint32_t> host;
  for (uint32_t i = 0; i < builder.track_count(); ++i) {
    const uint32_t process = builder.track(i).process;
    if (devices[process] || host == process) continue;
    if (host) return std::nullopt;
    host = process;
  }
  return host;
}

void GiveDevicesTo(uint32_t host,
                   const std::vector<std::optional<Device>>& devices,
                   TraceBuilder& builder) {
  for (uint32_t i = 0; i < builder.track_count(); ++i)
    if (devices[builder.track(i).process]) builder.track(i).process = host;
  for (auto i = static_cast<uint32_t>(devices.size()); i-- > 0;) {
    if (!devices[i]) continue;
    const std::string name(builder.strings().view(builder.process(i).name));
    for (const auto& [key, value] : builder.process(i).metadata) {
      const std::string of(builder.strings().view(key));
      builder.process(host).metadata.push_back(
          {builder.Intern(name + ' ' + of), value});
    }
    builder.RemoveProcess(i);
    if (i < host) --host;
  }
}

}  // namespace

void MarkDeviceTracks(TraceBuilder& builder) {
  std::vector<std::optional<Device>> devices(builder.process_count());
  bool any = false;
  for (uint32_t i = 0; i < devices.size(); ++i) {
    const std::string name(builder.strings().view(builder.process(i).name));
    devices[i] = DeviceOf(name, builder);
    any |= devices[i].has_value();
  }
  if (!any) return;
  std::vector<bool> streams(builder.track_count());
  for (uint32_t i = 0; i < streams.size(); ++i) {
    Track& track = builder.track(i);
    const std::optional<Device>& device = devices[track.process];
    if (!device || track.kind != TrackKind::kThread) continue;
    streams[i] = IsStream(builder.strings().view(track.name),
                          builder.strings().view(device->type));
    track.kind = streams[i] ? TrackKind::kStream : TrackKind::kAsync;
    track.device = device->number;
    if (streams[i]) track.device_type = device->type;
  }
  for (Row row = 0; row < builder.event_count(); ++row)
    if (streams[builder.track_of(row)] &&
        builder.type_of(row) == STEPSCOPE_USER_DEFINED)
      builder.SetType(row,
                      WorkType(builder.strings().view(builder.name_of(row))));
  if (const auto host = OnlyHost(devices, builder))
    GiveDevicesTo(*host, devices, builder);
}

}  // namespace stepscope::json
