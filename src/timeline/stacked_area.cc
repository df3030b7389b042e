// SPDX-License-Identifier: Apache-2.0
#include "timeline/stacked_area.h"

#include <algorithm>
#include <utility>

namespace stepscope {
namespace {

int64_t TotalOf(const StackedArea::Sample& sample) {
  int64_t total = 0;
  for (const int64_t bytes : sample.held) total += bytes;
  return total;
}

}  // namespace

class StackedArea::Sweep {
 public:
  explicit Sweep(std::vector<int64_t> held) : held_(std::move(held)) {
    for (const int64_t bytes : held_) total_ += bytes;
  }

  void Apply(const HeldChange& change) {
    held_[change.group] += change.bytes;
    total_ += change.bytes;
    if (change.total < 0) return;
    held_.back() += change.total - total_;
    total_ = change.total;
  }
  int64_t total() const { return total_; }
  const std::vector<int64_t>& held() const { return held_; }

 private:
  std::vector<int64_t> held_;
  int64_t total_ = 0;
};

StackedArea::StackedArea(size_t changes, uint32_t groups, ChangeAt at)
    : changes_(changes), groups_(groups), at_(std::move(at)) {
  Sweep sweep{std::vector<int64_t>(groups)};
  int64_t most = 0;
  for (size_t i = 0; i < changes_; ++i) {
    const HeldChange change = at_(i);
    const bool first = i % kPart == 0;
    if (first) {
      parts_.push_back({change.time_ns, change.time_ns, i});
      before_.insert(before_.end(), sweep.held().begin(), sweep.held().end());
      most_.resize(before_.size());
    }
    sweep.Apply(change);
    if (!first && sweep.total() <= most) continue;
    most = sweep.total();
    parts_.back().most = i;
    parts_.back().most_ns = change.time_ns;
    std::copy(sweep.held().begin(), sweep.held().end(),
              most_.end() - static_cast<std::ptrdiff_t>(groups_));
  }
}

StackedArea::Sample StackedArea::BeforePart(size_t part) const {
  const auto first =
      before_.begin() + static_cast<std::ptrdiff_t>(part * groups_);
  return {parts_[part].begin_ns,
          part == 0 ? kNone : part * kPart - 1,
          {first, first + groups_}};
}

StackedArea::Sample StackedArea::MostOf(size_t part) const {
  const auto first =
      most_.begin() + static_cast<std::ptrdiff_t>(part * groups_);
  return {parts_[part].most_ns, parts_[part].most, {first, first + groups_}};
}

StackedArea::Sample StackedArea::Peak() const {
  Sample peak{0, kNone, std::vector<int64_t>(groups_)};
  int64_t most = 0;
  for (size_t part = 0; part < parts(); ++part) {
    Sample sample = MostOf(part);
    const int64_t total = TotalOf(sample);
    if (total <= most) continue;
    most = total;
    peak = std::move(sample);
  }
  return peak;
}

std::vector<StackedArea::Sample> StackedArea::Draw(int64_t begin_ns,
                                                   int64_t end_ns,
                                                   uint32_t columns) const {
  std::vector<Sample> shown;
  if (parts_.empty() || end_ns <= begin_ns || columns == 0) return shown;
  // The first part with a change at `begin` or later begins before or there.
  auto from = static_cast<size_t>(
      std::partition_point(
          parts_.begin(), parts_.end(),
          [&](const Part& part) { return part.begin_ns < begin_ns; }) -
      parts_.begin());
  if (from > 0) --from;
  size_t to = from;
  while (to < parts() && parts_[to].begin_ns < end_ns) ++to;
  const double column_ns =
      std::max(1.0, static_cast<double>(end_ns - begin_ns) / columns);
  const auto column_of = [&](int64_t time) {
    return static_cast<int64_t>(static_cast<double>(time - begin_ns) /
                                column_ns);
  };
  Sample start = BeforePart(from);
  start.time_ns = begin_ns;
  shown.push_back(std::move(start));
  int64_t column = -1;
  int64_t most = 0;
  const auto show = [&](Sample sample, int64_t total) {
    const int64_t at = column_of(sample.time_ns);
    if (at == column && total <= most) return;
    if (at == column) shown.pop_back();
    column = at;
    most = total;
    shown.push_back(std::move(sample));
  };
  // Where a part is less than a column, its largest instant is enough; but the
  // first and the last part may have it outside.
  const bool coarse = to - from > 2 * size_t{columns};
  for (size_t part = from; part < to; ++part) {
    if (coarse && part != from && part + 1 != to) {
      Sample sample = MostOf(part);
      const int64_t total = TotalOf(sample);
      show(std::move(sample), total);
      continue;
    }
    Sweep sweep(BeforePart(part).held);
    const size_t last = std::min(changes_, (part + 1) * kPart);
    for (size_t i = part * kPart; i < last; ++i) {
      const HeldChange change = at_(i);
      if (change.time_ns >= end_ns) break;
      sweep.Apply(change);
      if (change.time_ns < begin_ns)
        shown.front() = {begin_ns, i, sweep.held()};
      else if (column_of(change.time_ns) != column || sweep.total() > most)
        show({change.time_ns, i, sweep.held()}, sweep.total());
    }
  }
  return shown;
}

}  // namespace stepscope
