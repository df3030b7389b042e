// SPDX-License-Identifier: Apache-2.0
#include "analysis/percentiles.h"

#include <algorithm>
#include <array>
#include <bit>

namespace stepscope {
namespace {

constexpr std::array<size_t, 3> kPercents = {50, 90, 99};
// Up to so many, counting bins would cost more than it saves.
constexpr size_t kFew = 256;

// Fine bins: 16 to each doubling, one value each below 16. Ascending in v.
constexpr unsigned kSubBits = 4;
constexpr size_t kFineBins = (64 - kSubBits + 1) << kSubBits;

size_t FineBin(int64_t value) {
  const auto v = static_cast<uint64_t>(value);
  if (v < (1u << kSubBits)) return static_cast<size_t>(v);
  const auto exponent = static_cast<unsigned>(std::bit_width(v)) - 1;
  const size_t sub = static_cast<size_t>(v >> (exponent - kSubBits)) &
                     ((1u << kSubBits) - 1);
  return (size_t{exponent - kSubBits + 1} << kSubBits) + sub;
}

// The doubling that a fine bin lies in.
int ExponentOf(size_t bin) {
  if (bin < (1u << kSubBits)) {
    return static_cast<int>(std::bit_width(bin)) - 1;
  }
  return static_cast<int>((bin >> kSubBits) - 1 + kSubBits);
}

size_t RankOf(size_t count, size_t percent) {
  return (count * percent + 99) / 100 - 1;
}

void CountBin(Spread& spread, int exponent, uint64_t count) {
  if (spread.histogram.empty() ||
      spread.histogram.back().exponent != exponent) {
    spread.histogram.push_back({exponent, 0});
  }
  spread.histogram.back().count += count;
}

Spread SpreadOfFew(std::span<int64_t> values) {
  std::sort(values.begin(), values.end());
  Spread spread;
  spread.p50_ns = values[RankOf(values.size(), kPercents[0])];
  spread.p90_ns = values[RankOf(values.size(), kPercents[1])];
  spread.p99_ns = values[RankOf(values.size(), kPercents[2])];
  for (const int64_t value : values) {
    const auto v = static_cast<uint64_t>(value);
    CountBin(spread, static_cast<int>(std::bit_width(v)) - 1, 1);
  }
  return spread;
}

}  // namespace

// Counts fine bins, then looks only at the values of those three bins that
// the ranks fall into.
Spread ComputeSpread(std::span<int64_t> values) {
  if (values.empty()) return {};
  if (values.size() <= kFew) return SpreadOfFew(values);
  std::array<uint32_t, kFineBins> counts{};
  for (const int64_t value : values) ++counts[FineBin(value)];

  Spread spread;
  std::array<size_t, 3> bins{};
  std::array<size_t, 3> ranks{};  // within the bin
  size_t before = 0;
  for (size_t bin = 0; bin < kFineBins; ++bin) {
    if (counts[bin] == 0) continue;
    CountBin(spread, ExponentOf(bin), counts[bin]);
    for (size_t i = 0; i < kPercents.size(); ++i) {
      const size_t rank = RankOf(values.size(), kPercents[i]);
      if (rank < before || rank >= before + counts[bin]) continue;
      bins[i] = bin;
      ranks[i] = rank - before;
    }
    before += counts[bin];
  }
  // The values of the bins that matter; one may hold several of the ranks.
  constexpr uint8_t kNotWanted = 3;
  std::array<uint8_t, kFineBins> slot_of_bin;
  slot_of_bin.fill(kNotWanted);
  std::array<std::vector<int64_t>, 3> inside;
  for (size_t i = kPercents.size(); i-- > 0;) {
    slot_of_bin[bins[i]] = static_cast<uint8_t>(i);
  }
  for (size_t i = 0; i < kPercents.size(); ++i) {
    if (slot_of_bin[bins[i]] == i) inside[i].reserve(counts[bins[i]]);
  }
  for (const int64_t value : values) {
    const uint8_t slot = slot_of_bin[FineBin(value)];
    if (slot != kNotWanted) inside[slot].push_back(value);
  }
  std::array<int64_t, 3> found{};
  for (size_t i = 0; i < kPercents.size(); ++i) {
    std::vector<int64_t>& all = inside[slot_of_bin[bins[i]]];
    const auto at = all.begin() + static_cast<ptrdiff_t>(ranks[i]);
    std::nth_element(all.begin(), at, all.end());
    found[i] = *at;
  }
  spread.p50_ns = found[0];
  spread.p90_ns = found[1];
  spread.p99_ns = found[2];
  return spread;
}

Spread SpreadOfEqual(int64_t value, uint64_t count) {
  if (count == 0) return {};
  const auto v = static_cast<uint64_t>(value);
  return {value, value, value,
          {{static_cast<int>(std::bit_width(v)) - 1, count}}};
}

GroupedValues::GroupedValues(std::span<const uint64_t> counts) {
  uint64_t total = 0;
  next_.reserve(counts.size());
  last_.reserve(counts.size());
  for (const uint64_t count : counts) {
    next_.push_back(total);
    total += count;
    last_.push_back(total);
  }
  values_.resize(total);
}

Spread GroupedValues::SpreadOf(uint32_t group) {
  const uint64_t first = group == 0 ? 0 : last_[group - 1];
  return ComputeSpread(
      std::span(values_).subspan(first, next_[group] - first));
}

}  // namespace stepscope
