// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/device_peaks.h"

#include <charconv>
#include <string_view>

#include "analysis/raw_member.h"

namespace stepscope {
namespace {

struct Known {
  std::string_view name;  // part of the device's
  double float32;
  double tensor;
  bool half;
};

// From the makers' data sheets. The longer of two similar names comes first.
constexpr Known kDevices[] = {
    {"GB200", 80, 1250, false},     {"B200", 75, 1125, false},
    {"B100", 60, 875, false},       {"H100 PCIe", 51, 378, false},
    {"H100", 67, 494, false},       {"H200", 67, 494, false},
    {"H800", 67, 494, false},       {"H20", 44, 74, false},
    {"GH200", 67, 494, false},      {"A100", 19.5, 156, false},
    {"A800", 19.5, 156, false},     {"A30", 10.3, 82, false},
    {"A40", 37.4, 74.8, false},     {"A10G", 31.5, 35, false},
    {"A10", 31.2, 62.5, false},     {"A6000", 38.7, 77.4, false},
    {"L40S", 91.6, 183, false},     {"L40", 90.5, 90.5, false},
    {"L4", 30.3, 60, false},        {"4090", 82.6, 82.6, false},
    {"3090", 35.6, 35.6, false},    {"V100", 15.7, 125, true},
    {"T4", 8.1, 65, true},          {"2080", 13.4, 53.8, true},
    {"MI300", 163.4, 653.7, false}, {"MI250", 47.9, 383, true},
};

// By generation, where the name is not known.
DevicePeaks OfGeneration(int major, int minor) {
  DevicePeaks peaks;
  if (major >= 10)
    peaks.float32 = 75, peaks.tensor = 1125;
  else if (major == 9)
    peaks.float32 = 67, peaks.tensor = 494;
  else if (major == 8 && minor == 0)
    peaks.float32 = 19.5, peaks.tensor = 156;
  else if (major == 8)
    peaks.float32 = 35, peaks.tensor = 70;
  else if (major == 7)
    peaks.float32 = 15.7, peaks.tensor = 110, peaks.half = true;
  return peaks;
}

int NumberMember(std::string_view object, std::string_view key) {
  const std::string_view text = RawMember(object, key);
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

DevicePeaks PeaksOf(std::string_view name, int major, int minor) {
  DevicePeaks peaks = OfGeneration(major, minor);
  for (const Known& known : kDevices) {
    if (name.find(known.name) == name.npos) continue;
    peaks.float32 = known.float32;
    peaks.tensor = known.tensor;
    peaks.half = known.half;
    break;
  }
  peaks.device = name;
  return peaks;
}

// As torch and Paddle write it: a list of objects.
DevicePeaks OfProperties(std::string_view list) {
  const size_t open = list.find('{');
  if (open == list.npos) return {};
  const std::string_view members = list.substr(open + 1);
  std::string_view name = RawMember(members, "name");
  if (name.size() >= 2) name = name.substr(1, name.size() - 2);
  return PeaksOf(name, NumberMember(members, "computeMajor"),
                 NumberMember(members, "computeMinor"));
}

// As captures have it: "GPU0.name" and "GPU0.compute capability major".
DevicePeaks OfCapture(const Trace& trace, const Process& process) {
  std::string_view name;
  int major = 0;
  int minor = 0;
  for (const auto& [key, value] : process.metadata) {
    const std::string_view what = trace.str(key);
    const std::string_view text = trace.str(value);
    if (!what.starts_with("GPU")) continue;
    const auto number = [&](int& target) {
      std::from_chars(text.data(), text.data() + text.size(), target);
    };
    if (what.ends_with(".name")) name = text;
    if (what.ends_with(".compute capability major")) number(major);
    if (what.ends_with(".compute capability minor")) number(minor);
  }
  return name.empty() ? DevicePeaks{} : PeaksOf(name, major, minor);
}

}  // namespace

DevicePeaks FindDevicePeaks(const Trace& trace) {
  for (const Process& process : trace.processes()) {
    DevicePeaks peaks = OfCapture(trace, process);
    for (const auto& [key, value] : process.metadata)
      if (trace.str(key) == "deviceProperties")
        peaks = OfProperties(trace.str(value));
    if (!peaks.device.empty()) return peaks;
  }
  return {};
}

}  // namespace stepscope
