// SPDX-License-Identifier: Apache-2.0
//
// FluidProfile: reads what fluid.profiler writes (/tmp/profile). One process;
// a host thread's events and CUDA calls lie on one track, told apart by their
// type, so that they nest; the block an event ran in is its argument "block"
// where it is not 0. Tracks are in the order in which the file names them.
#pragma once

#include <cstdint>
#include <vector>

#include "importers/fluid/fluid_importer.h"
#include "importers/proto/parts.h"
#include "importers/proto/recorder.h"
#include "importers/proto/tracks.h"

namespace stepscope::proto::fluid {

class FluidProfile {
 public:
  FluidProfile(const Input& input, TraceBuilder& builder);
  void Read();

 private:
  static constexpr uint16_t kUnknownType = 0xffff;

  // Reads a part of the same file into a fork of the builder.
  FluidProfile(const FluidProfile& whole, TraceBuilder& fork);

  // Returns how many threads did.
  size_t ReadRecords();
  // Those records that begin in `part`. `from`: where a record begins, at or
  // before it. Returns where the first behind it begins.
  const uint8_t* ReadPart(const uint8_t* from, const Range& part);
  // Takes over what another has read of `part`, and reads the rest of it.
  void Join(FluidProfile&& next, const Range& part);
  void ReadEvent(Bytes event, bool cut);
  void ReadMemory(Bytes event, bool cut);
  void AddMemoryEvents();
  void SetStart();

  // The type that `find` makes of the name, which it is asked for once.
  template <typename Find>
  static uint16_t TypeOf(StringId name, std::vector<uint16_t>& types,
                         Find find) {
    if (name.v >= types.size()) types.resize(2 * name.v + 64, kUnknownType);
    if (types[name.v] == kUnknownType) types[name.v] = find();
    return types[name.v];
  }

  // The same for a track: most files have a few, whose events take turns.
  template <typename Find>
  uint32_t TrackOf(bool stream, int64_t device, uint64_t id, Find find) {
    KnownTrack& known = known_tracks_[stream][id % kKnownTracks];
    if (known.id != id || known.device != device || known.track == kNoTrack)
      known = {device, id, find()};
    return known.track;
  }

  static constexpr uint32_t kNoTrack = UINT32_MAX;
  static constexpr size_t kKnownTracks = 16;
  struct KnownTrack {
    int64_t device = 0;
    uint64_t id = 0;
    uint32_t track = kNoTrack;
  };

  const Input& input_;
  Recorder out_;
  Tracks tracks_;
  uint32_t first_track_ = 0;  // of this file
  uint32_t process_ = 0;
  uint64_t start_ = 0;  // of the profile, as the file states them
  uint64_t end_ = 0;
  // A fork stops at what is no event, for who puts the parts together to read;
  // as a rule that lies behind all events.
  bool is_fork_ = false;
  const uint8_t* stopped_at_ = nullptr;
  std::vector<uint16_t> host_types_;          // by name's id; kUnknownType: not
  std::vector<uint16_t> kernel_types_;        // looked at yet
  KnownTrack known_tracks_[2][kKnownTracks];  // threads, streams
  // A memory event of the file is a lifetime; these are both ends of each.
  std::vector<MemoryEvent> memory_;
};

}  // namespace stepscope::proto::fluid
