// SPDX-License-Identifier: Apache-2.0
//
// The tile query: the text of its parameters, one per line, against a trace
// with nested, overlapping, long, short and far apart events.
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "server/files/open_trace.h"
#include "server/timeline/tiles.h"
#include "trace/build/trace_builder.h"

namespace stepscope::server {
namespace {

std::shared_ptr<const Trace> MakeTrace() {
  TraceBuilder builder;
  builder.AddProcess({});
  for (int64_t id = 0; id < 3; ++id) {
    Track track;
    track.id = id;
    const uint32_t index = builder.AddTrack(track);
    for (int64_t i = 0; i < 3000; ++i) {
      EventSpec event;
      event.track = index;
      event.start_ns =
          i * i * (id + 1) * 977 % 1'000'003 + (i % 5 == 0 ? i << 32 : 0);
      event.dur_ns = i % 7 == 0 ? 0 : (i * 31) % 4099;
      event.name = builder.Intern("n" + std::to_string(i % 11));
      builder.AddEvent(event);
    }
  }
  auto trace = builder.Finish();
  if (!trace) abort();
  return *trace;
}

std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void Ask(const OpenTrace& open, std::string_view text, bool plant) {
  const std::string_view k = TakeLine(text);
  const std::string_view i0 = TakeLine(text);
  const std::string_view i1 = TakeLine(text);
  const auto count = static_cast<uint32_t>(open.view().tracks.size());
  const auto request = ParseTilesRequest(k, i0, i1, TakeLine(text), count);
  if (!request) return;
  const auto answer = TilesAnswer(open, *request);
  if (!answer) return;
  // No seed asks for more than one track.
  if (plant && request->tracks.size() > 1) {
    volatile char beyond = answer->data()[answer->size() + 64];
    (void)beyond;
  }
}

}  // namespace
}  // namespace stepscope::server

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const open =
      new stepscope::server::OpenTrace(stepscope::server::MakeTrace());
  static const bool plant = getenv("STEPSCOPE_FUZZ_PLANT") != nullptr;
  stepscope::server::Ask(*open, {reinterpret_cast<const char*>(data), size},
                         plant);
  return 0;
}
