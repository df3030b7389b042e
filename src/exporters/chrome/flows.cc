// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "exporters/arrows.h"
#include "exporters/chrome/json_text.h"
#include "exporters/chrome/side_events.h"

namespace stepscope::chrome {
namespace {

constexpr uint64_t kExactInDouble = uint64_t{1} << 53;
// Arrows end at the start of device work shorter than this, as in Paddle.
constexpr int64_t kShortNs = 1000;

struct Arrow {
  std::string_view cat;
  char phase = 's';
  bool enclosing = false;  // "bp": "e"
  uint32_t track = 0;
  Side side = Side::kCpp;
  int64_t time_ns = 0;
};

// From after the name and the id to the end.
void AppendArrow(std::string& out, const Context& context, const Arrow& arrow) {
  context.rows.Use(arrow.track, arrow.side);
  out += R"(,"cat":")";
  out += arrow.cat;
  out += R"(","ph":")";
  out += arrow.phase;
  out += arrow.enclosing ? R"(","bp":"e","pid":)" : R"(","pid":)";
  AppendInt(out, context.rows.pid(arrow.track));
  out += R"(,"tid":)";
  out += context.rows.Tid(arrow.track, arrow.side);
  out += R"(,"ts":)";
  AppendMicros(out, Since(arrow.time_ns, context.base.ts_ns));
  out += "},\n";
}

// As a number where every reader holds it exactly, else in hexadecimal, which
// viewers take as a string.
void AppendId(std::string& out, uint64_t id) {
  if (id < kExactInDouble) {
    AppendUint(out, id);
    return;
  }
  out += "\"0x";
  for (int shift = 60; shift >= 0; shift -= 4)
    out += "0123456789abcdef"[id >> shift & 15];
  out += '"';
}

void WriteLaunchEnd(const Context& context, const Link& link, uint64_t id) {
  const Trace& trace = context.trace;
  uint32_t track = trace.track()[link.row];
  bool device = IsDeviceRow(trace, link.row);
  int64_t dur = trace.dur_ns()[link.row];
  bool is_short = device && dur < kShortNs;
  std::string text = R"({"name":"launch","id":)";
  AppendId(text, id);
  AppendArrow(
      text, context,
      {.cat = "async",
       .phase = device ? 'f' : 's',
       .enclosing = device && !is_short,
       .track = track,
       .side = device ? Side::kCpp : SideOf(trace.type()[link.row]),
       .time_ns = Plus(trace.start_ns()[link.row], is_short ? 0 : dur / 2)});
  context.out.Append(text);
}

}  // namespace

void WriteFlows(const Context& context) {
  const Trace& trace = context.trace;
  std::string text;
  for (const Flow& flow : trace.flows()) {
    if (context.out.failed()) return;
    const Track& track = trace.tracks()[flow.track];
    Row row = EnclosingRow(trace, track, flow.time_ns);
    Side side = row == kNoRow ? Side::kCpp : SideOf(trace.type()[row]);
    text.assign(1, '{');
    AppendTextField(text, "name", trace.str(flow.name));
    text += R"(,"id":)";
    AppendId(text, flow.id);
    AppendArrow(text, context,
                {.cat = "flow",
                 .phase = flow.phase == FlowPhase::kBegin  ? 's'
                          : flow.phase == FlowPhase::kStep ? 't'
                                                           : 'f',
                 .enclosing = flow.phase == FlowPhase::kEnd,
                 .track = flow.track,
                 .side = side,
                 .time_ns = flow.time_ns});
    context.out.Append(text);
  }
}

void WriteLaunches(const Context& context) {
  // Correlation ids are unique within a process only.
  bool numbered = context.trace.processes().size() > 1;
  uint64_t launches = 0;
  ForEachLaunch(context.trace, [&](const Link* first, const Link* last) {
    if (context.out.failed()) return;
    uint64_t id = numbered ? ++launches : first->id;
    for (const Link* link = first; link != last; ++link)
      if (link->row != kNoRow) WriteLaunchEnd(context, *link, id);
  });
}

}  // namespace stepscope::chrome
