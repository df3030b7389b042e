// SPDX-License-Identifier: Apache-2.0
//
// PreviewStretch: some consecutive runs of a thread, folded into boxes while
// they are decoded. Stretches are folded beside each other, so what was open
// before the first run is not known here: depths count from there, and ends of
// events that began earlier are handed on. JoinStretches() adds it up.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "format/event_unpack.h"
#include "importers/capture/clock_map.h"
#include "importers/capture/preview.h"
#include "importers/capture/sites.h"

namespace stepscope::capture {

// What all stretches share.
struct PreviewScale {
  const ClockMap* clock = nullptr;
  std::span<const Site> sites;
  StringId unnamed;       // for sites that the file does not name
  int64_t offset_ns = 0;  // added to all times
  int64_t origin_ns = 0;  // where the first bucket begins
  int level = 0;
  bool any_python = false;  // sites of LineKind::kPython

  int64_t BucketOf(int64_t ns) const { return (ns - origin_ns) >> level; }
  bool IsLong(int64_t dur_ns) const { return dur_ns >> level != 0; }
  Site SiteOf(uint32_t id) const {
    Site site = sites[id < sites.size() ? id : 0];
    if ((site.flags & kSiteOdd) != 0) site = {unnamed, 0, 0};
    return site;
  }
};

// Boxes of one line, one event after the other.
class PreviewFold {
 public:
  void Add(const PreviewScale& scale, int64_t start_ns, int64_t dur_ns,
           uint32_t site) {
    const int64_t bucket = scale.BucketOf(start_ns);
    if (bucket != bucket_ || scale.IsLong(dur_ns)) [[unlikely]] {
      Close(scale);
      bucket_ = bucket;
      start_ns_ = start_ns;
    }
    ++events_;
    busy_ns_ += dur_ns;
    start_ns_ = std::min(start_ns_, start_ns);
    end_ns_ = std::max(end_ns_, start_ns + dur_ns);
    // Majority vote, by time. What a name gathered since it led is the least
    // that it has. Without branches: names come in no order that a processor
    // could foresee.
    const bool same = site == site_;
    const int64_t lead = lead_ns_ + (same ? dur_ns : -dur_ns);
    const bool takes = lead < 0;
    site_ = takes ? site : site_;
    own_ns_ = takes ? dur_ns : own_ns_ + (same ? dur_ns : 0);
    lead_ns_ = takes ? -lead : lead;
  }
  void Close(const PreviewScale& scale);

  PreviewLine boxes;

 private:
  int64_t bucket_ = INT64_MIN;
  int64_t start_ns_ = 0;
  int64_t end_ns_ = INT64_MIN;
  int64_t busy_ns_ = 0;
  int64_t lead_ns_ = -1;  // the first one takes it
  int64_t own_ns_ = 0;
  uint32_t events_ = 0;
  uint32_t site_ = 0;
};

class PreviewStretch {
 public:
  // What is deeper is drawn at this depth.
  static constexpr uint32_t kMostDepth = 512;

  explicit PreviewStretch(const PreviewScale& scale) : scale_(scale) {}

  // One run. False: the bytes are not what they should be; what came before
  // has been used.
  bool Decode(const format::EventsHeader& header, uint16_t version,
              std::span<const uint8_t> packed);
  // After the last run.
  void Finish();

  // For format::DecodeSlots().
  void Events(uint32_t slot, const format::EventBatch& batch);
  void Side(uint32_t slot, const format::Slot& header, const uint8_t* payload,
            uint32_t payload_slots);

  // An event without an end in its slot. Its end comes as a record, maybe in a
  // later stretch.
  struct Open {
    uint64_t begin_tick = 0;
    int64_t start_ns = 0;
    int64_t end_ns = kNoEnd;
    uint32_t site = 0;
    uint32_t depth = 0;
    LineKind kind = LineKind::kNative;
  };
  // The end of an event of an earlier stretch.
  struct LateEnd {
    uint64_t begin_tick = 0;
    int64_t end_ns = 0;
  };
  // An event that goes on behind the last run.
  struct Left {
    int64_t end_ns = 0;
    uint64_t begin_tick = 0;  // of an open one; else 0
    LineKind kind = LineKind::kNative;
  };
  static constexpr int64_t kNoEnd = INT64_MAX;

  std::array<std::vector<PreviewFold>, 2> lines;  // by LineKind, by depth
  std::vector<Open> opened;
  std::vector<LateEnd> late_ends;
  std::vector<Left> left;  // outermost first
  uint64_t events = 0;
  int64_t last_start_ns = INT64_MIN;
  int64_t last_end_ns = INT64_MIN;
  size_t box_count() const;

 private:
  struct Level {  // of the stack of what is open
    int64_t end_ns = 0;
    uint32_t open = 0;  // one more than its number in `opened`; 0: not there
    LineKind kind = LineKind::kNative;
  };
  void Add(int64_t start_ns, int64_t dur_ns, uint32_t site);
  void AddNative(const int64_t* start_ns, const int64_t* dur_ns,
                 const format::EventBatch& batch);
  void AddOdd(uint64_t tick, uint32_t dur, uint32_t site);
  // Takes off what ended, says at which depth an event of a kind begins.
  uint32_t DepthAt(int64_t start_ns, LineKind kind);
  PreviewFold& Line(LineKind kind, uint32_t depth);
  LineKind KindOf(uint32_t site) const {
    return LineKindOf(scale_.sites[site < scale_.sites.size() ? site : 0].type);
  }

  const PreviewScale& scale_;
  ClockMap::Segment segment_;
  uint32_t room_ = 0;  // events that the run states and did not have so far
  uint32_t top_ = 0;
  std::array<uint32_t, 2> inside_ = {};  // of `stack_`, by LineKind
  std::array<Level, kMostDepth> stack_;
};

// Puts boxes in order, and those together that are of one bucket and short.
void JoinBoxes(PreviewLine& line, const PreviewScale& scale);

// The stretches of a thread, in order, as one track. Events that never ended
// run to `stop_ns`.
PreviewTrack JoinStretches(std::span<PreviewStretch*> stretches,
                           const PreviewScale& scale, int64_t stop_ns);

}  // namespace stepscope::capture
