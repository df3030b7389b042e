// SPDX-License-Identifier: Apache-2.0
#include "trace/build/row_order.h"

#include <stepscope/c.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/text.h"
#include "trace/build/order_check.h"
#include "trace/lanes.h"

namespace stepscope {
namespace {

// Times lie within +-2^62 ns, so that sums and differences do not overflow.
constexpr uint64_t kTimeBound = uint64_t{1} << 62;

// Rows of one lane of one track, as a range of the ordered columns.
struct LaneRange {
  uint32_t track;
  uint32_t lane;
  Row first;
  Row last;
};

class Orderer {
 public:
  Orderer(EventTable& events, std::vector<Track>& tracks,
          std::span<const OrderedRows> ordered)
      : c_(events), tracks_(tracks), ordered_(ordered) {}

  Result<RowMoves> Run() {
    STEPSCOPE_TRY_ASSIGN(const bool grouped, FindRanges());
    if (!grouped) {
      STEPSCOPE_TRY(Group());
      ordered_ = {};
    }
    FindKnownTracks();
    for (uint32_t track = 0; track < tracks_.size(); ++track)
      STEPSCOPE_TRY(OrderTrack(track));
    if (lanes_.size() != tracks_.size()) SplitTracks();
    return std::move(moves_);
  }

 private:
  Row size() const { return c_.size(); }

  // Sets first and last of every track; false if one is in several places.
  Result<bool> FindRanges() {
    for (Track& track : tracks_) track.first = track.last = 0;
    const Row n = size();
    const uint32_t* const track = c_.track.data();
    for (Row row = 0; row < n;) {
      const uint32_t t = track[row];
      const Row first = row;
      if (t >= tracks_.size())
        return Fail(ErrorCode::kInvalidArgument,
                    Format("event %u: no track %u", row, t));
      row = EndOfRun(track, row, n);
      if (tracks_[t].last != 0) return false;
      tracks_[t].first = first;
      tracks_[t].last = row;
    }
    return true;
  }

  // One past the last row from `row` on with the same track. Steps are
  // compared with themselves, one value apart: as fast as memory.
  static Row EndOfRun(const uint32_t* track, Row row, Row n) {
    constexpr Row kStep = 4096;
    while (n - row > kStep && std::memcmp(track + row, track + row + 1,
                                          kStep * sizeof(uint32_t)) == 0)
      row += kStep;
    const uint32_t t = track[row];
    while (row < n && track[row] == t) ++row;
    return row;
  }

  Status Group() {
    std::vector<Row> next(tracks_.size() + 1, 0);
    for (const uint32_t t : c_.track.view()) {
      if (t >= tracks_.size())
        return Fail(ErrorCode::kInvalidArgument, Format("no track %u", t));
      ++next[t + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (size_t t = 0; t < tracks_.size(); ++t) {
      tracks_[t].first = next[t];
      tracks_[t].last = next[t + 1];
    }
    if (!moves_.row.Resize(size())) return OutOfMemory();
    for (Row row = 0; row < size(); ++row)
      moves_.row[row] = next[c_.track[row]]++;
    if (!Scatter(c_.start_ns) || !Scatter(c_.dur_ns) || !Scatter(c_.name) ||
        !Scatter(c_.type) || !Scatter(c_.flags))
      return OutOfMemory();
    for (uint32_t t = 0; t < tracks_.size(); ++t)
      std::fill(c_.track.data() + tracks_[t].first,
                c_.track.data() + tracks_[t].last, t);
    return Ok();
  }

  // Every row to its place in moves_.
  template <typename T>
  bool Scatter(Column<T>& column) {
    Column<T> moved;
    if (!moved.Resize(size())) return false;
    const Row* const to = moves_.row.data();
    for (Row row = 0; row < size(); ++row) moved[to[row]] = column[row];
    column.swap(moved);
    return true;
  }

  // One reading pass where all is well, which is the rule.
  Status OrderTrack(uint32_t t) {
    const Row first = tracks_[t].first;
    const Row last = tracks_[t].last;
    bool ordered = first == last || known_[t];
    if (!ordered) {
      STEPSCOPE_TRY_ASSIGN(ordered, IsOrderedAndNested(first, last));
    }
    if (ordered) {
      lanes_.push_back({t, 0, first, last});
      return Ok();
    }
    Column<Row> from;
    if (!from.Resize(last - first)) return OutOfMemory();
    std::iota(from.span().begin(), from.span().end(), first);
    const int64_t* const start = c_.start_ns.data();
    const int64_t* const dur = c_.dur_ns.data();
    std::sort(from.span().begin(), from.span().end(), [=](Row a, Row b) {
      if (start[a] != start[b]) return start[a] < start[b];
      if (dur[a] != dur[b]) return dur[a] > dur[b];
      return a < b;
    });
    STEPSCOPE_TRY(AssignLanes(t, from));
    return Move(first, from.span());
  }

  // Those all of whose rows are in one run that was found in order.
  void FindKnownTracks() {
    known_.resize(tracks_.size());
    for (const OrderedRows& rows : ordered_) {
      if (rows.track >= tracks_.size()) continue;
      const Track& track = tracks_[rows.track];
      if (rows.first == track.first && rows.last == track.last)
        known_[rows.track] = true;
    }
  }

  Result<bool> IsOrderedAndNested(Row first, Row last) {
    OrderCheck check;
    check.Add(c_.start_ns.data() + first, c_.dur_ns.data() + first,
              last - first);
    if (check.ordered()) return true;
    uint64_t bad = 0;
    for (Row row = first; row < last; ++row) {
      const auto start = static_cast<uint64_t>(c_.start_ns[row]);
      const auto dur = static_cast<uint64_t>(c_.dur_ns[row]);
      bad |= (start + kTimeBound) | dur | (dur << 1);
    }
    if (bad >> 63 != 0)
      return Fail(ErrorCode::kInvalidArgument,
                  "an event has a negative duration or is out of range");
    return false;
  }

  // Splits the sorted rows `from` of a track by lane, stably.
  Status AssignLanes(uint32_t t, Column<Row>& from) {
    Column<uint32_t> lane;
    Column<Row> sorted;
    if (!lane.Resize(from.size()) || !sorted.Resize(from.size()))
      return OutOfMemory();
    const std::span<const Row> rows = from.view();
    uint32_t count = PlaceRows(rows, lane, 0, [](Row) { return true; });
    if (count > 1 && HasPythonFunctions(rows)) {
      // A range that a function begins or ends for its caller overlaps the
      // function. It must not push the program's own ranges to further lanes,
      // out of those that they are inside of: functions come last.
      count = PlaceRows(rows, lane, 0,
                        [&](Row row) { return !IsPythonFunction(row); });
      count = PlaceRows(rows, lane, count,
                        [&](Row row) { return IsPythonFunction(row); });
    }
    std::vector<Row> next(count + 1, 0);
    for (const uint32_t l : lane.view()) ++next[l + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    const Row first = tracks_[t].first;
    for (uint32_t l = 0; l < count; ++l)
      lanes_.push_back({t, l, first + next[l], first + next[l + 1]});
    for (size_t i = 0; i < from.size(); ++i) sorted[next[lane[i]]++] = from[i];
    from.swap(sorted);
    return Ok();
  }

  // Lays out those rows that are `chosen`, from lane `first` on. Returns the
  // lane behind theirs.
  template <typename Chosen>
  uint32_t PlaceRows(std::span<const Row> rows, Column<uint32_t>& lane,
                     uint32_t first, Chosen chosen) const {
    Lanes layout;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Row row = rows[i];
      if (!chosen(row)) continue;
      lane[i] = first + layout.Place(c_.start_ns[row],
                                     c_.start_ns[row] + c_.dur_ns[row]);
    }
    return first + layout.count();
  }

  bool IsPythonFunction(Row row) const {
    return c_.type[row] == STEPSCOPE_PYTHON_FUNCTION;
  }
  bool HasPythonFunctions(std::span<const Row> rows) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](Row row) { return IsPythonFunction(row); });
  }

  // Row first + i becomes what row from[i] was.
  Status Move(Row first, std::span<const Row> from) {
    if (moves_.row.empty()) {
      if (!moves_.row.Resize(size())) return OutOfMemory();
      std::iota(moves_.row.span().begin(), moves_.row.span().end(), Row{0});
    }
    if (origin_.empty()) {
      if (!origin_.Resize(size())) return OutOfMemory();
      for (Row row = 0; row < size(); ++row) origin_[moves_.row[row]] = row;
    }
    Column<int64_t> times;
    Column<StringId> names;
    Column<uint32_t> words;
    Column<uint16_t> halves;
    if (!Gather(c_.start_ns, first, from, times) ||
        !Gather(c_.dur_ns, first, from, times) ||
        !Gather(c_.name, first, from, names) ||
        !Gather(c_.track, first, from, words) ||
        !Gather(origin_, first, from, words) ||
        !Gather(c_.type, first, from, halves) ||
        !Gather(c_.flags, first, from, halves))
      return OutOfMemory();
    for (Row i = 0; i < from.size(); ++i)
      moves_.row[origin_[first + i]] = first + i;
    return Ok();
  }

  // `moved`: memory that may be used again for the next column.
  template <typename T>
  static bool Gather(Column<T>& column, Row first, std::span<const Row> from,
                     Column<T>& moved) {
    if (!moved.Resize(from.size())) return false;
    for (size_t i = 0; i < from.size(); ++i) moved[i] = column[from[i]];
    if (from.size() == column.size())
      column.swap(moved);
    else if (!from.empty())
      std::memcpy(&column[first], moved.data(), from.size() * sizeof(T));
    return true;
  }

  void SplitTracks() {
    std::vector<Track> split;
    moves_.track.resize(tracks_.size());
    for (const LaneRange& range : lanes_) {
      const auto index = static_cast<uint32_t>(split.size());
      split.push_back(tracks_[range.track]);
      split.back().lane += range.lane;  // an importer may know lanes already
      split.back().first = range.first;
      split.back().last = range.last;
      if (range.lane == 0) moves_.track[range.track] = index;
      std::fill(c_.track.data() + range.first, c_.track.data() + range.last,
                index);
    }
    tracks_.swap(split);
  }

  static Error OutOfMemory() {
    return Fail(ErrorCode::kIo, "not enough memory to order the events");
  }

  EventTable& c_;
  std::vector<Track>& tracks_;
  std::span<const OrderedRows> ordered_;
  std::vector<bool> known_;  // by track
  std::vector<LaneRange> lanes_;
  Column<Row> origin_;  // current row -> old row
  RowMoves moves_;
};

}  // namespace

Result<RowMoves> OrderRows(EventTable& events, std::vector<Track>& tracks,
                           std::span<const OrderedRows> ordered) {
  return Orderer(events, tracks, ordered).Run();
}

}  // namespace stepscope
