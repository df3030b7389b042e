// SPDX-License-Identifier: Apache-2.0
//
// The tracks of a timeline: what a viewer draws one below the other, and the
// groups (processes, devices) that they belong to.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/pyramid.h"
#include "timeline/tile_query.h"

namespace stepscope::server {

struct TrackGroup {
  std::string name;
  std::string detail;
  std::string_view kind;  // "process", "device"
  int64_t pid = 0;
  int64_t rank = -1;
  uint32_t process = 0;  // of the trace
};

struct ViewTrack {
  uint32_t group = 0;
  std::string_view kind;  // "thread", "stream", "async", "counter", ...
  std::string name;
  std::string detail;
  uint64_t events = 0;
  uint32_t depth = 0;     // rows
  std::string_view unit;  // of counters
  // Tracks with boxes: where these come from. Slots are not set.
  std::vector<TilePart> parts;
  // Counters: the track of the samples; memory: the place.
  std::optional<uint32_t> counter;
  std::optional<StringId> place;
  bool reserved = false;  // memory: by the allocator, not by the program
  uint32_t process = 0;
  // The launch queue of a device, its busy time and its occupancy: any of its
  // streams.
  std::optional<uint32_t> device_of;
};

struct ViewTracks {
  std::vector<TrackGroup> groups;
  std::vector<ViewTrack> tracks;
  // By track of the trace: one of `tracks` that shows it, if any does.
  std::vector<uint32_t> of_track;

  // Where an event is drawn.
  struct Place {
    uint32_t track = 0;
    uint32_t depth = 0;
  };
  // By LineKind and track of the trace: where depth 0 is drawn.
  std::array<std::vector<Place>, 2> first_row;

  Place PlaceOf(const Trace& trace, Row row) const;
};

// Lanes of a thread are one track; one that is deeper than 256 rows is
// several. Python's events of a thread are a track of their own, above those
// of native code.
ViewTracks MakeViewTracks(const Pyramid& pyramid);

}  // namespace stepscope::server
