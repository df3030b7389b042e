// SPDX-License-Identifier: Apache-2.0
//
// The phases of EventSink that fill side tables: counters, flows, memory and
// metadata.
#include "base/hash.h"
#include "base/text.h"
#include "importers/chrome/event_sink.h"
#include "importers/json/json_string.h"
#include "importers/json/number.h"
#include "trace/clock_facts.h"

namespace stepscope::json {
namespace {

bool ParseSample(std::string_view text, double& value) {
  if (text.size() >= 2 && text.front() == '"')
    text = text.substr(1, text.size() - 2);
  return ParseReal(text, value);
}

// An id as a number: itself, or a hash of what is written.
uint64_t IdNumber(std::string_view id) {
  int64_t number = 0;
  return ParseInteger(id, number) ? static_cast<uint64_t>(number) : Hash64(id);
}

// torch's numbers of device types.
std::string Place(int64_t device_type, int64_t device) {
  switch (device_type) {
    case 0:
      return "Place(cpu)";
    case 1:
    case 6:
      return Format("Place(gpu:%lld)", static_cast<long long>(device));
    case 12:
      return Format("Place(xpu:%lld)", static_cast<long long>(device));
    case 19:
      return Format("Place(mtia:%lld)", static_cast<long long>(device));
    default:
      return Format("Place(%lld:%lld)", static_cast<long long>(device_type),
                    static_cast<long long>(device));
  }
}

// "thread 12:main(C++)" of Paddle and ours, "thread 12 (main)" of torch: the
// number is the track's id already.
std::string_view BareThreadName(std::string_view name) {
  std::string_view rest = name;
  if (!rest.starts_with("thread ")) return name;
  rest.remove_prefix(7);
  size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9')
    ++digits;
  rest.remove_prefix(digits);
  if (digits > 0 && rest.starts_with(" (") && rest.ends_with(")"))
    return rest.substr(2, rest.size() - 3);
  if (digits == 0 || !rest.starts_with(":")) return name;
  rest.remove_prefix(1);
  for (const std::string_view side : {"(Python)", "(C++)"})
    if (rest.ends_with(side)) rest.remove_suffix(side.size());
  return rest;
}

}  // namespace

EventSink::Outcome EventSink::AddCounter(Current& event) {
  const uint32_t process = rows_.ProcessOf(event.text.pid);
  std::string base(Unescaped(event.text.name, buffer_));
  if (!event.text.id.empty()) {
    base += ' ';
    base += event.text.id;
  }
  size_t added = 0;
  for (const MemberAt& member : event.text.args) {
    const std::string_view value = event.tokens.Scalar(member.value);
    CounterSample sample;
    sample.time_ns = event.time_ns;
    sample.integer = ParseInteger(value, sample.int_value);
    if (sample.integer) {
      sample.value = static_cast<double>(sample.int_value);
    } else if (!ParseSample(value, sample.value)) {
      continue;
    }
    const std::string_view series = event.tokens.Text(member.key);
    std::string name = base;
    // Our own counters have one series, "value".
    if (!series.empty() && !(series == "value" && event.text.args.size() == 1))
      name += ' ' + std::string(Unescaped(series, buffer_));
    sample.track = rows_.Named(TrackKind::kCounter, process, name);
    builder_.AddCounter(sample);
    ++added;
  }
  if (added == 0) return {"counter without a number"};
  first_time_ns_ = std::min(first_time_ns_, event.time_ns);
  if (added < event.text.args.size() && event.repaired.empty())
    event.repaired = "counter with a series that is not a number";
  return {};
}

EventSink::Outcome EventSink::AddFlow(Current& event) {
  const EventText& text = event.text;
  // Launches are links already: both ends state the correlation id.
  if (text.cat == "ac2g" || (text.cat == "async" && text.name == "launch"))
    return {};
  if (text.id.empty()) return {"no id"};
  const Category& category = CategoryOf(text.cat);
  args_.Read(event.tokens, text, ArgSet::kNone, false);
  Flow flow;
  flow.time_ns = event.time_ns;
  flow.id = IdNumber(text.id);
  flow.name = builder_.Intern(Unescaped(text.name, buffer_));
  flow.track = TrackOf(text, category);
  flow.phase = text.ph[0] == 's'   ? FlowPhase::kBegin
               : text.ph[0] == 't' ? FlowPhase::kStep
                                   : FlowPhase::kEnd;
  builder_.AddFlow(flow);
  return {};
}

StringId EventSink::PlaceOf(int64_t device_type, int64_t device) {
  const auto [it, fresh] = places_.try_emplace({device_type, device});
  if (fresh) it->second = builder_.Intern(Place(device_type, device));
  return it->second;
}

// torch and Paddle name the same things differently.
EventSink::Outcome EventSink::AddMemory(Current& event) {
  MemoryEvent memory;
  memory.time_ns = event.time_ns;
  int64_t device_type = 0;
  int64_t device = 0;
  bool has_bytes = false;
  bool has_place = false;
  for (const MemberAt& member : event.text.args) {
    const std::string_view key = event.tokens.Text(member.key);
    if (key == "place") {
      memory.place =
          builder_.Intern(Unescaped(event.tokens.Text(member.value), buffer_));
      has_place = true;
      continue;
    }
    int64_t value = 0;
    if (!ParseInteger(event.tokens.Scalar(member.value), value)) continue;
    if (key == "Bytes" || key == "increase_bytes") {
      memory.bytes = value;
      has_bytes = true;
    } else if (key == "Addr" || key == "addr") {
      memory.address = static_cast<uint64_t>(value);
    } else if (key == "Total Allocated" || key == "current_allocated") {
      memory.total_allocated = static_cast<uint64_t>(value);
    } else if (key == "Total Reserved" || key == "current_reserved") {
      memory.total_reserved = static_cast<uint64_t>(value);
    } else if (key == "peak_allocated") {
      memory.peak_allocated = static_cast<uint64_t>(value);
    } else if (key == "peak_reserved") {
      memory.peak_reserved = static_cast<uint64_t>(value);
    } else if (key == "Device Type") {
      device_type = value;
    } else if (key == "Device Id") {
      device = value;
    }
  }
  if (!has_bytes) return {"memory event without bytes"};
  if (!has_place) memory.place = PlaceOf(device_type, device);
  const std::string_view cat = event.text.cat;
  memory.kind = cat == "ReservedAllocate" ? MemoryKind::kReservedAllocate
                : cat == "ReservedFree"   ? MemoryKind::kReservedFree
                : cat == "Free" || memory.bytes < 0 ? MemoryKind::kFree
                                                    : MemoryKind::kAllocate;
  kineto_ |= cat == "cpu_instant_event";
  memory.track = rows_.Find(TrackPlace::kHost, event.text.pid, event.text.tid);
  if (header_.by_paddle()) {
    paddle_times_.AddMemory(memory);
  } else {
    // Those of our Chrome files are of the window, unless they say so.
    if (FindArg(event.tokens, event.text, "peaks_stated") != "true")
      memory.peak_allocated = memory.peak_reserved = 0;
    builder_.AddMemory(memory);
  }
  return {};
}

EventSink::Outcome EventSink::AddMetadata(Current& event) {
  const EventText& text = event.text;
  std::string value_buffer;
  const auto named = [&](std::string_view key) {
    std::string_view value = FindArg(event.tokens, text, key);
    if (value.size() >= 2 && value.front() == '"')
      value = Unescaped(value.substr(1, value.size() - 2), value_buffer);
    return value;
  };
  if (text.name == "process_name") {
    rows_.NameProcess(text.pid, named("name"));
  } else if (text.name == "thread_name") {
    rows_.NameThread(text.pid, text.tid, BareThreadName(named("name")));
  } else if (text.name == "process_labels") {
    rows_.AddProcessData(text.pid, "process_labels", named("labels"));
  } else if (text.name == "process_sort_index") {
    // Our exporter says more here.
    rows_.SetOwner(text.pid, FindArg(event.tokens, text, "owner"),
                   FindArg(event.tokens, text, "device"));
    rows_.SetRank(text.pid, FindArg(event.tokens, text, "rank"));
    for (const std::string_view key : kClockFactKeys) {
      const std::string_view value = named(key);
      if (!value.empty()) rows_.AddProcessData(text.pid, key, value);
    }
  } else if (text.name != "thread_sort_index") {
    args_.Read(event.tokens, text, ArgSet::kNone, false);
    rows_.AddProcessData(text.pid, Unescaped(text.name, buffer_), args_.rest());
  }
  return {};
}

}  // namespace stepscope::json
