// SPDX-License-Identifier: Apache-2.0
#include "trace/memory_owner.h"

namespace stepscope {
namespace {

// Follows one lane through time.
class LaneSweep {
 public:
  LaneSweep(std::span<const int64_t> start_ns, std::span<const int64_t> dur_ns,
            const Track& track)
      : start_(start_ns), dur_(dur_ns), next_(track.first), last_(track.last) {}

  // The innermost event at `time`; calls must be ordered by time.
  Row At(int64_t time) {
    for (; next_ < last_ && start_[next_] <= time; ++next_) {
      Close(start_[next_]);
      open_.push_back(next_);
    }
    Close(time);
    return open_.empty() ? kNoRow : open_.back();
  }

 private:
  void Close(int64_t time) {
    while (!open_.empty() && start_[open_.back()] + dur_[open_.back()] <= time)
      open_.pop_back();
  }

  std::span<const int64_t> start_;
  std::span<const int64_t> dur_;
  Row next_;
  Row last_;
  std::vector<Row> open_;
};

}  // namespace

void AssignMemoryOwners(std::span<const int64_t> start_ns,
                        std::span<const int64_t> dur_ns,
                        const std::vector<Track>& tracks,
                        std::span<StoredMemoryEvent> memory) {
  std::vector<std::vector<uint32_t>> by_track(tracks.size());
  for (uint32_t i = 0; i < memory.size(); ++i)
    if (memory[i].track < tracks.size() && !memory[i].owner_stated())
      by_track[memory[i].track].push_back(i);
  for (uint32_t t = 0; t < tracks.size(); ++t) {
    if (by_track[t].empty()) continue;
    uint32_t lane = t;
    do {
      LaneSweep sweep(start_ns, dur_ns, tracks[lane]);
      for (const uint32_t i : by_track[t]) {
        const Row row = sweep.At(memory[i].time_ns);
        Row& owner = memory[i].owner;
        if (row != kNoRow &&
            (owner == kNoRow || start_ns[row] > start_ns[owner]))
          owner = row;
      }
      ++lane;
    } while (lane < tracks.size() && tracks[lane].lane > 0);
  }
}

}  // namespace stepscope
