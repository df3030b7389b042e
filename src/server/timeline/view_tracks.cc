// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/view_tracks.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"
#include "server/timeline/curves.h"
#include "server/timeline/shares.h"
#include "trace/device_counter.h"

namespace stepscope::server {
namespace {

constexpr uint32_t kMostDepths = 256;  // the depth of a record is a byte

class Maker {
 public:
  explicit Maker(const Pyramid& pyramid)
      : pyramid_(pyramid), trace_(pyramid.trace()) {}

  ViewTracks Make() {
    FindAnnotations();
    view_.of_track.assign(trace_.tracks().size(), UINT32_MAX);
    for (auto& places : view_.first_row)
      places.assign(trace_.tracks().size(), {});
    for (uint32_t process = 0; process < trace_.processes().size(); ++process) {
      // Devices first: they are what a reader looks for.
      AddEvents(process, TrackKind::kStream);
      AddEvents(process, TrackKind::kThread);
      AddEvents(process, TrackKind::kAsync);
      AddCounters(process);
      AddMemory(process);
    }
    return std::move(view_);
  }

 private:
  // Lanes of one thread or stream, in their order.
  using Lanes = std::vector<uint32_t>;

  uint32_t GroupOf(uint32_t process, const Track* stream) {
    const std::tuple<uint32_t, bool, StringId, int64_t> key = {
        process, stream != nullptr,
        stream != nullptr ? stream->device_type : StringId{},
        stream != nullptr ? stream->device : 0};
    const auto [found, fresh] =
        groups_.try_emplace(key, static_cast<uint32_t>(view_.groups.size()));
    if (!fresh) return found->second;
    const Process& p = trace_.processes()[process];
    TrackGroup group;
    group.pid = p.pid;
    group.rank = p.rank;
    group.process = process;
    std::string name(trace_.str(p.name));
    if (name.empty())
      name = p.pid >= 0 ? Format("Process %lld", static_cast<long long>(p.pid))
                        : "Process";
    if (p.rank >= 0)
      name = Format("Rank %lld · ", static_cast<long long>(p.rank)) + name;
    group.detail = std::string(trace_.str(p.host));
    if (p.pid >= 0) {
      if (!group.detail.empty()) group.detail += " ";
      group.detail += Format("pid %lld", static_cast<long long>(p.pid));
    }
    group.kind = "process";
    if (stream != nullptr) {
      group.kind = "device";
      std::string device(trace_.str(stream->device_type));
      if (device.empty()) device = "Device";
      if (stream->device >= 0)
        device += Format(" %lld", static_cast<long long>(stream->device));
      group.detail = name + (group.detail.empty() ? "" : " · " + group.detail);
      group.name = device;
    } else {
      group.name = std::move(name);
    }
    view_.groups.push_back(std::move(group));
    return found->second;
  }

  // What lies over the streams of a device belongs to these: to the one with
  // its number, else to the first.
  void FindAnnotations() {
    using Device = std::tuple<uint32_t, int64_t>;
    std::map<Device, uint32_t> devices;
    std::map<std::tuple<Device, int64_t>, uint32_t> streams;
    const std::vector<Track>& tracks = trace_.tracks();
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      const Track& track = tracks[i];
      if (track.kind != TrackKind::kStream || track.first == track.last)
        continue;
      const Device device(track.process, track.device);
      devices.try_emplace(device, i);
      streams.try_emplace({device, track.id}, i);
    }
    lies_over_.assign(tracks.size(), kNoStream);
    for (uint32_t i = 0; i < tracks.size(); ++i) {
      const Track& track = tracks[i];
      if (track.kind != TrackKind::kAsync || track.first == track.last ||
          track.device < 0)
        continue;
      const Device device(track.process, track.device);
      if (const auto stream = streams.find({device, track.id});
          stream != streams.end())
        lies_over_[i] = stream->second;
      else if (const auto any = devices.find(device); any != devices.end())
        lies_over_[i] = any->second;
      else
        continue;
      annotations_[lies_over_[i]].push_back(i);
    }
  }

  // Tracks of one thread or stream together, in the order of the trace.
  std::vector<Lanes> LanesOf(const std::vector<uint32_t>& tracks) const {
    std::vector<Lanes> all;
    std::map<std::tuple<StringId, int64_t, int64_t>, size_t> known;
    for (const uint32_t i : tracks) {
      const Track& track = trace_.tracks()[i];
      const auto [found, fresh] = known.try_emplace(
          {track.device_type, track.device, track.id}, all.size());
      if (fresh) all.emplace_back();
      all[found->second].push_back(i);
    }
    return all;
  }

  void AddEvents(uint32_t process, TrackKind kind) {
    std::vector<uint32_t> tracks;
    for (uint32_t i = 0; i < trace_.tracks().size(); ++i) {
      const Track& track = trace_.tracks()[i];
      if (track.process == process && track.kind == kind &&
          track.first != track.last && lies_over_[i] == kNoStream)
        tracks.push_back(i);
    }
    const std::vector<Lanes> all = LanesOf(tracks);
    for (const Lanes& lanes : all) {
      AddLanes(process, kind, lanes);
      if (const auto own = annotations_.find(lanes[0]);
          own != annotations_.end())
        for (const Lanes& over : LanesOf(own->second))
          AddLanes(process, TrackKind::kAsync, over);
    }
    if (kind == TrackKind::kStream)
      for (const Lanes& lanes : all) AddDevice(process, lanes[0]);
  }

  // Curves of a whole device, once.
  void AddDevice(uint32_t process, uint32_t stream) {
    const uint32_t group = GroupOf(process, &trace_.tracks()[stream]);
    for (const ViewTrack& track : view_.tracks)
      if (track.group == group && track.device_of) return;
    ViewTrack track;
    track.group = group;
    track.process = process;
    track.device_of = stream;
    const auto add = [&](std::string_view kind, std::string_view name,
                         std::string_view detail, std::string_view unit) {
      track.kind = kind;
      track.name = name;
      track.detail = detail;
      track.unit = unit;
      view_.tracks.push_back(track);
    };
    add("busy", "Busy", "share of time with work", "share");
    if (AnyOccupancy(trace_, stream))
      add("occupancy", "Occupancy", "as kernels state it", "share");
    if (!trace_.links().empty())
      add("queue", "Launch queue", "launched, not yet started", "");
  }

  std::string_view KindOf(TrackKind kind) {
    switch (kind) {
      case TrackKind::kStream:
        return "stream";
      case TrackKind::kAsync:
        return "async";
      case TrackKind::kThread:
      case TrackKind::kCounter:
        break;
    }
    return "thread";
  }

  void AddLanes(uint32_t process, TrackKind kind, const Lanes& lanes) {
    const Track& first = trace_.tracks()[lanes[0]];
    ViewTrack track;
    const uint32_t under = lies_over_[lanes[0]];
    const Track* stream_of =
        under != kNoStream ? &trace_.tracks()[under] : nullptr;
    if (kind == TrackKind::kStream) stream_of = &first;
    track.group = GroupOf(process, stream_of);
    track.kind = KindOf(kind);
    const std::string number = std::to_string(first.id);
    track.name = Trimmed(trace_.str(first.name));
    const bool stream = kind == TrackKind::kStream;
    if (track.name.empty())
      track.name = (stream ? "Stream " : "Thread ") + number;
    track.detail = (stream ? "stream " : "thread ") + number;
    if (under != kNoStream) {
      // torch names its rows by device and stream.
      if (track.name == "stream " + number ||
          track.name == std::to_string(first.device) + " " + number)
        track.name = "Stream " + number;
      track.name += " · annotations";
      track.detail = "ranges and waits, no work of the device";
    }
    const bool native = AnyLines(lanes, LineKind::kNative);
    if (AnyLines(lanes, LineKind::kPython)) {
      ViewTrack python = track;
      if (native) python.name += " · Python";
      AddRows(std::move(python), lanes, LineKind::kPython);
    }
    if (native) AddRows(std::move(track), lanes, LineKind::kNative);
  }

  bool AnyLines(const Lanes& lanes, LineKind kind) const {
    return std::any_of(lanes.begin(), lanes.end(), [&](uint32_t lane) {
      return pyramid_.depths(lane, kind) > 0;
    });
  }

  uint64_t CountEvents(uint32_t lane, LineKind kind) const {
    const Track& track = trace_.tracks()[lane];
    const auto types =
        trace_.type().subspan(track.first, track.last - track.first);
    if (pyramid_.lines(lane) != TrackLines::kBoth)
      return pyramid_.depths(lane, kind) > 0 ? types.size() : 0;
    return static_cast<uint64_t>(
        std::count_if(types.begin(), types.end(),
                      [&](uint16_t type) { return LineKindOf(type) == kind; }));
  }

  // The rows of a kind of some lanes, one below the other.
  void AddRows(ViewTrack track, const Lanes& lanes, LineKind kind) {
    const std::string whole = track.name;
    int page = 1;
    for (const uint32_t lane : lanes) {
      track.events += CountEvents(lane, kind);
      const uint32_t depths = pyramid_.depths(lane, kind);
      uint32_t depth = 0;
      while (depth < depths) {
        if (track.depth == kMostDepths) {
          view_.tracks.push_back(track);
          track.parts.clear();
          track.depth = 0;
          track.events = 0;
          track.name = whole + Format(" (%d)", ++page);
        }
        const uint32_t rows_here =
            std::min(depths - depth, kMostDepths - track.depth);
        if (depth == 0) {
          const auto at = static_cast<uint32_t>(view_.tracks.size());
          view_.of_track[lane] = at;
          view_.first_row[static_cast<size_t>(kind)][lane] = {at, track.depth};
        }
        track.parts.push_back({0, lane, depth, rows_here, track.depth, kind});
        track.depth += rows_here;
        depth += rows_here;
      }
    }
    view_.tracks.push_back(std::move(track));
  }

  // Any of a device; null: the process has none there.
  const Track* StreamOf(uint32_t process, int64_t device) const {
    const auto found =
        std::ranges::find_if(trace_.tracks(), [&](const Track& track) {
          return track.kind == TrackKind::kStream && track.process == process &&
                 track.device == device && track.first != track.last;
        });
    return found != trace_.tracks().end() ? &*found : nullptr;
  }

  // What the hardware of a device counted stands with the device.
  void AddCounters(uint32_t process) {
    const std::vector<CounterSample>& samples = trace_.counters();
    for (size_t i = 0; i < samples.size();) {
      const uint32_t at = samples[i].track;
      size_t end = i;
      while (end < samples.size() && samples[end].track == at) ++end;
      const Track& counter = trace_.tracks()[at];
      if (counter.process == process) {
        ViewTrack track;
        track.kind = "counter";
        track.name = std::string(trace_.str(counter.name));
        const auto hardware = FindDeviceCounter(track.name);
        const Track* device =
            hardware ? StreamOf(process, hardware->device) : nullptr;
        if (device != nullptr) {
          // "DRAM read (B/s)"
          const std::string_view words = DeviceCounterWords(hardware->kind);
          const size_t unit = words.rfind(" (");
          track.name = std::string(words.substr(0, unit));
          track.unit = words.substr(unit + 2, words.size() - unit - 3);
        }
        track.group = GroupOf(process, device);
        track.events = end - i;
        track.process = process;
        track.counter = at;
        view_.tracks.push_back(std::move(track));
      }
      i = end;
    }
  }

  void AddMemory(uint32_t process) {
    struct Seen {
      uint64_t events = 0;
      bool reserved = false;  // the file says what the allocator held
    };
    std::map<StringId, Seen> places;
    for (const MemoryEvent& event : trace_.memory()) {
      if (trace_.tracks()[event.track].process != process) continue;
      Seen& seen = places[event.place];
      ++seen.events;
      seen.reserved =
          seen.reserved || event.total_reserved != 0 || IsReserved(event.kind);
    }
    for (const auto& [place, seen] : places) {
      ViewTrack track;
      track.group = GroupOf(process, nullptr);
      track.kind = "memory";
      track.name = "Memory " + std::string(trace_.str(place));
      track.detail = "allocated by the program";
      track.events = seen.events;
      track.unit = "bytes";
      track.process = process;
      track.place = place;
      view_.tracks.push_back(track);
      if (!seen.reserved) continue;
      track.name = "Reserved " + std::string(trace_.str(place));
      track.detail = "held by its allocator";
      track.reserved = true;
      view_.tracks.push_back(std::move(track));
    }
  }

  static constexpr uint32_t kNoStream = UINT32_MAX;

  const Pyramid& pyramid_;
  const Trace& trace_;
  std::vector<uint32_t> lies_over_;  // by track: over which one
  std::map<uint32_t, std::vector<uint32_t>> annotations_;  // by stream
  ViewTracks view_;
  std::map<std::tuple<uint32_t, bool, StringId, int64_t>, uint32_t> groups_;
};

}  // namespace

ViewTracks::Place ViewTracks::PlaceOf(const Trace& trace, Row row) const {
  const LinePlace line = LinePlaceOf(trace, row);
  const Place first =
      first_row[static_cast<size_t>(line.kind)][trace.track()[row]];
  const uint32_t depth = first.depth + line.depth;
  return {first.track + depth / kMostDepths, depth % kMostDepths};
}

ViewTracks MakeViewTracks(const Pyramid& pyramid) {
  return Maker(pyramid).Make();
}

}  // namespace stepscope::server
