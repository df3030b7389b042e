// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/selection.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/looks.h"
#include "base/json_writer.h"
#include "server/events/event_relations.h"
#include "server/events/same_name.h"
#include "server/timeline/box_sums.h"
#include "trace/kind_names.h"

namespace stepscope::server {
namespace {

constexpr size_t kTopNames = 5;
constexpr size_t kMostShownNames = 5000;

struct NameSum {
  uint32_t name = 0;
  uint64_t events = 0;
  int64_t time_ns = 0;
};

void WriteRow(JsonWriter& json, const Trace& trace, BoxRow& row) {
  json.BeginObject().Field("name", trace.str(row.name));
  json.Field("name_id", uint64_t{row.name.v});
  json.Field("class", kEventClassLooks[row.event_class].name);
  json.Field("on", NameOf(row.on));
  json.Field("calls", uint64_t{row.durations.size()});
  json.Field("nested", row.nested_calls).Field("total", row.total_ns);
  json.Field("self", row.self_ns);
  WriteDurations(json, row.durations);
  json.EndObject();
}

}  // namespace

Result<std::string> MarkJson(const OpenTrace& open, uint32_t view_track,
                             uint32_t depth, int64_t begin_ns, int64_t end_ns) {
  const Trace& trace = open.trace();
  begin_ns += open.origin_ns();
  end_ns += open.origin_ns();
  std::map<uint32_t, NameSum> sums;
  uint64_t events = 0;
  int64_t busy = 0;
  for (const TilePart& part : open.view().tracks[view_track].parts) {
    if (depth < part.at || depth >= part.at + part.depths) continue;
    const uint32_t wanted = depth - part.at + part.first_depth;
    const Track& track = trace.tracks()[part.track];
    const Row first = LowerBound(trace, track, begin_ns);
    if (first == track.last) continue;
    LineDepths places(trace, first);
    for (Row row = first; row < track.last && trace.start_ns()[row] < end_ns;
         ++row) {
      const LinePlace place = places.Next(row);
      if (place.kind != part.kind || place.depth != wanted) continue;
      NameSum& sum = sums[trace.name()[row].v];
      sum.name = trace.name()[row].v;
      ++sum.events;
      sum.time_ns += trace.dur_ns()[row];
      ++events;
      busy += std::min(trace.end_ns(row), end_ns) - trace.start_ns()[row];
    }
  }
  std::vector<NameSum> top;
  for (const auto& [name, sum] : sums) top.push_back(sum);
  std::sort(top.begin(), top.end(), [](const NameSum& a, const NameSum& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.name < b.name;
  });
  const size_t names = top.size();
  if (top.size() > kTopNames) top.resize(kTopNames);
  JsonWriter json;
  json.BeginObject().Field("events", events);
  json.Field("names", uint64_t{names}).Field("time", busy);
  json.Field("busy",
             static_cast<double>(busy) /
                 static_cast<double>(std::max<int64_t>(end_ns - begin_ns, 1)));
  json.Key("top").BeginArray();
  for (const NameSum& sum : top) {
    json.BeginObject().Field("name", trace.str(StringId{sum.name}));
    json.Field("events", sum.events).Field("time", sum.time_ns).EndObject();
  }
  json.EndArray().EndObject();
  return json.Take();
}

Result<std::string> SelectJson(const OpenTrace& open,
                               std::span<const uint32_t> view_tracks,
                               int64_t begin_ns, int64_t end_ns) {
  const Trace& trace = open.trace();
  const Interval range = {begin_ns + open.origin_ns(),
                          end_ns + open.origin_ns()};
  BoxSums sums = SumBox(open, view_tracks, range);
  JsonWriter json;
  json.BeginObject().Field("events", sums.events);
  json.Field("names", uint64_t{sums.rows.size()}).Key("rows").BeginArray();
  for (size_t i = 0; i < std::min(sums.rows.size(), kMostShownNames); ++i)
    WriteRow(json, trace, sums.rows[i]);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
