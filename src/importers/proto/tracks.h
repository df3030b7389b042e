// SPDX-License-Identifier: Apache-2.0
//
// Tracks: the tracks of one file, made when they are first asked for. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "trace/trace_builder.h"

namespace stepscope::proto {

class Tracks {
 public:
  explicit Tracks(TraceBuilder& builder) : builder_(builder) {}

  uint32_t Thread(uint32_t process, int64_t id) {
    return Find({process, TrackKind::kThread, -1, id}, {});
  }
  // `type`: "GPU", "TPU", ...
  uint32_t Stream(uint32_t process, std::string_view type, int64_t device,
                  int64_t id) {
    return Find({process, TrackKind::kStream, device, id}, type);
  }

 private:
  using Key = std::tuple<uint32_t, TrackKind, int64_t, int64_t>;

  uint32_t Find(const Key& key, std::string_view type) {
    if (key == last_key_ && last_ != kNone) return last_;
    const auto [it, fresh] = tracks_.try_emplace(key, 0u);
    if (fresh) {
      Track track;
      std::tie(track.process, track.kind, track.device, track.id) = key;
      if (!type.empty()) track.device_type = builder_.Intern(type);
      it->second = builder_.AddTrack(track);
    }
    last_key_ = key;
    return last_ = it->second;
  }

  static constexpr uint32_t kNone = 0xffffffffu;

  TraceBuilder& builder_;
  std::map<Key, uint32_t> tracks_;
  Key last_key_;
  uint32_t last_ = kNone;
};

}  // namespace stepscope::proto
