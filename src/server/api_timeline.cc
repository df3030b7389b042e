// SPDX-License-Identifier: Apache-2.0
//
// Requests of the timeline.
#include <algorithm>

#include "analysis/step_choice.h"
#include "server/api.h"
#include "server/memory/memory_json.h"
#include "server/timeline/flame.h"
#include "server/timeline/host_busy.h"
#include "server/timeline/selection.h"
#include "server/timeline/tiles.h"
#include "server/timeline/trace_json.h"

namespace stepscope::server {
namespace {

constexpr size_t kMostNames = 4096;

Result<std::string> AnswerNames(const OpenTrace& open,
                                const Parameters& parameters) {
  if (!parameters.has("ids")) return NamesJson(open);
  STEPSCOPE_TRY_ASSIGN(const std::vector<uint32_t> ids,
                       ParseRanges("ids", parameters.Text("ids"),
                                   open.trace().strings().size(), kMostNames));
  return NamesJson(open, ids);
}

Result<TilesRequest> ReadTiles(const OpenTrace& open,
                               const Parameters& parameters) {
  return ParseTilesRequest(parameters.Text("k"), parameters.Text("i0"),
                           parameters.Text("i1"), parameters.Text("tracks"),
                           static_cast<uint32_t>(open.view().tracks.size()));
}

Result<std::string> AnswerTiles(const OpenTrace& open,
                                const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const TilesRequest request, ReadTiles(open, parameters));
  return TilesAnswer(open, request);
}

Result<std::string> AnswerPreviewTiles(const PreviewTrace& preview,
                                       const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const TilesRequest request,
                       ReadTiles(preview.outline(), parameters));
  return PreviewTiles(preview, request);
}

Result<uint32_t> ReadTrack(const OpenTrace& open,
                           const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(
      const int64_t track,
      parameters.Integer("track", std::nullopt, 0,
                         static_cast<int64_t>(open.view().tracks.size()) - 1));
  return static_cast<uint32_t>(track);
}

Result<std::string> AnswerCounter(const OpenTrace& open,
                                  const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const uint32_t track, ReadTrack(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  const int64_t origin = open.origin_ns();
  const int64_t begin = stretch.begin + origin;
  const int64_t end = std::min(stretch.end, open.span_ns() + 1) + origin;
  if (const auto shares = open.shares(track))
    return SharesJson(*shares, origin, begin, end, stretch.pixels);
  return CurveJson(*open.curve(track), origin, begin, end, stretch.pixels);
}

Result<std::string> AnswerHostBusy(const OpenTrace& open,
                                   const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  const int64_t origin = open.origin_ns();
  return HostBusyJson(open.trace(), origin, stretch.begin + origin,
                      std::min(stretch.end, open.span_ns() + 1) + origin,
                      stretch.pixels);
}

Result<std::string> AnswerIdle(const OpenTrace& open,
                               const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const uint32_t track, ReadTrack(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  const ViewTrack& stream = open.view().tracks[track];
  const IdleDeviceParts* device = nullptr;
  if (stream.kind == "stream" && !stream.parts.empty())
    device = open.idle().Of(open.trace(), stream.parts[0].track);
  return IdleJson(device != nullptr ? *device : IdleDeviceParts{},
                  open.origin_ns(), stretch.begin + open.origin_ns(),
                  std::min(stretch.end, open.span_ns() + 1) + open.origin_ns(),
                  stretch.pixels);
}

Result<std::string> AnswerMark(const OpenTrace& open,
                               const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const uint32_t track, ReadTrack(open, parameters));
  STEPSCOPE_TRY_ASSIGN(const int64_t depth,
                       parameters.Integer("depth", 0, 0, 255));
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  return MarkJson(open, track, static_cast<uint32_t>(depth), stretch.begin,
                  stretch.end);
}

Result<std::string> AnswerPreviewMark(const PreviewTrace& preview,
                                      const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(const uint32_t track,
                       ReadTrack(preview.outline(), parameters));
  STEPSCOPE_TRY_ASSIGN(const int64_t depth,
                       parameters.Integer("depth", 0, 0, 255));
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  return PreviewMarkJson(preview, track, static_cast<uint32_t>(depth),
                         stretch.begin, stretch.end);
}

Result<std::string> AnswerSelect(const OpenTrace& open,
                                 const Parameters& parameters) {
  const auto count = static_cast<uint32_t>(open.view().tracks.size());
  STEPSCOPE_TRY_ASSIGN(
      const std::vector<uint32_t> tracks,
      ParseRanges("tracks", parameters.Text("tracks"), count, count + 1));
  STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
  return SelectJson(open, tracks, stretch.begin, stretch.end);
}

// Of what it is asked for: a device or the host, its callers or its calls.
Result<std::string> MakeFlame(const OpenTrace& open, const EventTree& tree,
                              const Parameters& parameters) {
  FoldOptions options;
  options.device = parameters.Text("by") == "device";
  options.inverted = parameters.has("inverted");
  options.modules = parameters.has("modules");
  if (parameters.has("t0") || parameters.has("t1")) {
    STEPSCOPE_TRY_ASSIGN(const Stretch stretch, ReadStretch(parameters));
    options.range = {stretch.begin + open.origin_ns(),
                     stretch.end + open.origin_ns()};
  }
  if (parameters.has("tracks")) {
    const auto count = static_cast<uint32_t>(open.view().tracks.size());
    STEPSCOPE_TRY_ASSIGN(
        const std::vector<uint32_t> chosen,
        ParseRanges("tracks", parameters.Text("tracks"), count, count + 1));
    options.tracks.assign(open.trace().tracks().size(), false);
    for (const uint32_t track : chosen)
      for (const TilePart& part : open.view().tracks[track].parts)
        options.tracks[part.track] = true;
  }
  return FlameJson(tree, open.origin_ns(), options);
}

Result<std::string> FlameOf(const OpenTrace& open,
                            const Parameters& parameters) {
  const std::string by = parameters.Text("by");
  if (!by.empty() && by != "host" && by != "device")
    return Fail(ErrorCode::kInvalidArgument, "by: expected host or device");
  const std::string steps = parameters.Text("steps");
  if (steps.empty()) return MakeFlame(open, open.tree(), parameters);
  if (parameters.has("tracks") || parameters.has("t0"))
    return Fail(ErrorCode::kInvalidArgument,
                "steps: a box has none; ask for either");
  STEPSCOPE_TRY_ASSIGN(const StepChoice choice, ParseStepChoice(steps));
  STEPSCOPE_TRY_ASSIGN(const StepSelection some,
                       SelectSteps(open.tree(), open.steps(), choice));
  if (some.trace == nullptr) return MakeFlame(open, open.tree(), parameters);
  return MakeFlame(open, EventTree(*some.trace), parameters);
}

// Made once for all that is asked with it.
Result<std::string> AnswerFlame(const OpenTrace& open,
                                const Parameters& parameters) {
  std::string key = "flame";
  for (const char* name :
       {"by", "inverted", "modules", "t0", "t1", "tracks", "steps"})
    key += std::string("\n") + (parameters.has(name) ? "=" : "") +
           parameters.Text(name);
  STEPSCOPE_TRY_ASSIGN(
      const std::shared_ptr<const std::string> text,
      open.Document(key, [&] { return FlameOf(open, parameters); }));
  return *text;
}

}  // namespace

void Api::AddTimeline() {
  AddOnTraceOrPreview("trace",
                      OfAllEvents([](const OpenTrace& open,
                                     const Parameters&) -> Result<std::string> {
                        return TraceJson(open);
                      }),
                      [](const PreviewTrace& preview,
                         const Parameters&) -> Result<std::string> {
                        return TraceJson(preview);
                      });
  AddOnTraceOrPreview(
      "names", AnswerNames,
      [](const PreviewTrace& preview, const Parameters& parameters) {
        return AnswerNames(preview.outline(), parameters);
      });
  AddOnTraceOrPreview("tiles", AnswerTiles, AnswerPreviewTiles,
                      "application/octet-stream");
  AddOnTrace("counter", OfAllEvents(AnswerCounter));
  AddOnTrace("host_busy", OfAllEvents(AnswerHostBusy));
  AddOnTrace("idle", OfAllEvents(AnswerIdle));
  AddOnTraceOrPreview("mark", AnswerMark, AnswerPreviewMark);
  AddOnTrace("select", OfAllEvents(AnswerSelect));
  AddOnTrace("flame", OfAllEvents(AnswerFlame));
  AddOnTrace("memory",
             OfAllEvents([](const OpenTrace& open, const Parameters&) {
               return MemoryPlacesJson(open);
             }));
  AddOnTrace("memory_area", MemoryAreaJson);
  AddOnTrace("memory_boxes", MemoryBoxes, "application/octet-stream");
  AddOnTrace("memory_box", MemoryBoxJson);
  AddOnTrace("memory_held", OfAllEvents(MemoryHeldJson));
}

}  // namespace stepscope::server
