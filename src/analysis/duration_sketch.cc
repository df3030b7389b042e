// SPDX-License-Identifier: Apache-2.0
#include "analysis/duration_sketch.h"

#include <algorithm>
#include <array>

#include "analysis/log_bins.h"

namespace stepscope {
namespace {

// 128 bins to a doubling: none is wider than 1/128 of what it holds, so its
// middle is off by 1/256 at most.
using SketchBins = LogBins<7, uint64_t>;

// The middle of what a bin holds.
int64_t MiddleOf(uint64_t bin) {
  const uint64_t width = uint64_t{1} << SketchBins::Shift(bin);
  return static_cast<int64_t>(SketchBins::Least(bin) + (width - 1) / 2);
}

// Adds one to an ascending list of entries.
void CountOne(std::vector<DurationSketch::Entry>& entries, uint64_t value) {
  const auto at = std::lower_bound(
      entries.begin(), entries.end(), value,
      [](const auto& entry, uint64_t key) { return entry.first < key; });
  if (at != entries.end() && at->first == value)
    ++at->second;
  else
    entries.insert(at, {value, 1});
}

}  // namespace

template <typename T>
DurationSketch DurationSketch::OfValues(std::span<const T> values) {
  DurationSketch sketch;
  size_t next = 0;
  for (; next < values.size(); ++next) {
    CountOne(sketch.entries_, static_cast<uint64_t>(values[next]));
    if (sketch.entries_.size() > kExact) break;
  }
  if (next == values.size()) return sketch;
  sketch.Blur();
  std::vector<uint64_t> counts(SketchBins::kCount);
  for (const Entry& entry : sketch.entries_) counts[entry.first] = entry.second;
  for (++next; next < values.size(); ++next)
    ++counts[SketchBins::Of(static_cast<uint64_t>(values[next]))];
  sketch.entries_.clear();
  for (size_t bin = 0; bin < counts.size(); ++bin)
    if (counts[bin] > 0) sketch.entries_.emplace_back(bin, counts[bin]);
  return sketch;
}

DurationSketch DurationSketch::Of(std::span<const int64_t> values) {
  return OfValues(values);
}

DurationSketch DurationSketch::Of(std::span<const uint32_t> values) {
  return OfValues(values);
}

DurationSketch DurationSketch::OfEqual(int64_t value, uint64_t count) {
  DurationSketch sketch;
  if (count > 0)
    sketch.entries_.emplace_back(static_cast<uint64_t>(value), count);
  return sketch;
}

bool DurationSketch::FromParts(bool exact, std::vector<Entry> entries,
                               DurationSketch& sketch) {
  const uint64_t end = exact ? uint64_t{1} << 63 : uint64_t{SketchBins::kCount};
  if (exact && entries.size() > kExact) return false;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].second == 0 || entries[i].first >= end) return false;
    if (i > 0 && entries[i].first <= entries[i - 1].first) return false;
  }
  sketch.exact_ = exact;
  sketch.entries_ = std::move(entries);
  return true;
}

void DurationSketch::Blur() {
  if (!exact_) return;
  exact_ = false;
  std::vector<Entry> bins;
  for (const auto& [value, count] : entries_) {
    const uint64_t bin = SketchBins::Of(value);
    if (bins.empty() || bins.back().first != bin) bins.emplace_back(bin, 0);
    bins.back().second += count;
  }
  entries_ = std::move(bins);
}

void DurationSketch::Add(const DurationSketch& other) {
  if (other.entries_.empty()) return;
  const DurationSketch* from = &other;
  DurationSketch blurred;
  if (exact_ != other.exact_) {
    Blur();
    if (other.exact_) {
      blurred = other;
      blurred.Blur();
      from = &blurred;
    }
  }
  std::vector<Entry> all;
  all.reserve(entries_.size() + from->entries_.size());
  auto a = entries_.begin();
  for (const Entry& b : from->entries_) {
    while (a != entries_.end() && a->first < b.first) all.push_back(*a++);
    all.push_back(b);
    if (a != entries_.end() && a->first == b.first)
      all.back().second += (a++)->second;
  }
  all.insert(all.end(), a, entries_.end());
  entries_ = std::move(all);
  if (exact_ && entries_.size() > kExact) Blur();
}

uint64_t DurationSketch::count() const {
  uint64_t sum = 0;
  for (const Entry& entry : entries_) sum += entry.second;
  return sum;
}

Spread DurationSketch::ToSpread() const {
  Spread spread;
  const uint64_t all = count();
  if (all == 0) return spread;
  const std::array<std::pair<uint64_t, int64_t*>, 4> wanted = {
      {{50, &spread.p50_ns},
       {90, &spread.p90_ns},
       {95, &spread.p95_ns},
       {99, &spread.p99_ns}}};
  uint64_t before = 0;
  for (const auto& [key, count] : entries_) {
    const uint64_t least = exact_ ? key : SketchBins::Least(key);
    CountBin(spread, least, count);
    for (const auto& [percent, value] : wanted) {
      // Of more than 2^57 nobody asks.
      const uint64_t rank = (all * percent + 99) / 100 - 1;
      if (rank < before || rank >= before + count) continue;
      *value = exact_ ? static_cast<int64_t>(key) : MiddleOf(key);
    }
    before += count;
  }
  return spread;
}

}  // namespace stepscope
