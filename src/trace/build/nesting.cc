// SPDX-License-Identifier: Apache-2.0
#include "trace/build/nesting.h"

#include <algorithm>

#include "trace/overlap.h"

namespace stepscope {
namespace {

// Rows that one thread takes at a time.
constexpr Row kChunkRows = Row{1} << 18;
// Where more events than this are open, rows are not split: every chunk begins
// with a copy of them.
constexpr size_t kMostOpen = 4096;

class Maker {
 public:
  Maker(std::span<const int64_t> start_ns, std::span<const int64_t> dur_ns,
        Nesting& nesting)
      : start_(start_ns.data()),
        dur_(dur_ns.data()),
        parent_(nesting.parent.data()),
        depth_(nesting.depth.data()) {}

  void Make(const std::vector<Track>& tracks, Executor& executor) {
    for (const Track& track : tracks)
      for (Row row = track.first; row < track.last;) {
        const Row last = row + std::min(kChunkRows, track.last - row);
        chunks_.push_back({row, last, row == track.first, {}, {}});
        row = last;
      }
    executor.ForEach(chunks_.size(), [&](size_t i) { FindOpen(i); });
    JoinChunks();
    executor.ForEach(chunks_.size(), [&](size_t i) { Fill(chunks_[i]); });
  }

 private:
  struct Chunk {
    Row first = 0;
    Row last = 0;
    bool begins_track = false;
    std::vector<Row> leaves;  // its events that reach into the next chunk
    std::vector<Row> finds;   // what is open where it begins, outermost first
  };

  bool ends_by(Row row, int64_t time) const {
    return start_[row] + dur_[row] <= time;
  }

  void FindOpen(size_t index) {
    Chunk& chunk = chunks_[index];
    if (index + 1 == chunks_.size() || chunks_[index + 1].begins_track) return;
    const int64_t next = start_[chunk.last];
    for (Row row = chunk.first; row < chunk.last; ++row)
      if (!ends_by(row, next)) chunk.leaves.push_back(row);
  }

  void JoinChunks() {
    std::vector<Row> open;
    std::vector<Chunk> joined;
    for (Chunk& chunk : chunks_) {
      if (chunk.begins_track) open.clear();
      // They are nested: what ends first is at the end.
      while (!open.empty() && ends_by(open.back(), start_[chunk.first]))
        open.pop_back();
      if (open.size() > kMostOpen) {
        joined.back().last = chunk.last;
      } else {
        joined.push_back({chunk.first, chunk.last, false, {}, open});
      }
      const int64_t next =
          chunk.leaves.empty() ? start_[chunk.first] : start_[chunk.last];
      while (!open.empty() && ends_by(open.back(), next)) open.pop_back();
      open.insert(open.end(), chunk.leaves.begin(), chunk.leaves.end());
    }
    chunks_ = std::move(joined);
  }

  void Fill(const Chunk& chunk) {
    std::vector<Row> open = chunk.finds;
    for (Row row = chunk.first; row < chunk.last; ++row) {
      while (!open.empty() && ends_by(open.back(), start_[row]))
        open.pop_back();
      parent_[row] = open.empty() ? kNoRow : open.back();
      depth_[row] = static_cast<uint32_t>(open.size());
      open.push_back(row);
    }
  }

  const int64_t* const start_;
  const int64_t* const dur_;
  Row* const parent_;
  uint32_t* const depth_;
  std::vector<Chunk> chunks_;
};

}  // namespace

Nesting ComputeNesting(std::span<const int64_t> start_ns,
                       std::span<const int64_t> dur_ns,
                       const std::vector<Track>& tracks, Executor& executor) {
  Nesting nesting;
  const size_t n = start_ns.size();
  if (!nesting.parent.Resize(n) || !nesting.depth.Resize(n)) return {};
  Maker(start_ns, dur_ns, nesting).Make(tracks, executor);
  return nesting;
}

Column<int64_t> ComputeSelf(std::span<const int64_t> start_ns,
                            std::span<const int64_t> dur_ns,
                            std::span<const Row> parent,
                            const std::vector<Track>& tracks,
                            Executor& executor) {
  Column<int64_t> self_ns;
  if (!self_ns.Resize(dur_ns.size())) return {};
  int64_t* const self = self_ns.data();
  const std::vector<TrackRange> groups = GroupLanes(tracks);
  executor.ForEach(groups.size(), [&](size_t i) {
    if (groups[i].has_lanes()) {
      const std::vector<Row> rows =
          RowsInOrder(start_ns, dur_ns, tracks, groups[i]);
      return ComputeSelfOfLanes(start_ns, dur_ns, rows, self);
    }
    const Track& track = tracks[groups[i].first];
    for (Row row = track.first; row < track.last; ++row) {
      self[row] = dur_ns[row];
      if (parent[row] != kNoRow) self[parent[row]] -= dur_ns[row];
    }
  });
  return self_ns;
}

}  // namespace stepscope
