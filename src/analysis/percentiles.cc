// SPDX-License-Identifier: Apache-2.0
#include "analysis/percentiles.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/duration_sketch.h"
#include "analysis/log_bins.h"

namespace stepscope {
namespace {

constexpr std::array<size_t, 4> kPercents = {50, 90, 95, 99};
constexpr size_t kWanted = kPercents.size();
// Up to so many, sorting is cheaper than counting.
constexpr size_t kFewToSort = 64;
// From so many on, finer bins pay: fewer values are looked at twice.
constexpr size_t kMany = 384;

size_t RankOf(size_t count, size_t percent) {
  return (count * percent + 99) / 100 - 1;
}

int ExponentOf(uint64_t value) {
  return static_cast<int>(std::bit_width(value)) - 1;
}

template <typename T>
Spread SpreadOfFew(std::span<T> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](size_t percent) {
    return static_cast<int64_t>(values[RankOf(values.size(), percent)]);
  };
  Spread spread{at(kPercents[0]),
                at(kPercents[1]),
                at(kPercents[2]),
                at(kPercents[3]),
                {},
                {}};
  for (const T value : values)
    CountBin(spread, static_cast<uint64_t>(value), 1);
  return spread;
}

// A rank, and the bin that it falls into.
struct Wanted {
  size_t rank = 0;     // within the bin
  size_t count = 0;    // of the bin
  uint64_t least = 0;  // value of the bin
  uint64_t width = 0;  // of the bin; 1: its only value is the answer
};

// The values at the wanted ranks. Looks again at those of their bins only.
template <typename T>
std::array<uint64_t, kWanted> Select(
    std::span<const T> values, const std::array<Wanted, kWanted>& wanted) {
  std::array<std::vector<T>, kWanted> inside;
  bool exact = true;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].width == 1) continue;
    exact = false;
    inside[i].reserve(wanted[i].count);
  }
  if (!exact) {
    for (const T value : values) {
      for (size_t i = 0; i < wanted.size(); ++i) {
        const uint64_t off = static_cast<uint64_t>(value) - wanted[i].least;
        if (off < wanted[i].width) inside[i].push_back(value);
      }
    }
  }
  std::array<uint64_t, kWanted> found{};
  for (size_t i = 0; i < wanted.size(); ++i) {
    found[i] = wanted[i].least;
    if (wanted[i].width == 1) continue;
    const auto at = inside[i].begin() + static_cast<ptrdiff_t>(wanted[i].rank);
    std::nth_element(inside[i].begin(), at, inside[i].end());
    found[i] = static_cast<uint64_t>(*at);
  }
  return found;
}

template <unsigned kSubBits, typename T>
Spread SpreadOfMany(std::span<const T> values) {
  using Fine = LogBins<kSubBits, T>;
  std::array<uint32_t, Fine::kCount> counts{};
  for (const T value : values) ++counts[Fine::Of(static_cast<uint64_t>(value))];
  Spread spread;
  std::array<Wanted, kWanted> wanted;
  size_t before = 0;
  for (size_t bin = 0; before < values.size(); ++bin) {
    if (counts[bin] == 0) continue;
    CountBin(spread, Fine::Least(bin), counts[bin]);
    for (size_t i = 0; i < kPercents.size(); ++i) {
      const size_t rank = RankOf(values.size(), kPercents[i]);
      if (rank < before || rank >= before + counts[bin]) continue;
      wanted[i] = {rank - before, counts[bin], Fine::Least(bin),
                   uint64_t{1} << Fine::Shift(bin)};
    }
    before += counts[bin];
  }
  const std::array<uint64_t, kWanted> found = Select(values, wanted);
  spread.p50_ns = static_cast<int64_t>(found[0]);
  spread.p90_ns = static_cast<int64_t>(found[1]);
  spread.p95_ns = static_cast<int64_t>(found[2]);
  spread.p99_ns = static_cast<int64_t>(found[3]);
  return spread;
}

template <typename T>
Spread SpreadOf(std::span<T> values) {
  if (values.empty()) return {};
  if (values.size() <= kFewToSort) return SpreadOfFew(values);
  const std::span<const T> read = values;
  return values.size() < kMany ? SpreadOfMany<4>(read) : SpreadOfMany<7>(read);
}

}  // namespace

void CountBin(Spread& spread, uint64_t value, uint64_t count) {
  const int exponent = ExponentOf(value);
  if (spread.histogram.empty() || spread.histogram.back().exponent != exponent)
    spread.histogram.push_back({exponent, 0});
  spread.histogram.back().count += count;
}

Spread ComputeSpread(std::span<int64_t> values) {
  return stepscope::SpreadOf(values);
}

Spread SpreadOfEqual(int64_t value, uint64_t count) {
  if (count == 0) return {};
  const auto v = static_cast<uint64_t>(value);
  return {value, value, value, value, {{ExponentOf(v), count}}, {}};
}

GroupedValues::GroupedValues(std::span<const uint64_t> counts, int64_t largest)
    : narrow_(largest <= int64_t{UINT32_MAX}) {
  uint64_t total = 0;
  ranges_.reserve(counts.size());
  for (const uint64_t count : counts) {
    ranges_.push_back({total, total + count});
    total += count;
  }
  if (narrow_ ? short_.Resize(total) : long_.Resize(total)) return;
  for (Range& range : ranges_) range = {};
}

Spread GroupedValues::SpreadOf(uint32_t group) {
  const uint64_t first = group == 0 ? 0 : ranges_[group - 1].last;
  const uint64_t count = ranges_[group].next - first;
  return narrow_ ? stepscope::SpreadOf(short_.span().subspan(first, count))
                 : stepscope::SpreadOf(long_.span().subspan(first, count));
}

DurationSketch GroupedValues::SketchOf(uint32_t group) const {
  const uint64_t first = group == 0 ? 0 : ranges_[group - 1].last;
  const uint64_t count = ranges_[group].next - first;
  return narrow_ ? DurationSketch::Of(short_.view().subspan(first, count))
                 : DurationSketch::Of(long_.view().subspan(first, count));
}

void Durations::Widen() {
  if (wide_) return;
  wide_ = true;
  if (!long_.Reserve(std::max(short_.size(), room_))) return;
  for (const uint32_t value : short_.view())
    static_cast<void>(long_.Append(value));  // there is room
  short_ = {};
}

Spread Durations::ComputeSpread() {
  return wide_ ? stepscope::SpreadOf(long_.span())
               : stepscope::SpreadOf(short_.span());
}

DurationSketch Durations::ComputeSketch() const {
  return wide_ ? DurationSketch::Of(long_.view())
               : DurationSketch::Of(short_.view());
}

}  // namespace stepscope
