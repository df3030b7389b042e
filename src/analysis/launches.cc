// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

class LaunchMatcher {
 public:
  LaunchMatcher(const Trace& trace, const Census& census)
      : trace_(trace), first_(trace.tracks().size(), 0) {
    size_t count = 0;
    for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
      if (trace.tracks()[i].kind != TrackKind::kStream) continue;
      for (const uint16_t type :
           {STEPSCOPE_KERNEL, STEPSCOPE_MEMCPY, STEPSCOPE_MEMSET})
        count += census.counts(i)[type];
    }
    if (!work_.Resize(count)) return;
    const auto type = trace.type();
    size_t next = 0;
    for (size_t i = 0; i < trace.tracks().size(); ++i) {
      const Track& track = trace.tracks()[i];
      first_[i] = next;
      if (track.kind != TrackKind::kStream) continue;
      for (Row row = track.first; row < track.last; ++row)
        if (IsDeviceWork(type[row])) work_[next++] = {.row = row};
    }
  }

  void Match(LinkSpace space) {
    if (work_.empty()) return;
    const std::span<const Link> links = trace_.links();
    for (size_t i = 0; i < links.size();) {
      // Links are sorted by process and space: the others are skipped whole.
      if (links[i].space != space) {
        i = EndOfSpace(i);
        continue;
      }
      size_t end = i + 1;
      while (end < links.size() && SameId(links[i], links[end])) ++end;
      if (end - i != 2 || !MatchPair(links[i].row, links[i + 1].row))
        MatchGroup(links, i, end);
      i = end;
    }
  }

  Column<DeviceWork> Take() { return std::move(work_); }

 private:
  // Rows of the track that a link was found on last; the next one is, too.
  struct Recent {
    Row first = 0;
    Row last = 0;
    size_t work = 0;  // streams: its first entry in work_
    bool Has(Row row) const { return row >= first && row < last; }
  };

  static bool SameId(const Link& a, const Link& b) {
    return a.id == b.id && a.process == b.process && a.space == b.space;
  }

  size_t EndOfSpace(size_t first) const {
    const std::span<const Link> links = trace_.links();
    const auto end =
        std::partition_point(links.begin() + static_cast<ptrdiff_t>(first),
                             links.end(), [&](const Link& link) {
                               return link.process == links[first].process &&
                                      link.space == links[first].space;
                             });
    return static_cast<size_t>(end - links.begin());
  }

  bool OnThread(Row row) {
    return thread_.Has(row) || Lookup(row, TrackKind::kThread, thread_);
  }
  bool OnStream(Row row) {
    return stream_.Has(row) || Lookup(row, TrackKind::kStream, stream_);
  }
  bool Lookup(Row row, TrackKind kind, Recent& recent) const {
    if (row >= trace_.size()) return false;
    const uint32_t index = trace_.track()[row];
    const Track& track = trace_.tracks()[index];
    if (track.kind != kind) return false;
    recent = {track.first, track.last, first_[index]};
    return true;
  }

  // The common case: one call, one piece of work. False: it is another.
  bool MatchPair(Row a, Row b) {
    if (!OnThread(a)) std::swap(a, b);
    if (!OnThread(a) || !OnStream(b)) return false;
    if (DeviceWork* work = Find(b); work != nullptr && work->launch == kNoRow)
      work->launch = a;
    return true;
  }

  // Where the work of a row of a stream is; null if it is no device work.
  DeviceWork* Find(Row row) {
    if (!OnStream(row)) return nullptr;
    // As a rule a stream holds nothing but device work.
    const size_t guess = stream_.work + (row - stream_.first);
    if (guess < work_.size() && work_[guess].row == row) return &work_[guess];
    const std::span<DeviceWork> from = work_.span().subspan(stream_.work);
    const auto at = std::lower_bound(
        from.begin(), from.end(), row,
        [](const DeviceWork& work, Row wanted) { return work.row < wanted; });
    return at != from.end() && at->row == row ? &*at : nullptr;
  }

  void MatchGroup(std::span<const Link> links, size_t first, size_t last) {
    hosts_.clear();
    devices_.clear();
    for (size_t i = first; i < last; ++i) {
      const Row row = links[i].row;
      if (OnThread(row))
        hosts_.push_back(row);
      else if (DeviceWork* work = Find(row);
               work != nullptr && work->launch == kNoRow)
        devices_.push_back(work);
    }
    if (hosts_.empty() || devices_.empty()) return;
    const auto start = trace_.start_ns();
    if (hosts_.size() > 1) {
      std::stable_sort(hosts_.begin(), hosts_.end(),
                       [&](Row a, Row b) { return start[a] < start[b]; });
      std::stable_sort(devices_.begin(), devices_.end(),
                       [&](const DeviceWork* a, const DeviceWork* b) {
                         return start[a->row] < start[b->row];
                       });
    }
    size_t host = 0;
    for (DeviceWork* work : devices_) {
      while (host + 1 < hosts_.size() &&
             start[hosts_[host + 1]] <= start[work->row])
        ++host;
      work->launch = hosts_[host];
    }
  }

  const Trace& trace_;
  Column<DeviceWork> work_;
  std::vector<size_t> first_;  // by track: its first entry in work_
  Recent thread_;
  Recent stream_;
  std::vector<Row> hosts_;
  std::vector<DeviceWork*> devices_;
};

}  // namespace

Column<DeviceWork> FindLaunches(const Trace& trace, const Census& census) {
  LaunchMatcher matcher(trace, census);
  matcher.Match(LinkSpace::kCorrelation);
  matcher.Match(LinkSpace::kExternal);
  return matcher.Take();
}

}  // namespace stepscope
