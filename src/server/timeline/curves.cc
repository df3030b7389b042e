// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/json_writer.h"

namespace stepscope::server {
namespace {

// What the file states; where it states no total, what was taken and given
// back since recording began.
Curve MemoryCurve(const Trace& trace, uint32_t process, StringId place,
                  bool reserved) {
  Curve stated;
  Curve summed;
  bool totals = false;
  double sum = 0;
  for (const MemoryEvent& event : trace.memory()) {
    if (event.place != place || trace.tracks()[event.track].process != process)
      continue;
    const uint64_t total =
        reserved ? event.total_reserved : event.total_allocated;
    totals |= total != 0;
    // Each event of torch states both totals, whatever it is of.
    if (IsReserved(event.kind) == reserved || total != 0) {
      stated.time_ns.push_back(event.time_ns);
      stated.value.push_back(static_cast<double>(total));
    }
    if (IsReserved(event.kind) == reserved) {
      sum += static_cast<double>(event.bytes);
      summed.time_ns.push_back(event.time_ns);
      summed.value.push_back(sum);
    }
  }
  return totals ? stated : summed;
}

}  // namespace

Curve SampledCurve(const Trace& trace, const ViewTrack& track) {
  if (track.place)
    return MemoryCurve(trace, track.process, *track.place, track.reserved);
  Curve curve;
  if (!track.counter) return curve;
  const std::vector<CounterSample>& samples = trace.counters();
  auto sample = std::partition_point(
      samples.begin(), samples.end(),
      [&](const CounterSample& s) { return s.track < *track.counter; });
  for (; sample != samples.end() && sample->track == *track.counter; ++sample) {
    curve.time_ns.push_back(sample->time_ns);
    curve.value.push_back(sample->value);
  }
  return curve;
}

Curve QueueCurve(const EventTree& tree, uint32_t stream) {
  const Trace& trace = tree.trace();
  const Track& device = trace.tracks()[stream];
  std::vector<std::pair<int64_t, int>> changes;
  for (const DeviceWork& work : tree.work()) {
    const Track& track = trace.tracks()[trace.track()[work.row]];
    if (work.launch == kNoRow || track.process != device.process ||
        track.device != device.device ||
        track.device_type != device.device_type)
      continue;
    const int64_t launched = trace.start_ns()[work.launch];
    const int64_t begun = trace.start_ns()[work.row];
    if (begun <= launched) continue;
    changes.emplace_back(launched, 1);
    changes.emplace_back(begun, -1);
  }
  std::sort(changes.begin(), changes.end());
  Curve curve;
  int waiting = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    waiting += changes[i].second;
    if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first)
      continue;
    curve.time_ns.push_back(changes[i].first);
    curve.value.push_back(waiting);
  }
  return curve;
}

std::string CurveJson(const Curve& curve, int64_t origin_ns, int64_t begin_ns,
                      int64_t end_ns, uint32_t pixels) {
  struct Pixel {
    int64_t time;
    double least;
    double most;
    double last;
  };
  std::vector<Pixel> shown;
  const auto first =
      std::lower_bound(curve.time_ns.begin(), curve.time_ns.end(), begin_ns);
  size_t i = static_cast<size_t>(first - curve.time_ns.begin());
  if (i > 0) {
    const double value = curve.value[i - 1];
    shown.push_back({curve.time_ns[i - 1], value, value, value});
  }
  const double pixel_ns = std::max(
      1.0, static_cast<double>(end_ns - begin_ns) / std::max(pixels, 1u));
  int64_t pixel = -1;
  for (; i < curve.time_ns.size() && curve.time_ns[i] < end_ns; ++i) {
    const double value = curve.value[i];
    const auto at = static_cast<int64_t>(
        static_cast<double>(curve.time_ns[i] - begin_ns) / pixel_ns);
    // A gap keeps what was known beside it apart.
    if (at != pixel || std::isnan(value) != std::isnan(shown.back().last)) {
      pixel = at;
      shown.push_back({curve.time_ns[i], value, value, value});
      continue;
    }
    Pixel& same = shown.back();
    same.least = std::min(same.least, value);
    same.most = std::max(same.most, value);
    same.last = value;
  }
  JsonWriter json;
  json.BeginObject().Key("t").BeginArray();
  for (const Pixel& p : shown) json.Int(p.time - origin_ns);
  json.EndArray().Key("min").BeginArray();
  for (const Pixel& p : shown) json.Number(p.least);
  json.EndArray().Key("max").BeginArray();
  for (const Pixel& p : shown) json.Number(p.most);
  json.EndArray().Key("last").BeginArray();
  for (const Pixel& p : shown) json.Number(p.last);
  // Of the whole curve, so that the scale stays when the view moves.
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (const double value : curve.value) {
    if (std::isnan(value)) continue;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const bool known = least <= most;
  json.EndArray().Field("lowest", known ? least : 0.0);
  json.Field("highest", known ? most : 0.0).EndObject();
  return json.Take();
}

}  // namespace stepscope::server
