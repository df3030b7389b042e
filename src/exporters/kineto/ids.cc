// SPDX-License-Identifier: Apache-2.0
#include "exporters/kineto/ids.h"

#include <stepscope/c.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "exporters/arrows.h"

namespace stepscope::kineto {

RangeIds::RangeIds(const Trace& trace) : trace_(trace) {
  ForEachLaunch(trace, [&](const Link* first, const Link* last) {
    Row call = kNoRow;
    for (const Link* link = first; link != last && call == kNoRow; ++link)
      if (link->row != kNoRow && !IsDeviceRow(trace_, link->row))
        call = link->row;
    for (const Link* link = first; link != last; ++link)
      if (link->row != kNoRow && IsDeviceRow(trace_, link->row))
        launches_[link->row] = call;
  });
}

Row RangeIds::LaunchOf(Row row) const {
  const auto it = launches_.find(row);
  return it == launches_.end() ? kNoRow : it->second;
}

Row RangeIds::RangeOf(Row row, Word word) const {
  if (IsRange(word)) return row;
  if (IsDeviceRow(trace_, row)) row = LaunchOf(row);
  while (row != kNoRow) {
    row = trace_.nesting().parent[row];
    if (row != kNoRow && IsRange(WordOf(trace_, row))) break;
  }
  return row;
}

Row RangeIds::AnnotationOf(Row row) const {
  while (row != kNoRow && (WordOf(trace_, row) != Word::kUserAnnotation ||
                           IsOwnStage(trace_, row)))
    row = trace_.nesting().parent[row];
  return row;
}

uint64_t RangeIds::IdOf(Row row, Word word) const {
  const Row range = RangeOf(row, word);
  return range == kNoRow ? 0 : uint64_t{range} + 1;
}

std::vector<DeviceRange> FindDeviceRanges(const Trace& trace,
                                          const RangeIds& ids) {
  std::map<std::pair<uint32_t, Row>, DeviceRange> found;
  for (uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kStream) continue;
    for (Row row = track.first; row < track.last; ++row) {
      const Row annotation = ids.AnnotationOf(ids.LaunchOf(row));
      if (annotation == kNoRow) continue;
      const int64_t start = trace.start_ns()[row];
      const int64_t end = trace.end_ns(row);
      const auto [it, fresh] = found.try_emplace(
          {i, annotation}, DeviceRange{annotation, i, start, end});
      it->second.end_ns = std::max(it->second.end_ns, end);
    }
  }
  std::vector<DeviceRange> ranges;
  for (const auto& [key, range] : found) ranges.push_back(range);
  return ranges;
}

namespace {

// Of those of one sequence number: the operator that began last, and the node
// that ended first, which is the innermost.
ForwardBackward PairOf(const Trace& trace, std::span<const Link> links) {
  ForwardBackward pair;
  for (const Link& link : links) {
    const Row row = link.row;
    if (row == kNoRow) continue;
    if (trace.type()[row] == STEPSCOPE_BACKWARD) {
      if (pair.backward == kNoRow ||
          trace.end_ns(row) < trace.end_ns(pair.backward))
        pair.backward = row;
    } else if (trace.type()[row] == STEPSCOPE_OPERATOR) {
      if (pair.forward == kNoRow ||
          trace.start_ns()[row] > trace.start_ns()[pair.forward])
        pair.forward = row;
    }
  }
  return pair;
}

}  // namespace

std::vector<ForwardBackward> FindForwardBackward(const Trace& trace) {
  std::vector<ForwardBackward> pairs;
  const std::span<const Link> links = trace.links();
  for (size_t first = 0; first < links.size();) {
    size_t last = first + 1;
    while (last < links.size() && links[last].space == links[first].space &&
           links[last].process == links[first].process &&
           links[last].id == links[first].id)
      ++last;
    if (links[first].space == LinkSpace::kSequence) {
      const auto pair = PairOf(trace, links.subspan(first, last - first));
      if (pair.forward != kNoRow && pair.backward != kNoRow)
        pairs.push_back(pair);
    }
    first = last;
  }
  // As Kineto numbers them.
  std::ranges::stable_sort(pairs, {}, [&](const ForwardBackward& pair) {
    return trace.end_ns(pair.backward);
  });
  return pairs;
}

}  // namespace stepscope::kineto
