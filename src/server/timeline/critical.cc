// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/critical.h"

#include "analysis/replay/critical_path.h"
#include "analysis/replay/graph.h"
#include "base/json_writer.h"
#include "report/table_options.h"

namespace stepscope::server {

Result<std::string> CriticalJson(const OpenTrace& open,
                                 const std::string& steps) {
  STEPSCOPE_TRY_ASSIGN(const std::optional<StepChoice> choice,
                       StepsOf(steps, StepChoice::Settled()));
  const Trace& trace = open.trace();
  NameClasses names(trace.strings());
  const ReplayGraph graph = BuildReplayGraph(open.tree(), open.steps(), names);
  const CriticalPath path =
      FindCriticalPath(open.tree(), graph, names, *choice);
  JsonWriter json;
  json.BeginObject().Field("replay_error", path.replay_error);
  json.Field("total", path.total_ns);
  json.Key("segments").BeginArray();
  for (const PathPiece& piece : path.pieces) {
    json.BeginObject().Key("row");
    if (piece.row == kNoRow) {
      json.Null();
    } else {
      json.UInt(piece.row);
      const ViewTracks::Place place = open.view().PlaceOf(trace, piece.row);
      json.Field("track", uint64_t{place.track});
      json.Field("depth", uint64_t{place.depth});
    }
    json.Field("start", piece.at_ns - open.origin_ns());
    json.Field("dur", piece.dur_ns);
    json.Field("category", PathCategoryName(piece.category));
    json.Field("why", NameOf(piece, trace)).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
