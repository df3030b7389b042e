// SPDX-License-Identifier: Apache-2.0
#include <stepscope/c.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/json_fragment.h"
#include "exporters/arrows.h"
#include "exporters/chrome/json_text.h"
#include "exporters/kineto/events.h"

namespace stepscope::kineto {
namespace {

// "Place(gpu:1)" in torch's numbers.
struct Place {
  int64_t type = 0;
  int64_t device = -1;
};

int64_t DeviceType(std::string_view name) {
  if (name == "gpu" || name == "cuda") return 1;
  if (name == "xpu") return 12;
  if (name == "mtia") return 19;
  int64_t type = 0;
  std::from_chars(name.data(), name.data() + name.size(), type);
  return type;
}

Place PlaceFrom(std::string_view text) {
  if (const size_t open = text.find('('); open != text.npos) {
    text = text.substr(open + 1);
    text = text.substr(0, text.find(')'));
  }
  Place place;
  const size_t colon = text.find(':');
  place.type = DeviceType(text.substr(0, colon));
  if (colon != text.npos)
    std::from_chars(text.data() + colon + 1, text.data() + text.size(),
                    place.device);
  return place;
}

void AppendField(std::string& out, std::string_view key, int64_t value) {
  out += key;
  chrome::AppendInt(out, value);
}

struct Arrow {
  std::string_view name;
  std::string_view cat;
  char phase = 's';
  uint64_t id = 0;
  uint32_t track = 0;
  int64_t time_ns = 0;
};

void WriteArrow(const Context& context, const Arrow& arrow) {
  std::string text = R"({"ph":")";
  text += arrow.phase;
  text += R"(","id":)";
  chrome::AppendUint(text, arrow.id);
  text += ',';
  text += context.rows.place(arrow.track);
  text += R"(,"ts":)";
  AppendTime(text, context.trace, context.form, arrow.time_ns);
  text += R"(,"cat":")";
  text += arrow.cat;
  text += R"(",)";
  chrome::AppendTextField(text, "name", arrow.name);
  text += arrow.phase == 'f' ? ",\"bp\":\"e\"},\n" : "},\n";
  context.out.Append(text);
}

// The category is what readers find torch's own arrows by.
std::string_view FlowCategory(std::string_view name) {
  if (name == "fwd_bwd") return "forward_backward";
  return name == "fwdbwd" ? "fwdbwd" : "flow";
}

// 0: the arguments have none.
uint64_t CorrelationOf(std::string_view members) {
  uint64_t id = 0;
  ForEachJsonMember(members, [&](std::string_view key, std::string_view value) {
    if (key != "correlation") return true;
    std::from_chars(value.data(), value.data() + value.size(), id);
    return false;
  });
  return id;
}

// The call with that correlation id; kNoRow: there is none.
Row CallOf(const Trace& trace, uint32_t process, uint64_t id) {
  const auto key = [](const Link& link) {
    return std::tuple(link.process, link.space, link.id);
  };
  const std::tuple wanted = {process, LinkSpace::kCorrelation, id};
  const auto it = std::ranges::lower_bound(trace.links(), wanted, {}, key);
  return it != trace.links().end() && key(*it) == wanted ? it->row : kNoRow;
}

void WriteForwardBackward(const Context& context) {
  const Trace& trace = context.trace;
  uint64_t id = 0;
  for (const ForwardBackward& pair : FindForwardBackward(trace)) {
    ++id;
    for (const auto& [row, phase] :
         {std::pair{pair.forward, 's'}, std::pair{pair.backward, 'f'}})
      WriteArrow(context, {.name = "fwdbwd",
                           .cat = "fwdbwd",
                           .phase = phase,
                           .id = id,
                           .track = trace.track()[row],
                           .time_ns = trace.start_ns()[row]});
  }
}

constexpr uint32_t kNotOfAThread = 0xffffffffu;

// Where torch's profiler would tell it: on the thread. What the history of the
// allocator has beyond that, what was there before, it has not.
uint32_t TrackOfMemory(const Trace& trace, const MemoryEvent& event) {
  if (trace.tracks()[event.track].kind != TrackKind::kAsync ||
      !event.owner_stated)
    return event.track;
  if (event.owner == kNoRow) return event.track;
  const bool found = (trace.flags()[event.owner] & kEventInferred) != 0;
  return found ? kNotOfAThread : trace.track()[event.owner];
}

// A file may state any sizes.
void AddSaturating(int64_t more, int64_t& sum) {
  if (__builtin_add_overflow(sum, more, &sum))
    sum = more > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace

void WriteMemory(const Context& context) {
  const Trace& trace = context.trace;
  // torch up to 1.10 stated neither, and readers tell by that what they know.
  bool totals = false;
  for (const MemoryEvent& event : trace.memory())
    totals |= event.total_allocated != 0 || event.address != 0;
  // Of a process and a place, where the file states none: snapshots do not.
  const bool stated = !trace.memory().totals().empty();
  struct Held {
    int64_t allocated = 0;
    int64_t reserved = 0;
  };
  std::map<std::pair<uint32_t, StringId>, Held> held;
  std::string text;
  for (const MemoryEvent& event : trace.memory()) {
    if (context.out.failed()) return;
    Held& now = held[{trace.tracks()[event.track].process, event.place}];
    // torch has no events of their own for these: a reader would take them for
    // allocations.
    if (event.kind == MemoryKind::kReservedAllocate ||
        event.kind == MemoryKind::kReservedFree) {
      AddSaturating(event.bytes, now.reserved);
      continue;
    }
    AddSaturating(event.bytes, now.allocated);
    if (stated)
      now = {static_cast<int64_t>(event.total_allocated),
             static_cast<int64_t>(event.total_reserved)};
    const uint32_t track = TrackOfMemory(trace, event);
    if (track == kNotOfAThread) continue;
    const Place place = PlaceFrom(trace.str(event.place));
    text = R"({"name":"[memory]",)";
    if (!context.form.old_words) text += R"("cat":"cpu_instant_event",)";
    text += R"("ph":"i","s":"t",)";
    text += context.rows.place(track);
    text += R"(,"ts":)";
    AppendTime(text, trace, context.form, event.time_ns);
    if (totals) {
      AppendField(text, R"(,"args":{"Total Reserved":)", now.reserved);
      AppendField(text, R"(,"Total Allocated":)", now.allocated);
      AppendField(text, R"(,"Addr":)", static_cast<int64_t>(event.address));
    } else {
      text += R"(,"args":{)";
    }
    AppendField(text, totals ? R"(,"Bytes":)" : R"("Bytes":)", event.bytes);
    AppendField(text, R"(,"Device Id":)", place.device);
    AppendField(text, R"(,"Device Type":)", place.type);
    text += "}},\n";
    context.out.Append(text);
  }
}

void WriteCounters(const Context& context) {
  const Trace& trace = context.trace;
  std::string text;
  for (const CounterSample& sample : trace.counters()) {
    if (context.out.failed()) return;
    const Track& track = trace.tracks()[sample.track];
    text.assign(1, '{');
    chrome::AppendTextField(text, "name", trace.str(track.name));
    AppendField(text, R"(,"ph":"C","pid":)", context.rows.pid(track.process));
    text += R"(,"ts":)";
    AppendTime(text, trace, context.form, sample.time_ns);
    text += R"(,"args":{"value":)";
    if (sample.integer)
      chrome::AppendInt(text, sample.int_value);
    else
      chrome::AppendDouble(text, sample.value);
    text += "}},\n";
    context.out.Append(text);
  }
}

void WriteLaunches(const Context& context) {
  const Trace& trace = context.trace;
  // Correlation ids are unique within a process only.
  const bool numbered = trace.processes().size() > 1;
  uint64_t launches = 0;
  const bool old = context.form.old_words;
  ForEachLaunch(trace, [&](const Link* first, const Link* last) {
    const uint64_t id = numbered ? ++launches : first->id;
    for (const Link* link = first; link != last; ++link) {
      if (link->row == kNoRow || context.out.failed()) continue;
      WriteArrow(context, {.name = old ? "launch" : "ac2g",
                           .cat = old ? "async" : "ac2g",
                           .phase = IsDeviceRow(trace, link->row) ? 'f' : 's',
                           .id = id,
                           .track = trace.track()[link->row],
                           .time_ns = trace.start_ns()[link->row]});
    }
  });
}

void WriteWaits(const Context& context) {
  if (!context.form.from_kineto) return;
  const Trace& trace = context.trace;
  RawArgReader raw(trace);
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kAsync) continue;
    for (Row row = track.first; row < track.last; ++row) {
      if (trace.type()[row] != STEPSCOPE_SYNCHRONIZATION) continue;
      const uint64_t id = CorrelationOf(raw.Get(row));
      const Row call = CallOf(trace, track.process, id);
      if (call == kNoRow) continue;
      for (const auto& [end, phase] :
           {std::pair{call, 's'}, std::pair{row, 'f'}})
        WriteArrow(context, {.name = "ac2g",
                             .cat = "ac2g",
                             .phase = phase,
                             .id = id,
                             .track = trace.track()[end],
                             .time_ns = trace.start_ns()[end]});
    }
  }
}

void WriteWindow(const Context& context) {
  if (!context.form.as_torch) return;
  const Trace& trace = context.trace;
  const auto time = [&](int64_t time_ns) {
    std::string text;
    AppendTime(text, trace, context.form, time_ns);
    return text;
  };
  const std::string begin = time(trace.begin_ns());
  // The next whole microsecond: readers add begin and duration in floating
  // point, and the sum must not lie behind the end.
  const std::string end = time((trace.end_ns() / 1000 + 1) * 1000);
  std::string duration;
  AppendDuration(duration, context.form, trace.end_ns() - trace.begin_ns());
  context.out.Append(
      R"({"ph":"X","cat":"Trace","ts":)" + begin + R"(,"dur":)" + duration +
      R"(,"pid":"Spans","tid":"PyTorch Profiler",)"
      R"x("name":"PyTorch Profiler (0)","args":{"Op count":0}},)x"
      "\n"
      R"({"name":"process_sort_index","ph":"M","ts":)" +
      begin +
      R"(,"pid":"Spans","tid":0,"args":{"sort_index":536870912}},)"
      "\n"
      R"({"name":"Iteration Start: PyTorch Profiler","ph":"i","s":"g",)"
      R"("pid":"Traces","tid":"Trace PyTorch Profiler","ts":)" +
      begin +
      "},\n"
      R"({"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"",)"
      R"("ts":)" +
      end + "},\n");
}

void WriteFlows(const Context& context) {
  const Trace& trace = context.trace;
  for (const Flow& flow : trace.flows()) {
    if (context.out.failed()) return;
    WriteArrow(context, {.name = trace.str(flow.name),
                         .cat = FlowCategory(trace.str(flow.name)),
                         .phase = flow.phase == FlowPhase::kBegin  ? 's'
                                  : flow.phase == FlowPhase::kStep ? 't'
                                                                   : 'f',
                         .id = flow.id,
                         .track = flow.track,
                         .time_ns = flow.time_ns});
  }
  // Not twice, where Kineto's file came by way of another format.
  const bool stated = std::ranges::any_of(trace.flows(), [&](const Flow& flow) {
    return trace.str(flow.name) == "fwdbwd";
  });
  if (context.ids != nullptr && !stated) WriteForwardBackward(context);
}

}  // namespace stepscope::kineto
