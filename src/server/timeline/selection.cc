// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/selection.h"

#include <algorithm>
#include <map>
#include <vector>

#include "analysis/looks.h"
#include "analysis/percentiles.h"
#include "base/json_writer.h"
#include "server/events/event_relations.h"
#include "server/timeline/flame.h"

namespace stepscope::server {
namespace {

constexpr size_t kTopNames = 5;
constexpr size_t kMostShownNames = 5000;

struct NameSum {
  uint32_t name = 0;
  uint64_t events = 0;
  int64_t time_ns = 0;
};

struct Total {
  uint8_t event_class = 0;
  int64_t total_ns = 0;
  int64_t self_ns = 0;
  std::vector<int64_t> durations;
};

// Adds up the events of one track that overlap a range. Parents come before
// their children, so a child's time is taken off its parent's when it comes.
class Adder {
 public:
  Adder(const OpenTrace& open, int64_t begin_ns, int64_t end_ns)
      : open_(open),
        trace_(open.trace()),
        begin_ns_(begin_ns),
        end_ns_(end_ns) {}

  void AddTrack(const TilePart& part) {
    const Track& track = trace_.tracks()[part.track];
    const Row first = LowerBound(trace_, track, begin_ns_);
    // What goes on at the begin: the event before and its parents.
    std::vector<Row> around;
    if (first > track.first) {
      for (Row row = first - 1; row != kNoRow;
           row = trace_.nesting().parent[row])
        if (trace_.end_ns(row) > begin_ns_) around.push_back(row);
    }
    flame_.StartTrack();
    for (auto row = around.rbegin(); row != around.rend(); ++row)
      Add(*row, LinePlaceOf(trace_, *row), part);
    if (first == track.last) return;
    LineDepths places(trace_, first);
    for (Row row = first; row < track.last && trace_.start_ns()[row] < end_ns_;
         ++row)
      Add(row, places.Next(row), part);
  }

  void Write(JsonWriter& json) {
    json.Field("events", events_);
    std::vector<std::pair<const uint32_t, Total>*> rows;
    for (auto& entry : totals_) rows.push_back(&entry);
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
      return a->second.total_ns != b->second.total_ns
                 ? a->second.total_ns > b->second.total_ns
                 : a->first < b->first;
    });
    json.Field("names", uint64_t{rows.size()});
    if (rows.size() > kMostShownNames) rows.resize(kMostShownNames);
    json.Key("rows").BeginArray();
    for (auto* entry : rows) WriteRow(json, entry->first, entry->second);
    json.EndArray();
    flame_.Write(json, trace_);
  }

 private:
  // The innermost event of the same kind around one.
  Row ParentOf(Row row) const {
    const LineKind kind = LineKindOf(trace_.type()[row]);
    Row parent = trace_.nesting().parent[row];
    while (LineKindOf(trace_.type()[parent]) != kind)
      parent = trace_.nesting().parent[parent];
    return parent;
  }

  void Add(Row row, const LinePlace& place, const TilePart& part) {
    const uint32_t depth = place.depth - part.first_depth;
    if (place.kind != part.kind || depth >= part.depths) return;
    const int64_t inside =
        std::max<int64_t>(std::min(trace_.end_ns(row), end_ns_) -
                              std::max(trace_.start_ns()[row], begin_ns_),
                          0);
    const uint32_t name = trace_.name()[row].v;
    Total& total = totals_[name];
    if (total.durations.empty())
      total.event_class = open_.pyramid().class_of(row);
    total.total_ns += inside;
    total.self_ns += inside;
    total.durations.push_back(std::max<int64_t>(trace_.dur_ns()[row], 0));
    if (depth > 0) totals_[trace_.name()[ParentOf(row)].v].self_ns -= inside;
    flame_.Add(depth, name, inside);
    ++events_;
  }

  void WriteRow(JsonWriter& json, uint32_t name, Total& total) {
    const auto calls = static_cast<int64_t>(total.durations.size());
    int64_t sum = 0;
    for (const int64_t duration : total.durations) sum += duration;
    const auto [least, most] =
        std::minmax_element(total.durations.begin(), total.durations.end());
    json.BeginObject().Field("name", trace_.str(StringId{name}));
    json.Field("name_id", uint64_t{name});
    json.Field("class", kEventClassLooks[total.event_class].name);
    json.Field("calls", calls).Field("total", total.total_ns);
    json.Field("self", total.self_ns);
    json.Field("mean", calls == 0 ? 0 : sum / calls);
    json.Field("min", calls == 0 ? 0 : *least);
    json.Field("max", calls == 0 ? 0 : *most);
    const Spread spread = ComputeSpread(total.durations);
    json.Field("p50", spread.p50_ns).Field("p90", spread.p90_ns);
    json.Field("p99", spread.p99_ns).EndObject();
  }

  const OpenTrace& open_;
  const Trace& trace_;
  const int64_t begin_ns_;
  const int64_t end_ns_;
  uint64_t events_ = 0;
  std::map<uint32_t, Total> totals_;  // by name
  Flame flame_;
};

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
  Adder adder(open, begin_ns + open.origin_ns(), end_ns + open.origin_ns());
  for (const uint32_t track : view_tracks)
    for (const TilePart& part : open.view().tracks[track].parts)
      adder.AddTrack(part);
  JsonWriter json;
  json.BeginObject();
  adder.Write(json);
  json.EndObject();
  return json.Take();
}

}  // namespace stepscope::server
