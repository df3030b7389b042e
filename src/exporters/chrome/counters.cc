// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "exporters/chrome/json_text.h"
#include "exporters/chrome/side_events.h"

namespace stepscope::chrome {
namespace {

// Viewers know a counter by pid and name; equal ones get a number.
std::vector<uint32_t> Twins(const Trace& trace) {
  std::vector<uint32_t> twins(trace.tracks().size());
  std::map<std::pair<uint32_t, StringId>, uint32_t> seen;
  for (uint32_t i = 0; i < twins.size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind == TrackKind::kCounter)
      twins[i] = seen[{track.process, track.name}]++;
  }
  return twins;
}

}  // namespace

void WriteCounters(const Context& context) {
  const Trace& trace = context.trace;
  std::vector<uint32_t> twins = Twins(trace);
  std::string text;
  for (const CounterSample& sample : trace.counters()) {
    if (context.out.failed()) return;
    const Track& track = trace.tracks()[sample.track];
    text.assign(1, '{');
    AppendTextField(text, "name", trace.str(track.name));
    text += R"(,"ph":"C","pid":)";
    AppendInt(text, context.rows.process_pid(track.process));
    if (twins[sample.track] > 0) {
      text += R"(,"id":)";
      AppendUint(text, twins[sample.track] + 1);
    }
    text += R"(,"ts":)";
    AppendMicros(text, Since(sample.time_ns, context.base.ts_ns));
    text += R"(,"args":{"value":)";
    if (sample.integer)
      AppendInt(text, sample.int_value);
    else
      AppendDouble(text, sample.value);
    text += "}},\n";
    context.out.Append(text);
  }
}

}  // namespace stepscope::chrome
