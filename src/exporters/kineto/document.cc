// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/document.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/json_check.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/key_set.h"
#include "exporters/chrome/time_base.h"

namespace stepscope::kineto {
namespace {

// What our recorder says of a process, and no user.
constexpr std::string_view kOfRecorder[] = {"stepscope",
                                            "live_path",
                                            "host",
                                            "kernel",
                                            "machine",
                                            "boot_id",
                                            "pid",
                                            "pid_start",
                                            "exe",
                                            "cpus",
                                            "rank",
                                            "local_rank",
                                            "world_size",
                                            "job",
                                            "injected",
                                            "run",
                                            "command",
                                            "flight_steps",
                                            "process_labels",
                                            "torch.profiler"};

// Texts, whatever they look like.
constexpr std::string_view kTexts[] = {"traceName", "displayTimeUnit",
                                       "trace_id", "host_name"};

bool IsAmong(std::span<const std::string_view> list, std::string_view key) {
  return std::find(list.begin(), list.end(), key) != list.end();
}

bool IsOfRecorder(std::string_view key) {
  return IsAmong(kOfRecorder, key) || key.starts_with("absent_") ||
         key.starts_with("unprofiled_") || key.starts_with("clock");
}

// Our recorder's facts about devices, in the order that Kineto has them.
struct Property {
  std::string_view kineto;
  std::string_view ours;
};
constexpr Property kProperties[] = {
    {"computeMajor", "compute capability major"},
    {"computeMinor", "compute capability minor"},
    {"numSms", "multiprocessors"},
    {"regsPerMultiprocessor", "registers per multiprocessor"},
    {"sharedMemPerMultiprocessor", "shared memory per multiprocessor"},
    {"totalGlobalMem", "memory bytes"},
    {"warpSize", "warp threads"},
};

// "GPU0.multiprocessors" is of device 0.
bool SplitDeviceKey(std::string_view key, int64_t& device,
                    std::string_view& fact) {
  if (!key.starts_with("GPU")) return false;
  const size_t dot = key.find('.');
  if (dot == key.npos || dot == 3) return false;
  device = 0;
  for (const char c : key.substr(3, dot - 3)) {
    if (c < '0' || c > '9' || device > 9999) return false;
    device = device * 10 + (c - '0');
  }
  fact = key.substr(dot + 1);
  return true;
}

std::string DeviceProperties(const Trace& trace) {
  std::map<int64_t, std::map<std::string_view, std::string_view>> devices;
  for (const Process& process : trace.processes()) {
    for (const auto& [key, value] : process.metadata) {
      int64_t device = 0;
      std::string_view fact;
      if (SplitDeviceKey(trace.str(key), device, fact))
        devices[device].emplace(fact, trace.str(value));
    }
  }
  std::string out = "[";
  for (const auto& [device, facts] : devices) {
    if (out.back() != '[') out += ", ";
    out += "{\"id\": " + std::to_string(device) + ", ";
    const auto name = facts.find("name");
    chrome::AppendTextField(out, "name",
                            name == facts.end() ? "" : name->second);
    for (const Property& property : kProperties) {
      const auto fact = facts.find(property.ours);
      if (fact == facts.end() || CheckJson(fact->second) != JsonKind::kNumber)
        continue;
      out += ", \"";
      out += property.kineto;
      out += "\": ";
      out += fact->second;
    }
    out += '}';
  }
  return out + "]";
}

class Members {
 public:
  void Add(std::string_view key, std::string_view json) {
    std::string escaped;
    AppendJsonEscaped(escaped, key);
    if (keys_.Contains(escaped)) return;
    text_ += '"';
    text_ += keys_.Add(escaped);
    text_ += "\": ";
    text_ += json;
    text_ += ",\n";
  }
  // As JSON where it is some; texts of the file lost their quotes when it was
  // read.
  void AddStated(std::string_view key, std::string_view value) {
    if (!IsAmong(kTexts, key) && CheckJson(value) != JsonKind::kInvalid)
      return Add(key, value);
    std::string text;
    AppendJsonString(text, value);
    Add(key, text);
  }
  std::string Take() { return std::move(text_); }

 private:
  chrome::KeySet keys_;
  std::string text_;
};

// What our importer needs to find the same trace.
std::string OwnFacts(const Trace& trace, const Form& form) {
  const auto since_base = [&](int64_t ns) {
    return chrome::Since(chrome::Plus(ns, trace.epoch_ns()), form.base_ns);
  };
  std::string out = "{\"version\": \"" STEPSCOPE_VERSION "\", ";
  chrome::AppendTextField(out, "format", trace.format());
  out += ", \"epochKnown\": ";
  out += trace.clock().epoch_known ? "true" : "false";
  out += ", \"windowBegin\": ";
  chrome::AppendInt(out, since_base(trace.begin_ns()));
  out += ", \"windowEnd\": ";
  chrome::AppendInt(out, since_base(trace.end_ns()));
  out += ", \"complete\": ";
  out += trace.complete() ? "true}" : "false}";
  return out;
}

void AddMetadata(Members& members, const Trace& trace, const Form& form) {
  if (trace.processes().empty()) return;
  const Process& process = trace.processes()[0];
  for (const auto& [name, value] : process.metadata) {
    const std::string_view key = trace.str(name);
    int64_t device = 0;
    std::string_view fact;
    if (key == "stepscope" || key == "process_labels") continue;
    if (!form.from_kineto &&
        (IsOfRecorder(key) || SplitDeviceKey(key, device, fact)))
      continue;
    members.AddStated(key, trace.str(value));
  }
  if (!form.from_kineto && process.rank >= 0) {
    std::string info = "{\"rank\": " + std::to_string(process.rank);
    const std::string_view world = MetadataOf(trace, "world_size");
    if (CheckJson(world) == JsonKind::kNumber)
      info += ", \"world_size\": " + std::string(world);
    members.Add("distributedInfo", info + "}");
  }
}

}  // namespace

std::string Head(const Trace& trace, const Form& form,
                 const ExportOptions& options) {
  Members members;
  members.Add("schemaVersion", "1");
  if (!form.from_kineto && MetadataOf(trace, "deviceProperties").empty())
    members.Add("deviceProperties", DeviceProperties(trace));
  if (form.states_base)
    members.Add("baseTimeNanoseconds", std::to_string(form.base_ns));
  AddMetadata(members, trace, form);
  if (!form.from_kineto) {
    members.Add("displayTimeUnit", "\"ms\"");
    if (!options.path.empty()) members.AddStated("traceName", options.path);
  }
  members.Add("stepscope", OwnFacts(trace, form));
  return "{\n" + members.Take() + "\"traceEvents\": [\n";
}

}  // namespace stepscope::kineto
