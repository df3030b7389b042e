// SPDX-License-Identifier: Apache-2.0
//
// Requests of the timeline.
#include "server/api.h"
#include "server/tiles.h"
#include "server/trace_json.h"

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

Result<std::string> AnswerTiles(const OpenTrace& open,
                                const Parameters& parameters) {
  STEPSCOPE_TRY_ASSIGN(
      const TilesRequest request,
      ParseTilesRequest(parameters.Text("k"), parameters.Text("i0"),
                        parameters.Text("i1"), parameters.Text("tracks"),
                        static_cast<uint32_t>(open.view().tracks.size())));
  return TilesAnswer(open, request);
}

}  // namespace

void Api::AddTimeline() {
  AddOnTrace(
      "trace",
      [](const OpenTrace& open, const Parameters&) -> Result<std::string> {
        return TraceJson(open);
      });
  AddOnTrace("names", AnswerNames);
  AddOnTrace("tiles", AnswerTiles, "application/octet-stream");
}

}  // namespace stepscope::server
