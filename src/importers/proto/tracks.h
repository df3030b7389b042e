// SPDX-License-Identifier: Apache-2.0
//
// Tracks: the tracks of one file, made when they are first asked for. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "trace/build/trace_builder.h"

namespace stepscope::proto {

class Tracks {
 public:
  explicit Tracks(TraceBuilder& builder) : builder_(builder) {}
  // The same tracks in a fork of the builder.
  Tracks(const Tracks& other, TraceBuilder& fork)
      : builder_(fork), tracks_(other.tracks_) {}

  // Takes note of threads and streams that came into the builder otherwise,
  // from the track `first` on.
  void Learn(uint32_t first) {
    for (uint32_t i = first; i < builder_.track_count(); ++i) {
      const Track& track = builder_.track(i);
      tracks_.try_emplace({track.process, track.kind, track.device, track.id},
                          i);
    }
  }

  uint32_t Thread(uint32_t process, int64_t id) {
    return Find({process, TrackKind::kThread, -1, id}, {});
  }
  bool HasThread(uint32_t process, int64_t id) const {
    return tracks_.contains({process, TrackKind::kThread, -1, id});
  }
  // `type`: "GPU", "TPU", ...
  uint32_t Stream(uint32_t process, std::string_view type, int64_t device,
                  int64_t id) {
    return Find({process, TrackKind::kStream, device, id}, type);
  }

 private:
  using Key = std::tuple<uint32_t, TrackKind, int64_t, int64_t>;

  uint32_t Find(const Key& key, std::string_view type) {
    // Records of a few tracks take turns.
    Last& last = last_[Slot(key)];
    if (key == last.key && last.track != kNone) return last.track;
    const auto [it, fresh] = tracks_.try_emplace(key, 0u);
    if (fresh) {
      Track track;
      std::tie(track.process, track.kind, track.device, track.id) = key;
      if (!type.empty()) track.device_type = builder_.Intern(type);
      it->second = builder_.AddTrack(track);
    }
    last = {key, it->second};
    return last.track;
  }

  static size_t Slot(const Key& key) {
    const auto& [process, kind, device, id] = key;
    const uint64_t all = static_cast<uint64_t>(id) * 4 +
                         static_cast<uint64_t>(device) * 131 +
                         static_cast<uint64_t>(kind) + process * uint64_t{17};
    return static_cast<size_t>(all * 0x9e3779b97f4a7c15u >> (64 - kSlotBits));
  }

  static constexpr uint32_t kNone = 0xffffffffu;
  static constexpr uint32_t kSlotBits = 5;

  TraceBuilder& builder_;
  std::map<Key, uint32_t> tracks_;
  struct Last {
    Key key;
    uint32_t track = kNone;
  };
  Last last_[1 << kSlotBits];
};

}  // namespace stepscope::proto
