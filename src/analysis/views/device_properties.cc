// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/device_properties.h"

#include <charconv>
#include <string_view>

#include "base/json_fragment.h"

namespace stepscope {
namespace {

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  return value;
}

std::string QuotedText(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return {};
  return std::string(text.substr(1, text.size() - 2));
}

// Both halves, as they come.
struct Capability {
  std::optional<int64_t> major;
  std::optional<int64_t> minor;

  std::string Text() const {
    if (!major) return {};
    return std::to_string(*major) + "." + std::to_string(minor.value_or(0));
  }
};

std::optional<DeviceProperties> OfObject(std::string_view members,
                                         int64_t device) {
  DeviceProperties found;
  Capability capability;
  std::optional<int64_t> id;
  ForEachJsonMember(members, [&](std::string_view key, std::string_view text) {
    if (key == "id") id = NumberIn(text);
    if (key == "name") found.name = QuotedText(text);
    if (key == "totalGlobalMem") found.memory_bytes = NumberIn(text);
    if (key == "numSms" || key == "smCount")
      found.multiprocessors = NumberIn(text);
    if (key == "computeMajor") capability.major = NumberIn(text);
    if (key == "computeMinor") capability.minor = NumberIn(text);
    return true;
  });
  if (id != device) return std::nullopt;
  found.capability = capability.Text();
  return found;
}

std::optional<DeviceProperties> OfList(std::string_view list, int64_t device) {
  std::optional<DeviceProperties> found;
  ForEachJsonItem(list, [&](std::string_view object) {
    const size_t close = object.rfind('}');
    if (!found && object.starts_with('{') && close != object.npos)
      found = OfObject(object.substr(1, close - 1), device);
  });
  return found;
}

}  // namespace

DeviceProperties FindDeviceProperties(const Trace& trace,
                                      const Process& process,
                                      std::string_view type, int64_t device) {
  const std::string prefix =
      (type.empty() ? "GPU" : std::string(type)) + std::to_string(device) + ".";
  DeviceProperties found;
  Capability capability;
  for (const auto& [key, value] : process.metadata) {
    std::string_view what = trace.str(key);
    const std::string_view text = trace.str(value);
    if (what == "deviceProperties") {
      if (auto of_list = OfList(text, device)) return *of_list;
      continue;
    }
    if (!what.starts_with(prefix)) continue;
    what.remove_prefix(prefix.size());
    if (what == "name") found.name = text;
    if (what == "multiprocessors") found.multiprocessors = NumberIn(text);
    if (what == "memory") found.memory_bytes = NumberIn(text);
    if (what == "compute capability major") capability.major = NumberIn(text);
    if (what == "compute capability minor") capability.minor = NumberIn(text);
  }
  found.capability = capability.Text();
  return found;
}

}  // namespace stepscope
