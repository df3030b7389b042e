// SPDX-License-Identifier: Apache-2.0
#include "importers/paddle/paddle_times.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "importers/paddle/paddle_parents.h"

namespace stepscope::json {
namespace {

constexpr int64_t kMicroNs = 1000;
// Sums stay far from where they overflow.
constexpr int64_t kMostNs = int64_t{1} << 61;

}  // namespace

void PaddleTimes::Add(const Stated& event) {
  if (tracks_.size() <= event.track) {
    tracks_.resize(event.track + 1);
    last_rows_.resize(event.track + 1, kNoRow);
  }
  if (!event.is_call) last_rows_[event.track] = event.row;
  tracks_[event.track].push_back({.stated = event, .dur_ns = event.dur_ns});
}

void PaddleTimes::AddMemory(MemoryEvent event) {
  event.owner_stated = true;
  if (event.track < last_rows_.size()) event.owner = last_rows_[event.track];
  memory_.push_back(event);
}

int64_t PaddleTimes::FindBase(TraceBuilder& builder) const {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
  int64_t first = 0;
  bool any = false;
  for (uint32_t track = 0; track < tracks_.size(); ++track) {
    for (const Event& event : tracks_[track]) {
      const Stated& stated = event.stated;
      const int64_t base = stated.ts_ns - stated.own_ns;
      if (!any) first = base;
      any = true;
      // Devices may have a clock of their own.
      if (builder.track(track).kind == TrackKind::kStream) break;
      const int64_t off = PaddleRounding(stated.own_ns);
      low = std::max(low, base - off);
      high = std::min(high, base + kMicroNs - 1 + off);
    }
  }
  if (low > high) return first;
  // Below a microsecond the file does not say more than this.
  return low == INT64_MIN ? first : std::min(low + 1, high);
}

void PaddleTimes::Estimate(Event& event, int64_t base_ns) {
  const Stated& stated = event.stated;
  const int64_t off = PaddleRounding(stated.own_ns);
  const int64_t own = base_ns + stated.own_ns;
  event.low_ns = stated.ts_ns;
  event.high_ns = stated.ts_ns + kMicroNs - 1;
  event.start_ns = std::clamp(own, event.low_ns, event.high_ns);
  if (std::abs(own - event.start_ns) > 1 + off) {
    // Not of the same clock.
    event.start_ns = stated.ts_ns;
    return;
  }
  event.low_ns = std::min(std::max(event.low_ns, own - off), event.start_ns);
  event.high_ns = std::max(std::min(event.high_ns, own + off), event.start_ns);
}

PaddleTimes::Children PaddleTimes::PlaceThread(Events& events) {
  if (!FindPaddleParentsByOrder(events)) FindPaddleParentsByTime(events);
  // A long event is not stated to the nanosecond, what lies in it is.
  for (Event& event : events) event.inside_ns = 0;
  const size_t count = events.size();
  Children children;
  children.first.assign(count + 2, 0);
  const auto slot = [&](const Event& event) {
    return event.parent == PaddleEvent::kNone ? count : event.parent;
  };
  for (size_t i = count; i-- > 0;) {
    Event& event = events[i];
    if (event.inside_ns > event.dur_ns &&
        event.inside_ns - event.dur_ns <= event.rounding())
      event.dur_ns = event.inside_ns;
    if (event.parent == PaddleEvent::kApart) continue;
    ++children.first[slot(event) + 1];
    if (event.parent == PaddleEvent::kNone) continue;
    int64_t& sum = events[event.parent].inside_ns;
    sum = std::min(sum + event.dur_ns, kMostNs);
  }
  for (size_t i = 1; i < children.first.size(); ++i)
    children.first[i] += children.first[i - 1];
  children.events.resize(children.first.back());
  std::vector<uint32_t> next(children.first.begin(), children.first.end() - 1);
  for (uint32_t i = 0; i < count; ++i)
    if (events[i].parent != PaddleEvent::kApart)
      children.events[next[slot(events[i])]++] = i;
  // What lies in the same event, one behind the other: forwards, and then back
  // from its end.
  const auto place = [&](std::span<uint32_t> row, int64_t from, int64_t to) {
    const auto is_event = [&](uint32_t i) { return !events[i].stated.is_call; };
    if (!std::all_of(row.begin(), row.end(), is_event)) {
      const auto calls =
          std::stable_partition(row.begin(), row.end(), is_event);
      std::inplace_merge(row.begin(), calls, row.end(),
                         [&](uint32_t a, uint32_t b) {
                           return events[a].start_ns < events[b].start_ns;
                         });
    }
    for (const uint32_t i : row) {
      events[i].start_ns = std::max(events[i].start_ns, from);
      from = events[i].end_ns();
    }
    for (auto i = row.rbegin(); i != row.rend(); ++i) {
      Event& event = events[*i];
      event.start_ns = std::min(event.start_ns, to - event.dur_ns);
      to = event.start_ns;
    }
  };
  place(children.Of(count), -2 * kMostNs, 2 * kMostNs);
  for (size_t i = 0; i < count; ++i)
    place(children.Of(i), events[i].start_ns, events[i].end_ns());
  return children;
}

// Work of a stream is not nested.
void PaddleTimes::PlaceStream(Events& events) {
  std::stable_sort(
      events.begin(), events.end(),
      [](const Event& a, const Event& b) { return a.start_ns < b.start_ns; });
  for (size_t i = 1; i < events.size(); ++i) {
    const Event& before = events[i - 1];
    Event& event = events[i];
    const int64_t end = before.start_ns + before.dur_ns;
    if (end > event.start_ns && event.MayFollow(before)) event.start_ns = end;
  }
}

void PaddleTimes::PlaceEvents(TraceBuilder& builder) {
  const int64_t base = FindBase(builder);
  children_.resize(tracks_.size());
  for (uint32_t track = 0; track < tracks_.size(); ++track) {
    Events& events = tracks_[track];
    for (Event& event : events) Estimate(event, base);
    if (builder.track(track).kind == TrackKind::kStream)
      PlaceStream(events);
    else
      children_[track] = PlaceThread(events);
    for (const Event& event : events) {
      builder.SetStart(event.stated.row, event.start_ns);
      if (event.dur_ns != event.stated.dur_ns)
        builder.SetDuration(event.stated.row, event.dur_ns);
    }
  }
}

void PaddleTimes::PlaceMemory(std::span<MemoryEvent* const> memory) {
  uint32_t track = UINT32_MAX;
  std::vector<std::pair<Row, uint32_t>> by_row;  // of the track
  for (MemoryEvent* const event : memory) {
    const Events& events = tracks_[event->track];
    if (event->track != track) {
      track = event->track;
      by_row.clear();
      for (uint32_t i = 0; i < events.size(); ++i)
        by_row.emplace_back(events[i].stated.row, i);
      std::sort(by_row.begin(), by_row.end());
    }
    const uint32_t owner =
        std::lower_bound(by_row.begin(), by_row.end(),
                         std::pair(event->owner, uint32_t{0}))
            ->second;
    const int64_t end = events[owner].end_ns();
    const int64_t last = std::min(event->time_ns + kMicroNs, end) - 1;
    int64_t time = std::max(event->time_ns, events[owner].start_ns);
    const std::span<uint32_t> inside = children_[track].Of(owner);
    auto child = std::upper_bound(
        inside.begin(), inside.end(), time,
        [&](int64_t at, uint32_t i) { return at < events[i].end_ns(); });
    for (; child != inside.end() && events[*child].start_ns <= time; ++child)
      time = std::max(time, events[*child].end_ns());
    if (time <= last)
      event->time_ns = time;
    else if (event->time_ns >= end && event->time_ns <= end + kMicroNs)
      event->time_ns = end - 1;  // at its very end
  }
}

int64_t PaddleTimes::Finish(TraceBuilder& builder, bool stated_peaks) {
  bool exact = false;
  for (const Events& events : tracks_)
    for (const Event& event : events) exact |= event.stated.is_exact;
  if (!exact) {
    PlaceEvents(builder);
    std::vector<MemoryEvent*> owned;
    for (MemoryEvent& event : memory_)
      if (event.owner != kNoRow) owned.push_back(&event);
    std::sort(owned.begin(), owned.end(),
              [](const MemoryEvent* a, const MemoryEvent* b) {
                return std::tie(a->track, a->owner) <
                       std::tie(b->track, b->owner);
              });
    PlaceMemory(owned);
  }
  int64_t first = INT64_MAX;
  for (const Events& events : tracks_)
    for (const Event& event : events)
      first = std::min(first, builder.start_ns(event.stated.row));
  for (MemoryEvent& event : memory_) {
    // Another order than Paddle's says nothing.
    if (event.owner != kNoRow &&
        (event.time_ns < builder.start_ns(event.owner) ||
         event.time_ns >
             builder.start_ns(event.owner) + builder.dur_ns(event.owner))) {
      event.owner = kNoRow;
      event.owner_stated = false;
    }
    if (!stated_peaks) event.peak_allocated = event.peak_reserved = 0;
    first = std::min(first, event.time_ns);
    builder.AddMemory(event);
  }
  tracks_.clear();
  children_.clear();
  memory_.clear();
  return first;
}

}  // namespace stepscope::json
