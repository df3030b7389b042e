// SPDX-License-Identifier: Apache-2.0
//
// The part of PaddleTree that reads what is no event: operators' supplements,
// extra information and device properties.
#include <stepscope/c.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/json_text.h"
#include "importers/paddle/fields.h"
#include "importers/paddle/tree.h"
#include "trace/event_type.h"
#include "trace/kind_names.h"

namespace stepscope::proto::paddle {
namespace {

bool ParseDouble(std::string_view text, double* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size() &&
         std::isfinite(*out) && *out >= 0;
}

bool ParseId(std::string_view text, int64_t* out) {
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), *out);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsThread(std::string_view key) {
  int64_t id = 0;
  const size_t colon = key.find(':');
  if (colon == key.npos) return ParseId(key, &id);
  return ParseId(key.substr(0, colon), &id) &&
         ParseId(key.substr(colon + 1), &id);
}

// {"key": [value, ...], ...} of {key 1 repeated, {value 1 repeated} 2
// repeated}.
template <typename Append>
std::string MapOfListsAsJson(Bytes map, Append append_value) {
  std::vector<std::string_view> keys;
  Message keys_of(map);
  while (keys_of.Next())
    if (keys_of.tag() == Delimited(1)) keys.push_back(keys_of.text());
  std::string json = "{";
  size_t index = 0;
  Message values(map);
  while (values.Next()) {
    if (values.tag() != Delimited(2)) continue;
    if (index > 0) json += ',';
    AppendJsonString(json, index < keys.size() ? keys[index] : "",
                     InvalidUtf8::kKeep);
    json += ":[";
    bool first = true;
    Message list(values.bytes());
    while (list.Next()) {
      if (list.tag() != Delimited(1)) continue;
      if (!first) json += ',';
      first = false;
      append_value(json, list);
    }
    json += ']';
    ++index;
  }
  return json + "}";
}

void AppendDims(std::string& json, Bytes shape) {
  json += '[';
  bool first = true;
  Message message(shape);
  while (message.Next()) {
    if (message.tag() != Varint(1) && message.tag() != Delimited(1)) continue;
    ForEachVarint(message, [&](uint64_t size) {
      if (!first) json += ',';
      first = false;
      json += std::to_string(static_cast<int64_t>(size));
    });
  }
  json += ']';
}

// `types`: "Forward,Backward". Our exporter says so, as trees have no flags.
void MarkInferred(TraceBuilder& builder, std::string_view types) {
  std::array<bool, STEPSCOPE_PYTHON_USER_DEFINED + 1> inferred{};
  while (!types.empty()) {
    const size_t comma = std::min(types.find(','), types.size());
    const auto type = EventTypeByName(types.substr(0, comma));
    if (type && *type < inferred.size()) inferred[*type] = true;
    types.remove_prefix(std::min(comma + 1, types.size()));
  }
  for (Row row = 0; row < builder.event_count(); ++row) {
    const uint16_t type = builder.type_of(row);
    if (type < inferred.size() && inferred[type])
      builder.AddFlags(row, kEventInferred);
  }
}

}  // namespace

std::string ShapesAsJson(Bytes shapes) {
  return MapOfListsAsJson(shapes, [](std::string& json, const Message& dims) {
    AppendDims(json, dims.bytes());
  });
}

std::string DtypesAsJson(Bytes dtypes) {
  return MapOfListsAsJson(dtypes, [](std::string& json, const Message& dtype) {
    AppendJsonString(json, dtype.text(), InvalidUtf8::kKeep);
  });
}

void PaddleTree::ReadSupplement(Bytes event, Row row, bool cut) {
  if (cut || row == kNoRow) {
    out_.Reject(cut ? kCutShort : "supplement of no event", event.data());
    return;
  }
  TraceBuilder& builder = out_.builder();
  const auto json = [&](std::string_view key, const std::string& text) {
    if (text == "{}") return;
    Arg arg;
    arg.row = row;
    arg.key = out_.Intern(key);
    arg.kind = ArgKind::kJson;
    arg.text = out_.Intern(text);
    builder.AddArg(arg);
  };
  Message message(event);
  while (message.Next()) {
    switch (message.tag()) {
      case kSupplementOp:
        builder.AddText(row, "op_type", message.text());
        break;
      case kSupplementShapes:
        json("input_shapes", ShapesAsJson(message.bytes()));
        break;
      case kSupplementDtypes:
        json("input_dtypes", DtypesAsJson(message.bytes()));
        break;
      case kSupplementCallstack:
        if (!message.text().empty())
          builder.AddText(row, "callstack", message.text());
        break;
      case kSupplementId:
        builder.AddInt(row, "op_id", message.sint());
        break;
      default:
        break;  // its time and place are the event's
    }
  }
  if (message.ok()) {
    out_.Keep();
  } else {
    out_.Repair("supplement read in part", event.data());
  }
}

void PaddleTree::ReadExtraInfo(Bytes info) {
  std::string key;
  std::string value;
  Message message(info);
  while (message.Next()) {
    if (message.tag() == kMapKey) key = message.text();
    if (message.tag() == kMapValue) value = message.text();
  }
  if (key == "Not Measured")
    stated_peaks_ = value.find("Peak Memory") == value.npos;
  extra_.emplace_back(std::move(key), std::move(value));
}

void PaddleTree::ReadDeviceProperty(Bytes property) {
  std::string json = "{";
  Message message(property);
  while (message.Next()) {
    const uint32_t number = message.number();
    if (number >= std::size(kDevicePropertyKeys)) continue;
    const bool text = message.tag() == Delimited(number);
    if (!text && message.tag() != Varint(number)) continue;
    if (json.size() > 1) json += ',';
    AppendJsonString(json, kDevicePropertyKeys[number]);
    json += ':';
    if (text) {
      AppendJsonString(json, message.text(), InvalidUtf8::kKeep);
    } else {
      json += std::to_string(message.value());
    }
  }
  device_properties_ += device_properties_.empty() ? "[" : ",";
  device_properties_ += json + "}";
}

// What the file says of all processes; as a rule there is one.
void PaddleTree::FinishProcesses() {
  TraceBuilder& builder = out_.builder();
  CpuUsage usage;
  std::string_view not_measured;  // as our exporter says it
  for (const auto& [key, value] : extra_) {
    if (key == "Process Cpu Utilization") ParseDouble(value, &usage.process);
    if (key == "System Cpu Utilization") ParseDouble(value, &usage.system);
    if (key == "Inferred Types") MarkInferred(builder, value);
    if (key == "Not Measured") not_measured = value;
  }
  if (not_measured.find("Process") != not_measured.npos) usage.process = -1;
  if (not_measured.find("System") != not_measured.npos) usage.system = -1;
  builder.MergeCpuUsage(usage);
  for (const auto& [pid, index] : processes_) {
    auto& metadata = builder.process(index).metadata;
    const auto add = [&](std::string_view key, std::string_view value) {
      metadata.emplace_back(builder.Intern(key), builder.Intern(value));
    };
    add("schemaVersion", version_);
    add("span_indx", std::to_string(span_index_));
    if (!device_properties_.empty())
      add("deviceProperties", device_properties_ + "]");
    for (const auto& [key, value] : extra_)
      if (!IsThread(key)) add(key, value);
  }
  for (const auto& [key, value] : extra_)
    if (IsThread(key)) NameThread(key, value);
}

// "tid", or "pid:tid" of our exporter.
void PaddleTree::NameThread(std::string_view key, std::string_view name) {
  TraceBuilder& builder = out_.builder();
  const size_t colon = key.find(':');
  int64_t id = 0;
  ParseId(colon == key.npos ? key : key.substr(colon + 1), &id);
  const StringId text = builder.Intern(name);
  if (colon != key.npos) {
    int64_t pid = 0;
    ParseId(key.substr(0, colon), &pid);
    const auto process = processes_.find(static_cast<uint64_t>(pid));
    if (process != processes_.end())
      builder.track(tracks_.Thread(process->second, id)).name = text;
    return;
  }
  // Of several processes, those that have such a thread.
  bool found = false;
  for (const auto& [pid, index] : processes_) {
    if (!tracks_.HasThread(index, id)) continue;
    Track& track = builder.track(tracks_.Thread(index, id));
    if (track.name.v == 0 || !found) track.name = text;
    found = true;
  }
  // A named thread that recorded nothing is still there.
  if (!found && !processes_.empty()) {
    const uint32_t first =
        std::min_element(
            processes_.begin(), processes_.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; })
            ->second;
    builder.track(tracks_.Thread(first, id)).name = text;
  }
}

}  // namespace stepscope::proto::paddle
