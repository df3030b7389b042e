// SPDX-License-Identifier: Apache-2.0
#include "analysis/counters/share_out.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

// No device runs so many at once. A file that says so would take long, so
// nothing counts as measured as long as it does.
constexpr size_t kMostAtOnce = 256;

enum WorkSide : size_t { kAllWork, kKernels, kSides };
constexpr WorkSide SideOf(size_t measure) {
  return IsOfKernels(measure) ? kKernels : kAllWork;
}

// Work in a cell: plain sum, and as the device has it.
struct CellTime {
  int64_t work_ns = 0;
  int64_t busy_ns = 0;
  int64_t until = INT64_MIN;

  // REQUIRES: begins do not decrease.
  void Add(const Interval& part) {
    work_ns = SaturatingAdd(work_ns, part.end - part.begin);
    if (part.end <= until) return;
    busy_ns += part.end - std::max(part.begin, until);
    until = part.end;
  }
};

class Sharing {
 public:
  Sharing(std::span<const WorkSpan> spans, const WorkGroups& groups,
          std::vector<MeasuredParts>& sums)
      : spans_(spans), groups_(groups), sums_(sums), own_(sums.size()) {}

  void Add(const CounterCell& cell) {
    TakeWork(cell.time);
    const bool crowded = cell.time.begin < crowded_until_;
    for (size_t i = 0; i < kMeasures; ++i) {
      const double amount = cell.amounts[i];
      if (std::isnan(amount)) continue;
      const CellTime& time = times_[SideOf(i)];
      double given = time.work_ns > 0 && !crowded ? amount : 0;
      // Multiprocessors that were busy for longer than any kernel ran worked
      // for somebody else.
      if (IsOfKernels(i))
        given = std::min(given, static_cast<double>(time.busy_ns));
      nobodys_[i] += amount - given;
      if (time.work_ns > 0 && !crowded) Give(i, given, time);
    }
    for (const uint32_t group : touched_) own_[group] = {};
    touched_.clear();
  }

  const std::array<double, kMeasures>& nobodys() const { return nobodys_; }

 private:
  using OwnTime = std::array<int64_t, kSides>;

  void TakeWork(const Interval& cell) {
    for (; next_ < spans_.size() && spans_[next_].time.begin < cell.end;
         ++next_) {
      if (spans_[next_].time.end <= cell.begin) continue;
      if (open_.size() < kMostAtOnce)
        open_.push_back(next_);
      else
        crowded_until_ = std::max(crowded_until_, spans_[next_].time.end);
    }
    times_ = {};
    // Those that were open before begin with the cell, the others follow by
    // begin.
    size_t kept = 0;
    for (const size_t at : open_) {
      const WorkSpan& span = spans_[at];
      if (span.time.end > cell.end) open_[kept++] = at;
      AddWork(span, {std::max(span.time.begin, cell.begin),
                     std::min(span.time.end, cell.end)});
    }
    open_.resize(kept);
  }

  void AddWork(const WorkSpan& span, const Interval& part) {
    if (part.begin >= part.end) return;
    const int64_t ns = part.end - part.begin;
    times_[kAllWork].Add(part);
    if (span.kernel) times_[kKernels].Add(part);
    groups_.ForEach(span.work, [&](uint32_t group) {
      OwnTime& own = own_[group];
      if (own[kAllWork] == 0) touched_.push_back(group);
      own[kAllWork] += ns;
      if (span.kernel) own[kKernels] += ns;
    });
  }

  void Give(size_t measure, double amount, const CellTime& time) {
    for (const uint32_t group : touched_) {
      const int64_t own_ns = own_[group][SideOf(measure)];
      if (own_ns == 0) continue;
      const double share =
          static_cast<double>(own_ns) / static_cast<double>(time.work_ns);
      MeasuredPart& part = sums_[group][measure];
      part.amount += amount * share;
      part.busy_ns += static_cast<double>(time.busy_ns) * share;
      part.measured_ns = SaturatingAdd(part.measured_ns, own_ns);
      if (own_ns < time.work_ns)
        part.error += amount * std::max(share, 1 - share);
    }
  }

  const std::span<const WorkSpan> spans_;
  const WorkGroups& groups_;
  std::vector<MeasuredParts>& sums_;
  size_t next_ = 0;           // of spans_
  std::vector<size_t> open_;  // of spans_: not yet over
  int64_t crowded_until_ = INT64_MIN;
  // Of the cell at hand.
  std::array<CellTime, kSides> times_;
  std::vector<OwnTime> own_;  // by group
  std::vector<uint32_t> touched_;
  std::array<double, kMeasures> nobodys_ = {};
};

}  // namespace

std::array<double, kMeasures> ShareOut(std::span<const CounterCell> cells,
                                       std::span<const WorkSpan> spans,
                                       const WorkGroups& groups,
                                       std::vector<MeasuredParts>& sums) {
  Sharing sharing(spans, groups, sums);
  for (const CounterCell& cell : cells) sharing.Add(cell);
  return sharing.nobodys();
}

}  // namespace stepscope
