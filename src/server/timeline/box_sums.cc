// SPDX-License-Identifier: Apache-2.0
#include "server/timeline/box_sums.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/nested_calls.h"
#include "base/stable_sort.h"

namespace stepscope::server {
namespace {

class Adder {
 public:
  Adder(const OpenTrace& open, Interval range)
      : open_(open), trace_(open.trace()), tree_(open.tree()), range_(range) {}

  void Add(const TilePart& part) {
    ForEachInBox(trace_, part, range_, [&](Row row, uint32_t depth) {
      AddEvent(row, part.kind == LineKind::kPython && depth > 0
                        ? PythonAround(row)
                        : kNoRow);
    });
  }

  // Of what the box cuts off, own time is what the events right inside leave.
  void AddSelfOfCut(const TilePart& part) {
    if (cut_.empty() || part.kind != LineKind::kNative) return;
    TilePart all = part;
    all.first_depth = 0;
    all.depths = UINT32_MAX;
    for (const LineKind kind : {LineKind::kNative, LineKind::kPython}) {
      all.kind = kind;
      ForEachInBox(trace_, all, range_, [&](Row row, uint32_t) {
        const Row parent = tree_.parent(row);
        if (parent == kNoRow || !IsCut(parent)) return;
        const auto found = cut_.find(parent);
        if (found != cut_.end()) found->second.push_back(Inside(row));
      });
    }
  }

  BoxSums Take() {
    for (auto& [row, inside] : cut_) {
      std::sort(inside.begin(), inside.end(),
                [](const Interval& a, const Interval& b) {
                  return a.begin < b.begin;
                });
      const Interval own = Inside(row);
      int64_t self = own.end - own.begin;
      int64_t until = own.begin;
      for (const Interval& one : inside) {
        self -= std::max<int64_t>(one.end - std::max(one.begin, until), 0);
        until = std::max(until, one.end);
      }
      RowOf(row).self_ns += std::max<int64_t>(self, 0);
    }
    BoxSums sums;
    sums.events = events_;
    for (auto& [key, row] : rows_) sums.rows.push_back(std::move(row));
    StableSort(sums.rows.begin(), sums.rows.end(),
               [](const BoxRow& a, const BoxRow& b) {
                 return a.total_ns > b.total_ns;
               });
    return sums;
  }

 private:
  using Key = std::tuple<uint32_t, uint16_t, TrackKind>;

  bool IsCut(Row row) const {
    return trace_.start_ns()[row] < range_.begin ||
           trace_.end_ns(row) > range_.end;
  }
  Interval Inside(Row row) const {
    const int64_t begin = std::max(trace_.start_ns()[row], range_.begin);
    return {begin, std::max(std::min(trace_.end_ns(row), range_.end), begin)};
  }
  // The innermost of Python's events around one of these.
  Row PythonAround(Row row) const {
    do {
      row = trace_.nesting().parent[row];
    } while (LineKindOf(trace_.type()[row]) != LineKind::kPython);
    return row;
  }

  BoxRow& RowOf(Row row) {
    const TrackKind on = trace_.tracks()[trace_.track()[row]].kind;
    const uint16_t kind = KindOfCall(trace_.type()[row]);
    const StringId name = trace_.name()[row];
    const auto [found, fresh] = rows_.try_emplace(Key(name.v, kind, on));
    BoxRow& sum = found->second;
    if (fresh) {
      sum.name = name;
      sum.kind = kind;
      sum.on = on;
      sum.event_class = open_.pyramid().class_of(row);
    }
    return sum;
  }

  void AddEvent(Row row, Row python_around) {
    const Interval inside = Inside(row);
    const int64_t time = inside.end - inside.begin;
    BoxRow& sum = RowOf(row);
    ++events_;
    if (open_.nested_calls().contains(row)) {
      ++sum.nested_calls;
    } else {
      sum.total_ns += time;
      sum.durations.push_back(std::max<int64_t>(trace_.dur_ns()[row], 0));
    }
    if (LineKindOf(trace_.type()[row]) == LineKind::kPython) {
      // As the table of Python has it: without Python's own calls.
      sum.self_ns += time;
      if (python_around != kNoRow) RowOf(python_around).self_ns -= time;
    } else if (IsCut(row)) {
      cut_.try_emplace(row);
    } else {
      sum.self_ns += tree_.self_ns(row);
    }
  }

  const OpenTrace& open_;
  const Trace& trace_;
  const EventTree& tree_;
  const Interval range_;
  uint64_t events_ = 0;
  std::map<Key, BoxRow> rows_;
  std::map<Row, std::vector<Interval>> cut_;  // and what is right inside them
};

}  // namespace

BoxSums SumBox(const OpenTrace& open, std::span<const uint32_t> view_tracks,
               Interval range) {
  Adder adder(open, range);
  const auto for_each_part = [&](auto use) {
    for (const uint32_t track : view_tracks)
      for (const TilePart& part : open.view().tracks[track].parts) use(part);
  };
  for_each_part([&](const TilePart& part) { adder.Add(part); });
  for_each_part([&](const TilePart& part) { adder.AddSelfOfCut(part); });
  return adder.Take();
}

}  // namespace stepscope::server
