// SPDX-License-Identifier: Apache-2.0
#include "analysis/launches.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

class Matcher {
 public:
  explicit Matcher(const Trace& trace)
      : trace_(trace), first_(trace.tracks().size(), 0) {
    const auto type = trace.type();
    for (size_t i = 0; i < trace.tracks().size(); ++i) {
      const Track& track = trace.tracks()[i];
      first_[i] = work_.size();
      if (track.kind != TrackKind::kStream) continue;
      for (Row row = track.first; row < track.last; ++row) {
        if (IsDeviceWork(type[row])) work_.push_back({row, kNoRow, kNoRow});
      }
    }
  }

  void Match(LinkSpace space) {
    const std::span<const Link> links = trace_.links();
    for (size_t i = 0; i < links.size();) {
      // Links are sorted by process and space: the others are skipped whole.
      if (links[i].space != space) {
        i = EndOfSpace(i);
        continue;
      }
      size_t end = i + 1;
      while (end < links.size() && SameId(links[i], links[end])) ++end;
      if (end - i != 2 || !MatchPair(links[i].row, links[i + 1].row)) {
        MatchGroup(links, i, end);
      }
      i = end;
    }
  }

  std::vector<DeviceWork> Take() { return std::move(work_); }

 private:
  static bool SameId(const Link& a, const Link& b) {
    return std::tie(a.process, a.space, a.id) ==
           std::tie(b.process, b.space, b.id);
  }

  size_t EndOfSpace(size_t first) const {
    const std::span<const Link> links = trace_.links();
    const auto end = std::partition_point(
        links.begin() + static_cast<ptrdiff_t>(first), links.end(),
        [&](const Link& link) {
          return link.process == links[first].process &&
                 link.space == links[first].space;
        });
    return static_cast<size_t>(end - links.begin());
  }

  // The common case: one call, one piece of work. False: it is another.
  bool MatchPair(Row a, Row b) {
    if (a >= trace_.size() || b >= trace_.size()) return false;
    const auto kind = [&](Row row) {
      return trace_.tracks()[trace_.track()[row]].kind;
    };
    if (kind(a) != TrackKind::kThread) std::swap(a, b);
    if (kind(a) != TrackKind::kThread || kind(b) != TrackKind::kStream) {
      return false;
    }
    if (DeviceWork* work = Find(b); work != nullptr && work->launch == kNoRow) {
      work->launch = a;
    }
    return true;
  }

  // Where the work of `row` is in work_; null if it is no device work.
  DeviceWork* Find(Row row) {
    const uint32_t index = trace_.track()[row];
    const Track& track = trace_.tracks()[index];
    if (track.kind != TrackKind::kStream) return nullptr;
    // As a rule a stream holds nothing but device work.
    const size_t guess = first_[index] + (row - track.first);
    if (guess < work_.size() && work_[guess].row == row) return &work_[guess];
    const auto from = work_.begin() + static_cast<ptrdiff_t>(first_[index]);
    const auto at = std::lower_bound(
        from, work_.end(), row,
        [](const DeviceWork& work, Row wanted) { return work.row < wanted; });
    return at != work_.end() && at->row == row ? &*at : nullptr;
  }

  void MatchGroup(std::span<const Link> links, size_t first, size_t last) {
    hosts_.clear();
    devices_.clear();
    for (size_t i = first; i < last; ++i) {
      const Row row = links[i].row;
      if (row >= trace_.size()) continue;
      const TrackKind kind = trace_.tracks()[trace_.track()[row]].kind;
      if (kind == TrackKind::kThread) {
        hosts_.push_back(row);
      } else if (DeviceWork* work = Find(row);
                 work != nullptr && work->launch == kNoRow) {
        devices_.push_back(work);
      }
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
             start[hosts_[host + 1]] <= start[work->row]) {
        ++host;
      }
      work->launch = hosts_[host];
    }
  }

  const Trace& trace_;
  std::vector<DeviceWork> work_;
  std::vector<size_t> first_;  // by track: its first entry in work_
  std::vector<Row> hosts_;
  std::vector<DeviceWork*> devices_;
};

}  // namespace

std::vector<DeviceWork> FindLaunches(const Trace& trace) {
  Matcher matcher(trace);
  matcher.Match(LinkSpace::kCorrelation);
  matcher.Match(LinkSpace::kExternal);
  return matcher.Take();
}

}  // namespace stepscope
