// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "exporters/chrome/json_text.h"
#include "exporters/chrome/side_events.h"

namespace stepscope::chrome {
namespace {

struct Peak {
  uint64_t allocated = 0;
  uint64_t reserved = 0;
};

std::string_view KindName(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kAllocate:
      return "Allocate";
    case MemoryKind::kFree:
      return "Free";
    case MemoryKind::kReservedAllocate:
      return "ReservedAllocate";
    case MemoryKind::kReservedFree:
      return "ReservedFree";
  }
  return "Memory";
}

void AppendField(std::string& out, std::string_view key, uint64_t value) {
  out += key;
  AppendUint(out, value);
}

void AppendInstant(std::string& out, const Context& context,
                   const MemoryEvent& event, const Peak& peak) {
  context.rows.Use(event.track, Side::kCpp);
  out += R"({"name":"[memory]","cat":")";
  out += KindName(event.kind);
  out += R"(","ph":"i","s":"t","pid":)";
  AppendInt(out, context.rows.pid(event.track));
  out += R"(,"tid":)";
  out += context.rows.Tid(event.track, Side::kCpp);
  out += R"(,"ts":)";
  AppendMicros(out, Since(event.time_ns, context.base.ts_ns));
  out += R"(,"args":{)";
  AppendTextField(out, "place", context.trace.str(event.place));
  AppendField(out, R"(,"addr":")", event.address);
  out += R"(","increase_bytes":)";
  AppendInt(out, event.bytes);
  AppendField(out, R"(,"current_allocated":)", event.total_allocated);
  AppendField(out, R"(,"current_reserved":)", event.total_reserved);
  AppendField(out, R"(,"peak_allocated":)", peak.allocated);
  AppendField(out, R"(,"peak_reserved":)", peak.reserved);
  out += "}},\n";
}

void AppendTotals(std::string& out, const Context& context,
                  const MemoryEvent& event) {
  uint32_t process = context.trace.tracks()[event.track].process;
  out += "{";
  AppendTextField(out, "name",
                  "Memory " + std::string(context.trace.str(event.place)));
  out += R"(,"ph":"C","pid":)";
  AppendInt(out, context.rows.process_pid(process));
  out += R"(,"ts":)";
  AppendMicros(out, Since(event.time_ns, context.base.ts_ns));
  AppendField(out, R"(,"args":{"allocated":)", event.total_allocated);
  AppendField(out, R"(,"reserved":)", event.total_reserved);
  out += "}},\n";
}

}  // namespace

void WriteMemory(const Context& context) {
  const Trace& trace = context.trace;
  // Peaks need the order of time, whatever the order of the table.
  std::vector<const MemoryEvent*> events;
  events.reserve(trace.memory().size());
  for (const MemoryEvent& event : trace.memory()) events.push_back(&event);
  std::stable_sort(events.begin(), events.end(), [](auto* a, auto* b) {
    return a->time_ns < b->time_ns;
  });
  std::map<std::pair<uint32_t, StringId>, Peak> peaks;
  std::string text;
  for (const MemoryEvent* event : events) {
    if (context.out.failed()) return;
    uint32_t process = trace.tracks()[event->track].process;
    Peak& peak = peaks[{process, event->place}];
    peak.allocated = std::max(peak.allocated, event->total_allocated);
    peak.reserved = std::max(peak.reserved, event->total_reserved);
    text.clear();
    AppendInstant(text, context, *event, peak);
    AppendTotals(text, context, *event);
    context.out.Append(text);
  }
}

}  // namespace stepscope::chrome
