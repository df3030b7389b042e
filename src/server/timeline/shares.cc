// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/shares.h"

#include <stepscope/c.h>

#include <algorithm>
#include <optional>

#include "analysis/interval.h"
#include "analysis/kernel_use.h"
#include "base/json_writer.h"

namespace stepscope::server {
namespace {

bool SameDevice(const Track& a, const Track& b) {
  return a.kind == TrackKind::kStream && a.process == b.process &&
         a.device == b.device && a.device_type == b.device_type;
}

// Calls use(row) for what runs on the device of a stream, stream by stream.
template <typename Use>
void ForDeviceWork(const Trace& trace, uint32_t stream, const Use& use) {
  for (const Track& track : trace.tracks()) {
    if (!SameDevice(track, trace.tracks()[stream])) continue;
    for (Row row = track.first; row < track.last; ++row) use(row);
  }
}

struct ShareChange {
  int64_t time_ns;
  double part;
  double whole;
};

Shares FromChanges(std::vector<ShareChange> changes) {
  std::sort(changes.begin(), changes.end(),
            [](const ShareChange& a, const ShareChange& b) {
              return a.time_ns < b.time_ns;
            });
  Shares shares;
  Shares::Point now;
  for (size_t i = 0; i < changes.size();) {
    const int64_t time = changes[i].time_ns;
    if (!shares.points.empty()) {
      const auto since = static_cast<double>(time - now.time_ns);
      now.part_before += now.part * since;
      now.whole_before += now.whole * since;
    }
    now.time_ns = time;
    for (; i < changes.size() && changes[i].time_ns == time; ++i) {
      now.part += changes[i].part;
      now.whole += changes[i].whole;
    }
    // Sums of fractions do not come back to 0 by themselves.
    if (now.whole == 0) now.part = 0;
    shares.points.push_back(now);
  }
  return shares;
}

struct Integral {
  double part = 0;
  double whole = 0;
};

Integral Until(const Shares& shares, int64_t time_ns) {
  const auto after = std::upper_bound(
      shares.points.begin(), shares.points.end(), time_ns,
      [](int64_t time, const Shares::Point& p) { return time < p.time_ns; });
  if (after == shares.points.begin()) return {};
  const Shares::Point& point = *(after - 1);
  const auto since = static_cast<double>(time_ns - point.time_ns);
  return {point.part_before + point.part * since,
          point.whole_before + point.whole * since};
}

}  // namespace

Shares BusyShares(const Trace& trace, uint32_t stream) {
  IntervalCollector busy;
  ForDeviceWork(trace, stream, [&](Row row) {
    busy.Add(trace.start_ns()[row], trace.end_ns(row));
  });
  std::vector<ShareChange> changes;
  for (const Interval& interval : busy.Finish()) {
    changes.push_back({interval.begin, 1, 1});
    changes.push_back({interval.end, -1, -1});
  }
  Shares shares = FromChanges(std::move(changes));
  shares.of_all_time = true;
  return shares;
}

Shares OccupancyShares(const Trace& trace, uint32_t stream) {
  KernelUseReader use(trace);
  std::vector<ShareChange> changes;
  ForDeviceWork(trace, stream, [&](Row row) {
    if (trace.type()[row] != STEPSCOPE_KERNEL) return;
    const std::optional<double> stated = use.Read(row).occupancy;
    if (!stated || trace.dur_ns()[row] == 0) return;
    const double occupancy = std::min(1.0, *stated);
    changes.push_back({trace.start_ns()[row], occupancy, 1});
    changes.push_back({trace.end_ns(row), -occupancy, -1});
  });
  return FromChanges(std::move(changes));
}

bool AnyOccupancy(const Trace& trace, uint32_t stream) {
  KernelUseReader use(trace);
  if (!use.any()) return false;
  for (const Track& track : trace.tracks()) {
    if (!SameDevice(track, trace.tracks()[stream])) continue;
    // All of them: the first ones may be those that state none.
    for (Row row = track.first; row < track.last; ++row)
      if (trace.type()[row] == STEPSCOPE_KERNEL && use.Read(row).occupancy)
        return true;
  }
  return false;
}

std::vector<int64_t> PixelEdges(int64_t begin_ns, int64_t end_ns,
                                uint32_t pixels) {
  const double pixel_ns = std::max(
      1.0, static_cast<double>(end_ns - begin_ns) / std::max(pixels, 1u));
  std::vector<int64_t> edges = {begin_ns};
  for (uint32_t i = 1; edges.back() < end_ns && i <= pixels; ++i) {
    const int64_t to =
        std::min(end_ns, begin_ns + static_cast<int64_t>(pixel_ns * i + 0.5));
    if (to > edges.back()) edges.push_back(to);
  }
  return edges;
}

void ShareList::Add(int64_t time, std::optional<double> share) {
  if (!shares_.empty() && shares_.back() == share) return;
  times_.push_back(time);
  shares_.push_back(share);
}

std::string ShareList::Json() const {
  JsonWriter json;
  json.BeginObject().Key("t").BeginArray();
  for (const int64_t time : times_) json.Int(time);
  json.EndArray();
  for (const char* key : {"min", "max", "last"}) {
    json.Key(key).BeginArray();
    for (const std::optional<double>& share : shares_) {
      if (share)
        json.Number(*share);
      else
        json.Null();
    }
    json.EndArray();
  }
  json.Field("lowest", 0.0).Field("highest", 1.0).EndObject();
  return json.Take();
}

std::string SharesJson(const Shares& shares, int64_t origin_ns,
                       int64_t begin_ns, int64_t end_ns, uint32_t pixels) {
  const std::vector<int64_t> edges = PixelEdges(begin_ns, end_ns, pixels);
  ShareList list;
  Integral before = Until(shares, begin_ns);
  for (size_t i = 1; i < edges.size(); ++i) {
    const Integral now = Until(shares, edges[i]);
    const double whole = shares.of_all_time
                             ? static_cast<double>(edges[i] - edges[i - 1])
                             : now.whole - before.whole;
    std::optional<double> share;
    if (whole > 0)
      share = std::clamp((now.part - before.part) / whole, 0.0, 1.0);
    list.Add(edges[i - 1] - origin_ns, share);
    before = now;
  }
  return list.Json();
}

}  // namespace stepscope::server
