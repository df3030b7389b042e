// SPDX-License-Identifier: Apache-2.0
#include "importers/capture/preview_stretch.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "importers/capture/event_times.h"

namespace stepscope::capture {
namespace {

using format::EventBatch;
using format::Slot;

size_t Index(LineKind kind) { return static_cast<size_t>(kind); }

// Whether two boxes that follow each other are of one bucket and short.
bool Meet(const PreviewBox& a, const PreviewBox& b, const PreviewScale& scale) {
  const auto is_short = [&](const PreviewBox& box) {
    return box.events > 1 || !scale.IsLong(box.dur_ns);
  };
  return is_short(a) && is_short(b) &&
         scale.BucketOf(a.start_ns) == scale.BucketOf(b.start_ns);
}

}  // namespace

void PreviewBox::Merge(const PreviewBox& more) {
  const int64_t end = std::max(start_ns + dur_ns, more.start_ns + more.dur_ns);
  dur_ns = end - start_ns;
  busy_ns += more.busy_ns;
  events += more.events;
  if (name == more.name) {
    name_ns += more.name_ns;
  } else if (more.name_ns > name_ns) {
    name = more.name;
    name_ns = more.name_ns;
    type = more.type;
  }
}

void PreviewFold::Close(const PreviewScale& scale) {
  if (events_ == 0) return;
  const Site site = scale.SiteOf(site_);
  boxes.push_back({start_ns_, end_ns_ - start_ns_, busy_ns_, events_, site.name,
                   own_ns_, site.type});
  events_ = 0;
  busy_ns_ = own_ns_ = 0;
  lead_ns_ = -1;
  end_ns_ = INT64_MIN;
  site_ = 0;
}

bool PreviewStretch::Decode(const format::EventsHeader& header,
                            uint16_t version, std::span<const uint8_t> packed) {
  segment_ = scale_.clock->Find(header.base_tick);
  room_ = header.events;
  return format::DecodeSlots(packed.data(), packed.size(), header, version,
                             *this);
}

PreviewFold& PreviewStretch::Line(LineKind kind, uint32_t depth) {
  std::vector<PreviewFold>& all = lines[Index(kind)];
  if (depth >= all.size()) all.resize(depth + 1);
  return all[depth];
}

uint32_t PreviewStretch::DepthAt(int64_t start_ns, LineKind kind) {
  while (top_ > 0 && stack_[top_ - 1].end_ns <= start_ns)
    --inside_[Index(stack_[--top_].kind)];
  return inside_[Index(kind)];
}

inline void PreviewStretch::Add(int64_t start_ns, int64_t dur_ns,
                                uint32_t site) {
  const LineKind kind = KindOf(site);
  const uint32_t depth = DepthAt(start_ns, kind);
  Line(kind, depth).Add(scale_, start_ns, dur_ns, site);
  last_end_ns = std::max(last_end_ns, start_ns + dur_ns);
  if (top_ == kMostDepth - 1) return;
  stack_[top_++] = {start_ns + dur_ns, 0, kind};
  ++inside_[Index(kind)];
}

// What Add() does, for many, where all events are of one kind.
void PreviewStretch::AddNative(const int64_t* start_ns, const int64_t* dur_ns,
                               const EventBatch& batch) {
  std::vector<PreviewFold>& lines_of = lines[Index(LineKind::kNative)];
  // In registers: what is written could be any of the members otherwise.
  const PreviewScale scale = scale_;
  Level* const stack = stack_.data();
  PreviewFold* line = lines_of.data();
  uint32_t top = top_;
  int64_t last = last_end_ns;
  for (uint32_t i = 0; i < batch.count; ++i) {
    const int64_t start = start_ns[i];
    const int64_t end = start + dur_ns[i];
    while (top > 0 && stack[top - 1].end_ns <= start) --top;
    if (top >= lines_of.size()) [[unlikely]] {
      lines_of.resize(top + 1);
      line = lines_of.data();
    }
    line[top].Add(scale, start, dur_ns[i], batch.site[i]);
    last = std::max(last, end);
    stack[top] = {end, 0, LineKind::kNative};
    top += top < kMostDepth - 1 ? 1 : 0;
  }
  last_end_ns = last;
  top_ = top;
  inside_[Index(LineKind::kNative)] = top;
}

void PreviewStretch::Events(uint32_t, const EventBatch& batch) {
  // Not what the header states: it cannot be believed.
  if (batch.count > room_) return;
  room_ -= batch.count;
  events += batch.count;
  if (!segment_.Holds(batch.base)) segment_ = scale_.clock->Find(batch.base);
  int64_t start_ns[EventBatch::kRows];
  int64_t dur_ns[EventBatch::kRows];
  if (ConvertTimes(segment_, scale_.offset_ns, batch, start_ns, dur_ns)) {
    if (scale_.any_python) {
      for (uint32_t i = 0; i < batch.count; ++i)
        Add(start_ns[i], dur_ns[i], batch.site[i]);
    } else {
      AddNative(start_ns, dur_ns, batch);
    }
    last_start_ns = start_ns[batch.count - 1];
    return;
  }
  for (uint32_t i = 0; i < batch.count; ++i)
    AddOdd(batch.base + batch.from[i], batch.dur[i], batch.site[i]);
}

// Open, a point in time, or in another segment of the clock.
void PreviewStretch::AddOdd(uint64_t tick, uint32_t dur, uint32_t site) {
  const int64_t start = scale_.clock->ToNs(tick);
  const int64_t at = start + scale_.offset_ns;
  last_start_ns = at;
  if (dur == STEPSCOPE_DUR_INSTANT) return Add(at, 0, site);
  if (dur - 1 < STEPSCOPE_DUR_LIMIT) {
    const int64_t end = scale_.clock->ToNs(tick + (dur - 1));
    return Add(at, std::max<int64_t>(end - start, 0), site);
  }
  const LineKind kind = KindOf(site);
  const uint32_t depth = DepthAt(at, kind);
  opened.push_back({tick, at, kNoEnd, site, depth, kind});
  if (top_ == kMostDepth - 1) return;
  stack_[top_++] = {kNoEnd, static_cast<uint32_t>(opened.size()), kind};
  ++inside_[Index(kind)];
}

void PreviewStretch::Side(uint32_t, const Slot& header, const uint8_t* payload,
                          uint32_t payload_slots) {
  if (format::SideKindOf(header.site) != format::SideKind::kLateEnd ||
      header.dur == 0 || payload_slots < 1)
    return;
  format::SlotRef ref;
  static_assert(sizeof ref <= sizeof(Slot));
  std::memcpy(&ref, payload, sizeof ref);
  const int64_t end = scale_.clock->ToNs(header.begin) + scale_.offset_ns;
  last_end_ns = std::max(last_end_ns, end);
  for (uint32_t i = top_; i > 0; --i) {
    Level& level = stack_[i - 1];
    if (level.open == 0 || level.end_ns != kNoEnd ||
        opened[level.open - 1].begin_tick != ref.begin)
      continue;
    level.end_ns = end;
    opened[level.open - 1].end_ns = end;
    return;
  }
  late_ends.push_back({ref.begin, end});
}

void PreviewStretch::Finish() {
  for (auto& kind : lines)
    for (PreviewFold& line : kind) line.Close(scale_);
  for (uint32_t i = 0; i < top_; ++i) {
    const Level& level = stack_[i];
    left.push_back({level.end_ns,
                    level.open != 0 ? opened[level.open - 1].begin_tick : 0,
                    level.kind});
  }
}

size_t PreviewStretch::box_count() const {
  size_t count = opened.size() + late_ends.size();
  for (const auto& kind : lines)
    for (const PreviewFold& line : kind) count += line.boxes.size();
  return count;
}

void JoinBoxes(PreviewLine& line, const PreviewScale& scale) {
  if (line.empty()) return;
  std::stable_sort(line.begin(), line.end(),
                   [](const PreviewBox& a, const PreviewBox& b) {
                     return a.start_ns < b.start_ns;
                   });
  size_t kept = 0;
  for (size_t i = 1; i < line.size(); ++i) {
    if (Meet(line[kept], line[i], scale))
      line[kept].Merge(line[i]);
    else
      line[++kept] = line[i];
  }
  line.resize(kept + 1);
}

PreviewTrack JoinStretches(std::span<PreviewStretch*> stretches,
                           const PreviewScale& scale, int64_t stop_ns) {
  constexpr uint32_t kMost = PreviewStretch::kMostDepth;
  PreviewTrack track;
  std::unordered_map<uint64_t, int64_t> ends;  // by begin
  for (const PreviewStretch* stretch : stretches)
    for (const PreviewStretch::LateEnd& end : stretch->late_ends)
      ends.try_emplace(end.begin_tick, end.end_ns);
  const auto end_of = [&](uint64_t begin_tick, int64_t end_ns) {
    if (end_ns != PreviewStretch::kNoEnd) return end_ns;
    const auto found = ends.find(begin_tick);
    return found == ends.end() ? stop_ns : found->second;
  };
  std::vector<PreviewStretch::Left> around;  // what is open before a stretch
  // The depth of a box that begins at some time.
  const auto depth_of = [&](LineKind kind, uint32_t depth, int64_t start_ns) {
    for (const PreviewStretch::Left& one : around)
      if (one.kind == kind && one.end_ns > start_ns) ++depth;
    return std::min(depth, kMost - 1);
  };
  const auto put = [&](LineKind kind, uint32_t depth, const PreviewBox& box) {
    std::vector<PreviewLine>& lines = track.lines[Index(kind)];
    if (depth >= lines.size()) lines.resize(depth + 1);
    lines[depth].push_back(box);
    track.events[Index(kind)] += box.events;
  };
  for (PreviewStretch* stretch : stretches) {
    for (const LineKind kind : {LineKind::kNative, LineKind::kPython}) {
      std::vector<PreviewFold>& lines = stretch->lines[Index(kind)];
      for (uint32_t depth = 0; depth < lines.size(); ++depth)
        for (const PreviewBox& box :
             std::exchange(lines[depth].boxes, PreviewLine()))
          put(kind, depth_of(kind, depth, box.start_ns), box);
    }
    for (const PreviewStretch::Open& open : stretch->opened) {
      const int64_t end = end_of(open.begin_tick, open.end_ns);
      const int64_t dur = std::max<int64_t>(end - open.start_ns, 0);
      const Site site = scale.SiteOf(open.site);
      put(open.kind, depth_of(open.kind, open.depth, open.start_ns),
          {open.start_ns, dur, dur, 1, site.name, dur, site.type});
    }
    std::erase_if(around, [&](const PreviewStretch::Left& one) {
      return one.end_ns <= stretch->last_start_ns;
    });
    for (PreviewStretch::Left one : stretch->left) {
      one.end_ns = end_of(one.begin_tick, one.end_ns);
      if (around.size() < kMost) around.push_back(one);
    }
  }
  for (auto& kind : track.lines)
    for (PreviewLine& line : kind) JoinBoxes(line, scale);
  return track;
}

}  // namespace stepscope::capture
