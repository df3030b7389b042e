// SPDX-License-Identifier: Apache-2.0
#include "analysis/interval.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

bool BeginsBefore(const Interval& a, const Interval& b) {
  return a.begin < b.begin;
}

// Extends the last range of `set` by `part`, or appends it. REQUIRES: parts
// come sorted by begin.
void Append(IntervalSet& set, const Interval& part) {
  if (!set.empty() && part.begin <= set.back().end)
    set.back().end = std::max(set.back().end, part.end);
  else
    set.push_back(part);
}

}  // namespace

int64_t TotalLength(std::span<const Interval> set) {
  int64_t total = 0;
  for (const Interval& part : set)
    total = SaturatingAdd(total, SaturatingSubtract(part.end, part.begin));
  return total;
}

IntervalSet Union(std::span<const Interval> a, std::span<const Interval> b) {
  IntervalSet result;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool from_a =
        j == b.size() || (i < a.size() && BeginsBefore(a[i], b[j]));
    Append(result, from_a ? a[i++] : b[j++]);
  }
  return result;
}

IntervalSet Intersection(std::span<const Interval> a,
                         std::span<const Interval> b) {
  IntervalSet result;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    const int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) result.push_back({begin, end});
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return result;
}

IntervalSet Difference(std::span<const Interval> a,
                       std::span<const Interval> b) {
  IntervalSet result;
  size_t j = 0;
  for (const Interval& part : a) {
    int64_t begin = part.begin;
    while (j < b.size() && b[j].end <= begin) ++j;
    // A range of `b` may reach over several of `a`, so it stays current.
    for (size_t k = j; k < b.size() && b[k].begin < part.end; ++k) {
      if (begin < b[k].begin) result.push_back({begin, b[k].begin});
      begin = std::max(begin, b[k].end);
      j = k;
    }
    if (begin < part.end) result.push_back({begin, part.end});
  }
  return result;
}

int64_t OverlapLength(std::span<const Interval> a,
                      std::span<const Interval> b) {
  int64_t length = 0;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const int64_t begin = std::max(a[i].begin, b[j].begin);
    const int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end)
      length = SaturatingAdd(length, SaturatingSubtract(end, begin));
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return length;
}

int64_t Remainder::Take(std::span<const Interval> set, IntervalSet& taken) {
  taken.clear();
  if (set.empty()) return 0;
  int64_t length = 0;
  left_.clear();
  size_t j = 0;
  for (const Interval& part : rest_) {
    int64_t begin = part.begin;
    while (j < set.size() && set[j].end <= begin) ++j;
    // A range of `set` may reach over several of the rest, so it stays current.
    for (; j < set.size() && set[j].begin < part.end; ++j) {
      if (begin < set[j].begin) left_.push_back({begin, set[j].begin});
      const Interval both{std::max(begin, set[j].begin),
                          std::min(part.end, set[j].end)};
      taken.push_back(both);
      length = SaturatingAdd(length, SaturatingSubtract(both.end, both.begin));
      begin = both.end;
      if (set[j].end > part.end) break;
    }
    if (begin < part.end) left_.push_back({begin, part.end});
  }
  rest_.swap(left_);
  return length;
}

IntervalSet IntervalCollector::Finish() {
  Normalise();
  return std::exchange(parts_, {});
}

void IntervalCollector::Finish(IntervalSet& set) {
  Normalise();
  set.swap(parts_);
  parts_.clear();
}

void IntervalCollector::Normalise() {
  if (runs_.empty()) return;  // made as it should be
  runs_.push_back(parts_.size());
  while (runs_.size() > 1) {
    // Merges neighbours: n log(runs) in all, whatever their number.
    std::vector<size_t> merged;
    size_t first = 0;
    for (size_t i = 0; i + 1 < runs_.size(); i += 2) {
      const auto at = [&](size_t index) {
        return parts_.begin() + static_cast<ptrdiff_t>(index);
      };
      std::inplace_merge(at(first), at(runs_[i]), at(runs_[i + 1]),
                         BeginsBefore);
      first = runs_[i + 1];
      merged.push_back(first);
    }
    if (runs_.size() % 2 == 1) merged.push_back(runs_.back());
    runs_ = std::move(merged);
  }
  runs_.clear();
  size_t kept = 0;
  for (const Interval& part : parts_)
    if (kept > 0 && part.begin <= parts_[kept - 1].end)
      parts_[kept - 1].end = std::max(parts_[kept - 1].end, part.end);
    else
      parts_[kept++] = part;
  parts_.resize(kept);
}

}  // namespace stepscope
