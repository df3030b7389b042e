// SPDX-License-Identifier: Apache-2.0
//
// Iterations and their device work in a stretch of time, as many as a screen
// shows: those of serving_json.h that depend on a window.
#include <algorithm>
#include <array>

#include "server/serving/serving_json.h"

namespace stepscope::server {
namespace {

// An iteration, or several that share a pixel.
struct Spot {
  uint32_t first = 0;
  uint64_t count = 0;
  int64_t start = 0;
  int64_t end = 0;
  std::array<int64_t, kIterationKinds> time = {};  // of each kind
  std::optional<int64_t> requests;  // of several: in the fullest of them
  std::optional<int64_t> tokens;
  bool chosen = false;

  void Add(const IterationRow& one, bool is_chosen) {
    ++count;
    end = std::max(end, Serving::EndOf(one));
    int64_t& spent = time[static_cast<size_t>(one.mark.kind)];
    spent = SaturatingAdd(spent, std::max<int64_t>(one.host_ns, 1));
    chosen = chosen || is_chosen;
    TakeMost(requests, one.mark.requests);
    if (one.mark.tokens_context || one.mark.tokens_generation)
      TakeMost(tokens, SaturatingAdd(one.mark.tokens_context.value_or(0),
                                     one.mark.tokens_generation.value_or(0)));
  }
  // That most of its time is of.
  size_t kind() const {
    return static_cast<size_t>(std::max_element(time.begin(), time.end()) -
                               time.begin());
  }

 private:
  static void TakeMost(std::optional<int64_t>& most,
                       const std::optional<int64_t>& one) {
    if (one) most = std::max(most.value_or(*one), *one);
  }
};

int64_t PixelOf(const Stretch& window) {
  return std::max<int64_t>(
      1, SaturatingSubtract(window.end, window.begin) / window.pixels);
}

Interval Absolute(const OpenTrace& open, const Stretch& window) {
  return {SaturatingAdd(window.begin, open.origin_ns()),
          SaturatingAdd(window.end, open.origin_ns())};
}

template <typename Get>
void WriteColumn(JsonWriter& json, std::string_view name,
                 const std::vector<Spot>& spots, Get get) {
  json.Key(name).BeginArray();
  for (const Spot& spot : spots) {
    if constexpr (requires { *get(spot); }) {
      if (const auto value = get(spot))
        json.Int(*value);
      else
        json.Null();
    } else {
      json.Int(static_cast<int64_t>(get(spot)));
    }
  }
  json.EndArray();
}

// Work of one lane of a stream, [first, last) of EventTree::work().
void WriteWork(JsonWriter& json, const OpenTrace& open,
               const Serving::TrackWork& lane, const std::vector<bool>& chosen,
               const Stretch& window) {
  const Trace& trace = open.trace();
  const std::span<const DeviceWork> work = open.tree().work();
  const std::vector<uint32_t>& owners = open.serving()->iterations().owners;
  const Interval stretch = Absolute(open, window);
  const int64_t pixel_ns = PixelOf(window);
  size_t at = static_cast<size_t>(
      std::partition_point(work.begin() + static_cast<ptrdiff_t>(lane.first),
                           work.begin() + static_cast<ptrdiff_t>(lane.last),
                           [&](const DeviceWork& one) {
                             return trace.start_ns()[one.row] < stretch.begin;
                           }) -
      work.begin());
  // What began before may go on.
  if (at > lane.first) --at;
  Interval part = {0, INT64_MIN};
  Row first = kNoRow;
  const auto flush = [&] {
    if (first == kNoRow) return;
    const ViewTracks::Place place = open.view().PlaceOf(trace, first);
    json.BeginArray().UInt(place.track).UInt(place.depth);
    json.Int(part.begin - open.origin_ns()).Int(part.end - part.begin);
    json.EndArray();
  };
  for (; at < lane.last; ++at) {
    const Row row = work[at].row;
    const int64_t start = trace.start_ns()[row];
    if (start >= stretch.end) break;
    const int64_t end = open.tree().end_ns(row);
    if (owners[at] >= chosen.size() || !chosen[owners[at]] ||
        end <= stretch.begin)
      continue;
    if (first == kNoRow || start > SaturatingAdd(part.end, pixel_ns)) {
      flush();
      first = row;
      part = {start, end};
    }
    part.end = std::max(part.end, end);
  }
  flush();
}

}  // namespace

std::optional<uint32_t> GroupOf(const OpenTrace& open,
                                const IterationRow& one) {
  const uint32_t track = open.trace().track()[one.row];
  const uint32_t in_view = open.view().of_track[track];
  if (in_view >= open.view().tracks.size()) return std::nullopt;
  return open.view().tracks[in_view].group;
}

std::vector<bool> IterationsOfRequest(const Serving& serving,
                                      uint32_t request) {
  std::vector<bool> chosen(serving.iterations().list.size());
  for (const RequestIteration& one :
       serving.requests().list[request].iterations)
    chosen[one.index] = true;
  return chosen;
}

std::string IterationsJson(const OpenTrace& open, const Stretch& window,
                           std::optional<uint32_t> group,
                           std::optional<uint32_t> request) {
  const Serving& serving = *open.serving();
  const std::vector<IterationRow>& list = serving.iterations().list;
  std::vector<bool> chosen;
  if (request) chosen = IterationsOfRequest(serving, *request);
  const int64_t pixel_ns = PixelOf(window);
  std::vector<Spot> spots;
  uint64_t total = 0;
  serving.ForEachIn(Absolute(open, window), [&](uint32_t index) {
    const IterationRow& one = list[index];
    if (group ? GroupOf(open, one) != group : one.repeats_another_rank) return;
    ++total;
    const bool joins =
        !spots.empty() &&
        Serving::EndOf(one) <= SaturatingAdd(spots.back().start, pixel_ns);
    if (!joins) {
      Spot& spot = spots.emplace_back();
      spot.first = index;
      spot.start = spot.end = one.start_ns;
    }
    spots.back().Add(one, request && chosen[index]);
  });
  const int64_t origin = open.origin_ns();
  JsonWriter json;
  json.BeginObject().Key("kinds").BeginArray();
  for (size_t i = 0; i < kIterationKinds; ++i)
    json.String(NameOf(static_cast<IterationKind>(i)));
  json.EndArray().Field("total", total);
  WriteColumn(json, "first", spots, [](const Spot& s) { return s.first; });
  WriteColumn(json, "count", spots, [](const Spot& s) { return s.count; });
  WriteColumn(json, "start", spots,
              [&](const Spot& s) { return s.start - origin; });
  WriteColumn(json, "dur", spots,
              [](const Spot& s) { return s.end - s.start; });
  WriteColumn(json, "kind", spots, [](const Spot& s) { return s.kind(); });
  WriteColumn(json, "requests", spots,
              [](const Spot& s) { return s.requests; });
  WriteColumn(json, "tokens", spots, [](const Spot& s) { return s.tokens; });
  WriteColumn(json, "row", spots,
              [&](const Spot& s) { return list[s.first].row; });
  WriteColumn(json, "chosen", spots,
              [](const Spot& s) { return int64_t{s.chosen}; });
  json.EndObject();
  return json.Take();
}

std::string IterationWorkJson(const OpenTrace& open,
                              const std::vector<bool>& chosen,
                              const Stretch& window) {
  JsonWriter json;
  json.BeginObject().Key("parts").BeginArray();
  for (const Serving::TrackWork& lane : open.serving()->work())
    WriteWork(json, open, lane, chosen, window);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace stepscope::server
