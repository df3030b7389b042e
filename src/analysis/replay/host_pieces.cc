// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay/host_pieces.h"

#include <algorithm>

#include "analysis/kinds.h"

namespace stepscope {
namespace {

struct OpenEvent {
  int64_t end = 0;
  Row row = kNoRow;  // of a loader or a collective, that of the outermost
  PathCategory category = PathCategory::kOperator;
};

bool IsHostCode(uint16_t type, uint16_t flags) {
  return !IsApiCall(type) && !IsDeviceWork(type) &&
         type != STEPSCOPE_PROFILE_STEP && type != STEPSCOPE_SYNCHRONIZATION &&
         (flags & kEventInstant) == 0;
}

PathPiece PartOf(const PathPiece& piece, int64_t begin, int64_t end) {
  PathPiece part = piece;
  part.at_ns = begin;
  part.dur_ns = end - begin;
  return part;
}

}  // namespace

void HostPieces::Look(std::span<const RawPiece> raw) {
  raw_ = raw;
  std::vector<std::vector<size_t>> wanted(tree_.threads().size());
  for (size_t i = 0; i < raw.size(); ++i)
    if (raw[i].thread != kNoThread) wanted[raw[i].thread].push_back(i);
  for (uint32_t i = 0; i < wanted.size(); ++i) {
    regions_[i].clear();
    if (wanted[i].empty()) continue;
    std::stable_sort(wanted[i].begin(), wanted[i].end(),
                     [&](size_t a, size_t b) {
                       return raw[a].piece.at_ns < raw[b].piece.at_ns;
                     });
    Sweep(i, wanted[i]);
  }
  if (!collectives_.empty()) return;
  if (std::any_of(raw.begin(), raw.end(), [](const RawPiece& at) {
        return at.piece.cause == PathCause::kHandOver;
      }))
    CollectCollectives();
}

template <typename Visit>
void HostPieces::ForEachRowOf(uint32_t thread, const Interval& range,
                              Visit visit) const {
  const Threads& threads = tree_.threads();
  if (threads[thread].has_lanes()) {
    threads.ForEachRow(thread, visit);
    return;
  }
  const Trace& trace = tree_.trace();
  const Track& track = trace.tracks()[threads[thread].first_track];
  const auto start = trace.start_ns().subspan(0, track.last);
  const auto first =
      std::lower_bound(start.begin() + track.first, start.end(), range.begin);
  Row row = static_cast<Row>(first - start.begin());
  // What began before and may go on.
  std::vector<Row> open;
  const std::span<const Row> parent = trace.nesting().parent.view();
  for (Row up = row > track.first ? row - 1 : kNoRow; up != kNoRow;
       up = parent[up])
    open.push_back(up);
  std::for_each(open.rbegin(), open.rend(), visit);
  for (; row < track.last && start[row] < range.end; ++row) visit(row);
}

void HostPieces::CollectCollectives() {
  const Trace& trace = tree_.trace();
  collectives_.resize(trace.processes().size());
  for (uint32_t i = 0; i < tree_.threads().size(); ++i) {
    tree_.threads().ForEachRow(i, [&](Row row) {
      if (!IsHostCode(trace.type()[row], trace.flags()[row])) return;
      if (!names_.host_side_collective(trace.name()[row])) return;
      collectives_[tree_.threads()[i].process].push_back(
          {{trace.start_ns()[row], tree_.end_ns(row)}, row});
    });
  }
  for (std::vector<Collective>& all : collectives_) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Collective& a, const Collective& b) {
                       return a.range.begin < b.range.begin;
                     });
    int64_t until = INT64_MIN;
    for (Collective& one : all) {
      one.range.begin = std::max(one.range.begin, until);
      until = std::max(until, one.range.end);
    }
    std::erase_if(all, [](const Collective& one) {
      return one.range.begin >= one.range.end;
    });
  }
}

void HostPieces::Sweep(uint32_t thread, std::span<const size_t> wanted) {
  const Trace& trace = tree_.trace();
  std::vector<Region>& regions = regions_[thread];
  std::vector<OpenEvent> open;
  size_t next = 0;  // the first wanted piece that may end after `now`
  int64_t now = INT64_MIN;
  regions.push_back({now, kNoRow, PathCategory::kOperator});

  // Until `time` the innermost event stays the same. Kept only where a piece
  // lies.
  const auto go_to = [&](int64_t time) {
    if (time <= now) return;
    const auto end_of = [&](size_t i) {
      return SaturatingAdd(raw_[i].piece.at_ns, raw_[i].piece.dur_ns);
    };
    while (next < wanted.size() && end_of(wanted[next]) <= now) ++next;
    if (next < wanted.size() && raw_[wanted[next]].piece.at_ns < time) {
      Region region{now, kNoRow, PathCategory::kOperator};
      if (!open.empty()) {
        region.row = open.back().row;
        region.category = open.back().category;
      }
      if (region.row != regions.back().row) regions.push_back(region);
    }
    now = time;
  };
  const auto close_until = [&](int64_t time) {
    while (!open.empty() && open.back().end <= time) {
      go_to(open.back().end);
      open.pop_back();
    }
  };

  Interval range{INT64_MAX, INT64_MIN};
  for (const size_t i : wanted) {
    const PathPiece& piece = raw_[i].piece;
    range.begin = std::min(range.begin, piece.at_ns);
    range.end = std::max(range.end, SaturatingAdd(piece.at_ns, piece.dur_ns));
  }
  ForEachRowOf(thread, range, [&](Row row) {
    const uint16_t type = trace.type()[row];
    if (!IsHostCode(type, trace.flags()[row])) return;
    const int64_t begin = trace.start_ns()[row];
    close_until(begin);
    go_to(begin);
    OpenEvent event{tree_.end_ns(row), row, PathCategory::kOperator};
    const bool inherits =
        !open.empty() && open.back().category != PathCategory::kOperator;
    if (inherits) {
      event.row = open.back().row;
      event.category = open.back().category;
    } else if (type == STEPSCOPE_DATALOADER) {
      event.category = PathCategory::kLoader;
    } else if (type == STEPSCOPE_COMMUNICATION ||
               names_.collective_event(trace.name()[row])) {
      event.category = PathCategory::kCommunication;
    }
    open.push_back(event);
  });
  close_until(INT64_MAX);
  go_to(INT64_MAX);
}

void HostPieces::AppendTo(size_t index, std::vector<PathPiece>& out) const {
  const RawPiece& raw = raw_[index];
  const std::vector<Region>& regions = regions_[raw.thread];
  int64_t now = raw.piece.at_ns;
  const int64_t end = SaturatingAdd(now, raw.piece.dur_ns);
  auto region =
      std::partition_point(regions.begin(), regions.end(),
                           [&](const Region& at) { return at.begin <= now; });
  --region;
  while (now < end) {
    const auto after = region + 1;
    const int64_t until =
        after == regions.end() ? end : std::min(end, after->begin);
    PathPiece part = PartOf(raw.piece, now, until);
    if (region->row != kNoRow) {
      part.row = region->row;
      part.category = region->category;
      part.cause = PathCause::kEvent;
    }
    if (part.cause == PathCause::kHandOver)
      AppendWait(part, tree_.threads()[raw.thread].process, out);
    else if (part.dur_ns > 0)
      out.push_back(part);
    now = until;
    region = after;
  }
}

void HostPieces::AppendWait(const PathPiece& part, uint32_t process,
                            std::vector<PathPiece>& out) const {
  const std::vector<Collective>& all = collectives_[process];
  int64_t now = part.at_ns;
  const int64_t end = now + part.dur_ns;
  auto next = std::partition_point(
      all.begin(), all.end(),
      [&](const Collective& one) { return one.range.end <= now; });
  while (now < end) {
    const bool any = next != all.end() && next->range.begin < end;
    const int64_t begin = any ? std::max(now, next->range.begin) : end;
    if (begin > now) out.push_back(PartOf(part, now, begin));
    now = begin;
    if (!any) return;
    PathPiece inside = PartOf(part, now, std::min(end, next->range.end));
    inside.row = next->row;
    inside.category = PathCategory::kCommunication;
    inside.cause = PathCause::kEvent;
    out.push_back(inside);
    now = std::min(end, next->range.end);
    ++next;
  }
}

}  // namespace stepscope
